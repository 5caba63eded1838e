"""What people write for places and names: `PATH:10-48`, refs, a directory's namespace."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from hotset.errors import BadRequest
from hotset.types import Lines, Use, UseAction

_PLACE = re.compile(r"(?P<path>.+?):(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?")


def use_of(place: str, namespace: str, action: UseAction) -> Use:
    """Read one place: `PATH:10-48` and `PATH:10` are lines of a file, other texts with a colon refs, the rest paths."""
    match = _PLACE.fullmatch(place)
    if match is not None:
        start = int(match["start"])
        lines = Lines(start, int(match["end"] or start))
        if lines.start < 1 or lines.end < lines.start:
            raise BadRequest(
                f"{place}: lines run from 1, and the last is not before the first",
                reason="BAD_FIELD",
                field="lines",
                what_to_do="write PATH:FIRST-LAST",
            )
        return Use(namespace=namespace, path=whole(match["path"]), lines=lines, action=action)
    if ":" in place:
        return Use(ref=place, action=action)
    return Use(namespace=namespace, path=whole(place), action=action)


def whole(path: str) -> str:
    """The path, absolute where a file is there: the daemon runs in another folder, and knows more trees than one."""
    try:
        file = Path(path).expanduser()
        return str(file.absolute()) if file.exists() else path
    except (OSError, RuntimeError, ValueError):
        return path  # no path of this machine; the daemon says what is wrong with it


def slug(directory: Path) -> str:
    """Return the namespace that a directory gets by default: its name in lower case, the rest of it as dashes."""
    name = unicodedata.normalize("NFKD", directory.expanduser().absolute().resolve().name)
    slugged = re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-._")
    if not slugged:
        raise BadRequest(
            f"no namespace can be made from the name of {directory}",
            reason="BAD_FIELD",
            field="namespace",
            what_to_do="name one with --namespace",
        )
    return slugged
