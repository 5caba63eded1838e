"""`tests`: from a test to what it tests, by names, imports and calls. Best effort.

A test is about what it calls or mentions and is named after; else about what it is named after in the files that it
sees; else about the little that it calls. A file of tests is about the file that it is named after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from retrieval.ingest.languages.suffixes import nearest
from retrieval.ingest.languages.testing import is_test, is_test_path, tested_names
from retrieval.ingest.link_tables import FileTable, LinkTables
from retrieval.record import NameKind, Record
from workingset.vocabulary import Ref

TESTS = "tests"

_TESTS_INSIDE = ".rs"
"""Files that hold tests of their own."""
_CHUNKED = frozenset(("javascript", "ruby"))
"""Families whose tests are blocks without a name, and so stand in chunks and file heads."""


def may_hold_tests(path: str) -> bool:
    """False for a file none of whose records is a test."""
    return path.endswith(_TESTS_INSIDE) or is_test_path(path)


def is_test_block(record: Record, family: str) -> bool:
    """True for code between declarations that may hold tests: `it("adds", …)` is a call with a block."""
    return record.kind in {"chunk", "file"} and family in _CHUNKED and is_test_path(record.path)


def places_under_test(table: FileTable, reach: Sequence[FileTable]) -> tuple[FileTable, ...]:
    """The files in which something may be that tests of a file are named after: those that it sees and that are no
    tests, and itself where tests stand beside what they test."""
    own = (table,) if table.path.endswith(_TESTS_INSIDE) else ()
    return (*own, *(place for place in reach if place is not table and not is_test_path(place.path)))


def tested(
    record: Record, named: Collection[Ref], table: FileTable, places: Sequence[FileTable], tables: LinkTables
) -> tuple[Ref, ...]:
    """What the record tests; `named` is what it calls or mentions, `places` are `places_under_test`."""
    is_block = is_test_block(record, table.family)
    if not is_block and (record.kind not in {"function", "class"} or not is_test(record.path, record.title)):
        return ()
    subjects = {ref: title for ref in named if (title := _subject(ref, record, tables)) is not None}
    if not is_block:
        names, classes = tested_names(record.title)
        if record.kind == "class":
            names, classes = classes, ()
        found = _named_after(names, classes, subjects) or _in_places(names, classes, places)
        if found:
            return found
    if record.kind == "class":
        return ()
    return tuple(sorted(subjects)) if len(subjects) <= tables.settings.tested else ()


def file_under_test(head: Record, table: FileTable, imported: Sequence[str], tables: LinkTables) -> tuple[Ref, ...]:
    """The file that a file of tests is named after: one that it imports, else the nearest of that name."""
    for name in head.names:
        if name.kind is NameKind.TESTED:
            places = [path for path in imported if path.rpartition("/")[2] == name.text]
            place = places[0] if places else nearest(head.path, _elsewhere(name.text, tables))
            target = tables.file(place) if place else None
            if target is not None and target.first != head.ref and target.family == table.family:
                return (target.first,)
    return ()


def _elsewhere(name: str, tables: LinkTables) -> tuple[str, ...]:
    return tuple(path for path in tables.ending_in(name) if not is_test_path(path))


def _subject(ref: Ref, record: Record, tables: LinkTables) -> str | None:
    """The title of what may be under test; None for what stands among tests itself."""
    path, title = tables.place_of(ref) or ("", "")
    if not path or is_test_path(path) or (path == record.path and is_test(path, title)):
        return None
    return title


def _named_after(names: Sequence[str], classes: Sequence[str], subjects: dict[Ref, str]) -> tuple[Ref, ...]:
    """The first of the names that is among what the test calls; in its class, if more than one is."""
    by_name: defaultdict[str, list[Ref]] = defaultdict(list)
    for ref, title in subjects.items():
        by_name[title.rpartition(".")[2]].append(ref)
    for name in (*names, *classes):
        refs = sorted(by_name.get(name, ()))
        inside = [ref for ref in refs if subjects[ref].rpartition(".")[0].rpartition(".")[2] in classes]
        if refs:
            return tuple(inside or refs)
    return ()


def _in_places(names: Sequence[str], classes: Sequence[str], places: Sequence[FileTable]) -> tuple[Ref, ...]:
    for title in _titles(names, classes):
        for place in places:
            if title in place.titled:
                return place.titled[title][:1]
    return ()


def _titles(names: Sequence[str], classes: Sequence[str]) -> Iterator[str]:
    for scope in classes:
        yield from (f"{scope}.{name}" for name in names)
    yield from names[:2]
    yield from classes
