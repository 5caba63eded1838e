"""How C and C++ files see one another: `#include` by paths and ends of paths, and headers with their sources.

What a header declares is defined in the file of the same name, in its folder or in one beside it (`include/`, `src/`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from retrieval.ingest.languages import suffixes
from retrieval.ingest.languages.language import PathLookup

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++")


def include_names(written: Iterable[str], path: str) -> tuple[str, ...]:
    """The import names of what stands after `#include`, in order; a relative one from the tree's root."""
    names: dict[str, None] = {}
    for text in written:
        name = text.strip('"<> \r')
        if name.startswith("."):
            name = suffixes.relative(path, name)
        if name and not any(character.isspace() for character in name):
            names.setdefault(name)
    return tuple(names)


class CFamilyImporter:
    """An include is the file beside, the file from the root, or the nearest path that ends so."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        """Also those of the headers that the file may define: who includes them sees it."""
        del lookup
        stem, extension = posixpath.splitext(path)
        names = list(suffixes.ends_of(path))
        if extension in _SOURCES:
            for header in _HEADERS:
                names.extend(suffixes.ends_of(stem + header))
        return tuple(dict.fromkeys(names))

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        return suffixes.resolve(name, importer, ("",), lookup)

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for seen in (path, *lookup.imports_of(path)):
            found.update(dict.fromkeys(_companions(seen, lookup)))
        found.pop(path, None)
        return tuple(found)


def _companions(path: str, lookup: PathLookup) -> Iterable[str]:
    stem, extension = posixpath.splitext(path)
    others = _SOURCES if extension in _HEADERS else _HEADERS if extension in _SOURCES else ()
    for other in others:
        if lookup.exists(stem + other):
            yield stem + other
