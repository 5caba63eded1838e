"""Which records a path means that an agent's tool call named: strictly, since nobody is there to be asked again.

A written path and a record's agree where one is the end of the other, by whole parts. A file at a tree's root that is
written with folders before it is taken only where the record's tree is known to lie there: every machine has its
`setup.py`. What could be several files is none.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.record import NameKind, Record
from retrieval.sources import TREE_SOURCE
from retrieval.store.interface import Snapshot
from workingset.observation.seen import Found
from workingset.vocabulary import Lines, Namespace

_MATCHES = 64
_SUFFIX_PARTS = 12
_QUOTED_CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Located:
    """The records that a use is of, by first line, a group for each range of lines that was named.

    `reason` says why there are none: no_record, ambiguous_path or quote_not_found.
    """

    groups: tuple[tuple[tuple[Record, ...], Lines | None], ...] = ()
    reason: str = ""


def locate(txn: Snapshot, scope: Sequence[Namespace], found: Found) -> Located:
    """Return the records of a use that was found by path."""
    records, reason = _at_path(txn, scope, found.path)
    if not records:
        return Located(reason=reason)
    if found.quotes:
        held = _holding(records, found.quotes)
        return Located(((held, _span(held)),)) if held else Located(reason="quote_not_found")
    ranges: Iterable[Lines | None] = found.lines or (_last(records, found.tail_lines),)
    groups = [(tuple(record for record in records if _touches(record, lines)), lines) for lines in ranges]
    return Located(tuple(group for group in groups if group[0]), "" if any(g[0] for g in groups) else "no_record")


def _at_path(txn: Snapshot, scope: Sequence[Namespace], written: str) -> tuple[list[Record], str]:
    path = posixpath.normpath(written.replace("\\", "/"))
    absolute = path.startswith(("/", "~")) or path[1:2] == ":"
    parts = [part for part in path.split("/") if part not in {"", "~", ".."}][-_SUFFIX_PARTS:]
    for start in range(len(parts)):
        ending = "/".join(parts[start:])
        found = [record for name in scope for record in txn.path_records(name, ending)]
        if start == len(parts) - 1 and (start or absolute):
            found = [record for record in found if lies_at(record, path)]
        if found:
            return _of_one_namespace(found, path)
    return ([], "no_record") if absolute else _ending_so(txn, scope, "/".join(parts))


def _ending_so(txn: Snapshot, scope: Sequence[Namespace], ending: str) -> tuple[list[Record], str]:
    """The records of the one path that ends with a relative path."""
    cut = txn.cut(scope)
    ids = [i for name in scope for i in txn.find(name, NameKind.PATH, ending, _MATCHES)]
    wholes = {
        (record.namespace, record.path)
        for record in txn.records_by_id(ids, cut)
        if record is not None and not record.removed and record.path.endswith(f"/{ending}")
    }
    if len(wholes) != 1:
        return [], "ambiguous_path" if wholes else "no_record"
    return txn.path_records(*wholes.pop()), ""


def _of_one_namespace(records: list[Record], path: str) -> tuple[list[Record], str]:
    if len({record.namespace for record in records}) > 1:
        records = [record for record in records if lies_at(record, path)]
    if len({record.namespace for record in records}) != 1:
        return [], "ambiguous_path"
    return records, ""


def lies_at(record: Record, path: str) -> bool:
    """True where the record's tree is known and the absolute path is that of its file."""
    root = record.source.removeprefix(TREE_SOURCE)
    return root != record.source and posixpath.normpath(f"{root}/{record.path}") == path


def _holding(records: Sequence[Record], quotes: Sequence[Sequence[str]]) -> tuple[Record, ...]:
    """The records that hold a quote, or a part of one that reaches over their ends."""
    whole = "".join(record.text for record in records)
    held: set[int] = set()
    for choice in quotes:
        text = next((t for t in choice if len("".join(t.split())) >= _QUOTED_CHARACTERS and t in whole), None)
        at = whole.find(text) if text else -1
        while text and at >= 0:
            held |= _overlapping(records, at, at + len(text))
            at = whole.find(text, at + len(text))
    return tuple(record for place, record in enumerate(records) if place in held)


def _overlapping(records: Sequence[Record], start: int, end: int) -> set[int]:
    found: set[int] = set()
    first = 0
    for place, record in enumerate(records):
        if first < end and start < first + len(record.text):
            found.add(place)
        first += len(record.text)
    return found


def _span(records: Sequence[Record]) -> Lines | None:
    """From the first line of the first to the last of the last; None where one has no lines."""
    lines = [record.lines for record in records if record.lines is not None]
    if len(lines) < len(records) or not lines:
        return None
    return Lines(min(line.start for line in lines), max(line.end for line in lines))


def _last(records: Sequence[Record], count: int) -> Lines | None:
    span = _span(records)
    return Lines(max(1, span.end - count + 1), span.end) if span is not None and count else None


def _touches(record: Record, lines: Lines | None) -> bool:
    return lines is None or (record.lines is not None and record.lines.overlap(lines) > 0)
