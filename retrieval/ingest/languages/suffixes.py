"""Import names that are paths or ends of paths, as C's `#include`, Ruby's `require` and the shell's `source` take them.

A name that begins with `./` is a path from the tree's root; any other is looked for beside the importing file, below
the root, and then as the end of a path, where that is the only one or clearly the nearest.
"""

from __future__ import annotations

import posixpath

from retrieval.ingest.languages.language import PathLookup

HERE = "./"


def relative(path: str, name: str) -> str:
    """The import name of a path that is written relative to the file at `path`."""
    return HERE + posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def ends_of(path: str) -> tuple[str, ...]:
    """All names that could mean the path: from the root, and by its ends."""
    parts = path.split("/")
    return (HERE + path, *("/".join(parts[at:]) for at in range(len(parts))))


def resolve(name: str, importer: str, extensions: tuple[str, ...], lookup: PathLookup) -> tuple[str, ...]:
    """The one file that the name means, by the first of the extensions that leads to a file; empty for none."""
    for extension in extensions:
        if name.startswith(HERE):
            if lookup.exists(name.removeprefix(HERE) + extension):
                return (name.removeprefix(HERE) + extension,)
            continue
        written = name + extension
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(importer), written))
        for place in (beside, written):
            if lookup.exists(place):
                return (place,)
        found = nearest(importer, lookup.ending_in(written))
        if found:
            return (found,)
    return ()


def nearest(importer: str, places: tuple[str, ...]) -> str:
    """The place that shares the longest beginning of folders with the importer; empty where two do."""
    if not places:
        return ""
    shared = {place: _shared(importer, place) for place in places}
    most = max(shared.values())
    best = [place for place in places if shared[place] == most]
    return best[0] if len(best) == 1 else ""


def _shared(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
