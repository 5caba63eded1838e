"""Which directories can be followed: absolute, readable, apart from one another and from the daemon's own home."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hotsetd import limits
from retrieval.errors import BadField


def absolute_root(text: str) -> Path:
    """Return the path that a text names; raises BadField."""
    try:
        root = Path(limits.text("root", text)).expanduser()
    except RuntimeError as error:
        raise BadField("root", f"{text!r} names a home that this machine does not have") from error
    if not root.is_absolute():
        raise BadField("root", f"{text!r} is not an absolute path: the daemon runs in another folder than you")
    if ".." in root.parts:
        raise BadField("root", f"{text!r} goes up again: write it without `..`")
    return root


def check_apart(root: Path, others: Sequence[Path]) -> None:
    """Refuse a root that shares files with another one of its namespace, whatever links lead there."""
    real = root.resolve()
    for other in others:
        there = other.resolve()
        if real.is_relative_to(there) or there.is_relative_to(real):
            what = f"{str(root)!r} and {str(other)!r}, which the namespace follows already, lie in each other"
            raise BadField("root", f"{what}: their files would be in twice; remove that source, or use a namespace")


def readable_root(text: str, home: Path) -> Path:
    """Return a root that is there and can be read, neither around nor inside the daemon's home; raises BadField."""
    root = absolute_root(text)
    try:
        os.scandir(root).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise BadField("root", f"{text!r} is no readable folder on this machine: {why}") from error
    real, own = root.resolve(), home.resolve()
    if real.is_relative_to(own) or own.is_relative_to(real):
        what = f"{text!r} and the daemon's own home, {own}, lie in each other: it would follow its own writing"
        raise BadField("root", f"{what}; choose a folder beside it, or another home")
    return root
