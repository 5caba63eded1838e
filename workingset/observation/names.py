"""By which words the entries of a set are known: their refs, paths and ends of paths, and names of their own.

A name of its own is an entry's title where that is an identifier, qualified or not. Which of them count where:

* qualified, `Cart.total`, or as the end of a longer chain: everywhere;
* alone, where its form says that it is no English word (`compute_tax`, `CartLine`) and no other entry has it;
* alone, plain and nobody's member, `Cart`: only as the whole of a span in backticks.

Measured: with 512 names of Python's standard library, drawn at random three times, and 432,000 words of users and
agents in sessions on other projects, 29 names were taken for entries: 15 by their form, 14 in backticks (with members,
158). Matching any word that is a name is not to be thought of: `run`, `name` and `value` are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workingset.entry import GOAL_NAMESPACE, REQUEST_NAMESPACE, Entry
from workingset.settings import ObservationSettings
from workingset.vocabulary import Ref

_IDENTIFIER = r"[^\W\d]\w*"
_DOTTED = re.compile(rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_CHAIN_PARTS = 4


@dataclass(frozen=True, slots=True)
class Names:
    """Entries by ref; by path, in order; the one path that ends so; and by name, None where several have it."""

    refs: dict[Ref, Entry]
    paths: dict[str, tuple[Entry, ...]]
    endings: dict[str, str | None]
    last_parts: frozenset[str]
    qualified: dict[str, Entry | None]
    distinctive: dict[str, Entry | None]
    plain: dict[str, Entry | None]

    @classmethod
    def of(cls, entries: Sequence[Entry], settings: ObservationSettings) -> Names:
        """Collect the names of entries; the daemon's own words (goal, request) have none."""
        known = sorted((e for e in entries if e.namespace not in _OWN), key=lambda e: e.ref)
        paths = _by_path(known)
        names = cls(
            refs={entry.ref: entry for entry in known},
            paths=paths,
            endings=_endings(paths, settings),
            last_parts=frozenset(path.rpartition("/")[2] for path in paths),
            qualified={},
            distinctive={},
            plain={},
        )
        for entry in known:
            names._add(entry, settings)
        return names

    def _add(self, entry: Entry, settings: ObservationSettings) -> None:
        for name in own_names(entry):
            last = name.rpartition(".")[2]
            if "." in name:
                _put(self.qualified, name, entry)
            if is_distinctive(last, settings):
                _put(self.distinctive, last, entry)
            elif "." not in name and not name.startswith("__") and len(name) >= settings.plain_name_characters:
                _put(self.plain, name, entry)

    def named(self, chain: str) -> Entry | None:
        """Return the entry that a chain of identifiers, joined by dots, names by its end; None where none is meant."""
        parts = chain.split(".")
        for count in range(min(_CHAIN_PARTS, len(parts)), 1, -1):
            entry = self.qualified.get(".".join(parts[-count:]))
            if entry is not None:
                return entry
        return self.distinctive.get(parts[-1])

    def path_of(self, written: str) -> str | None:
        """Return the entries' path that a written one means, if it means exactly one.

        One of the two must be the end of the other, by whole parts; a bare file name at the end of a longer written
        path is not enough, for every tree has its `setup.py`.
        """
        path = written.replace("\\", "/").removeprefix("./")
        if path in self.paths:
            return path
        if (known := self.endings.get(path)) is not None:
            return known
        parts = [part for part in path.split("/") if part]
        whole = ("/".join(parts[start:]) for start in range(len(parts) - 1))
        return next((ending for ending in whole if ending in self.paths), None)


_OWN = frozenset({GOAL_NAMESPACE, REQUEST_NAMESPACE})


def own_names(entry: Entry) -> tuple[str, ...]:
    """Return the identifiers that the entry defines, going by its title: one, or those of a list."""
    title = entry.title
    if not title or (entry.path and entry.path.rpartition("/")[2] == title):
        return ()
    return tuple(name for name in title.split(", ") if _DOTTED.fullmatch(name))


def is_distinctive(name: str, settings: ObservationSettings) -> bool:
    """True where a name's form tells it from words of English and of programming languages."""
    core = name.strip("_")
    return len(core) >= settings.distinctive_name_characters and ("_" in core or _CAMEL.search(core) is not None)


def _put(table: dict[str, Entry | None], name: str, entry: Entry) -> None:
    table[name] = None if name in table and table[name] is not entry else entry


def _by_path(entries: Iterable[Entry]) -> dict[str, tuple[Entry, ...]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.path:
            found.setdefault(entry.path, []).append(entry)
    return {
        path: tuple(sorted(held, key=lambda e: (e.lines.start if e.lines else 0, e.ref)))
        for path, held in found.items()
        if len({entry.namespace for entry in held}) == 1
    }


def _endings(paths: Iterable[str], settings: ObservationSettings) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for path in sorted(paths):
        parts = path.split("/")
        for start in range(1, len(parts)):
            ending = "/".join(parts[start:])
            if start == len(parts) - 1 and ("." not in ending or ending in settings.common_file_names):
                continue
            found[ending] = None if ending in found else path
    return found
