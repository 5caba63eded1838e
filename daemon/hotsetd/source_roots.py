"""Which directories can be read: absolute, there, apart from one another and from the daemon's own home."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hotsetd import limits
from retrieval.errors import BadField


def absolute_root(field: str, text: str) -> Path:
    """Return the path that the text of a field names; raises BadField."""
    try:
        root = Path(limits.text(field, text)).expanduser()
    except RuntimeError as error:
        raise BadField(field, f"{text!r} names a home that this machine does not have") from error
    if not root.is_absolute():
        raise BadField(field, f"{text!r} is not an absolute path: the daemon runs in another folder than you")
    if ".." in root.parts:
        raise BadField(field, f"{text!r} goes up again: write it without `..`")
    return root


def check_apart(root: Path, others: Sequence[Path]) -> None:
    """Refuse a root that shares files with another one of its namespace, whatever links lead there."""
    real = root.resolve()
    for other in others:
        there = other.resolve()
        if real.is_relative_to(there) or there.is_relative_to(real):
            what = f"{str(root)!r} and {str(other)!r}, which the namespace follows already, lie in each other"
            raise BadField("root", f"{what}: their files would be in twice; remove that source, or use a namespace")


def readable_root(field: str, text: str, home: Path) -> Path:
    """Return a root that is there and can be read, neither around nor inside the daemon's home; raises BadField."""
    root = absolute_root(field, text)
    try:
        os.scandir(root).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise BadField(field, f"{text!r} is no readable folder on this machine: {why}") from error
    real, own = root.resolve(), home.resolve()
    if real.is_relative_to(own) or own.is_relative_to(real):
        what = f"{text!r} and the daemon's own home, {own}, lie in each other: it would take in its own writing"
        raise BadField(field, f"{what}; choose a folder beside it, or another home")
    return root
