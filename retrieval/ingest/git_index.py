"""The paths that git tracks, read from a repository's index file.

Ignore rules do not hold for tracked files, so the walk has to know them. Format: git's `index-format` documentation,
versions 2 to 4; only paths are read.
"""

from __future__ import annotations

from pathlib import Path

_SIGNATURE = b"DIRC"
_HEADER_BYTES = 12
_FLAGS_AT = 60
_EXTENDED = 0x4000


def tracked_paths(git_folder: Path) -> frozenset[str]:
    """Return the tracked paths from the repository's root, empty where there is no index.

    Raises OSError where it cannot be read, ValueError where it is of another version or cut short.
    """
    try:
        content = (git_folder / "index").read_bytes()
    except FileNotFoundError:
        return frozenset()
    version = int.from_bytes(content[4:8], "big")
    if content[:4] != _SIGNATURE or version not in {2, 3, 4}:
        raise ValueError(f"not an index of version 2 to 4: {content[:8]!r}")
    try:
        return frozenset(_paths(content, version, int.from_bytes(content[8:12], "big")))
    except IndexError as error:
        raise ValueError("the index ends early") from error


def _paths(content: bytes, version: int, entries: int) -> list[str]:
    paths: list[str] = []
    at, previous = _HEADER_BYTES, b""
    for _ in range(entries):
        flags = int.from_bytes(content[at + _FLAGS_AT : at + _FLAGS_AT + 2], "big")
        start = at + _FLAGS_AT + (4 if flags & _EXTENDED and version >= 3 else 2)
        if version == 4:
            drop, start = _variable_width(content, start)
            end = content.index(b"\0", start)
            previous = previous[: len(previous) - drop] + content[start:end]
            at = end + 1
        else:
            end = content.index(b"\0", start)
            previous = content[start:end]
            at += (end - at + 8) // 8 * 8
        paths.append(previous.decode("utf-8", "surrogateescape"))
    return paths


def _variable_width(content: bytes, at: int) -> tuple[int, int]:
    """Read git's offset encoding; return the number and where it ends."""
    byte = content[at]
    number = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = content[at]
        number = ((number + 1) << 7) | (byte & 0x7F)
    return number, at + 1
