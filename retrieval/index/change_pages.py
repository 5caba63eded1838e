"""The change log as the indexes read it: a page of lines, each record once, as it stands now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.index.positions import Position
from retrieval.record import Record
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Generation, Namespace


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Record ids that changed, ascending by their latest line, and the position behind the page's last line.

    `lines` counts the log's lines, of which one record may have several.
    """

    changed: tuple[tuple[int, Generation], ...]
    lines: int
    position: Position


def read_page(txn: Snapshot, namespace: Namespace, after: Position, limit: int) -> ChangePage:
    """The next page; behind the last one the position is at the namespace's newest generation."""
    lines = txn.changes_page(namespace, after.key, limit)
    latest: dict[int, Generation] = {}
    for line in lines:
        latest.pop(line.record_id, None)
        latest[line.record_id] = line.generation
    if len(lines) < limit:
        position = Position.after(txn.generation(namespace))
    else:
        position = Position(lines[-1].generation, lines[-1].record_id)
    return ChangePage(tuple(latest.items()), len(lines), position)


def live_records(
    txn: Snapshot, namespace: Namespace, record_ids: list[int], slice_records: int
) -> Iterator[list[tuple[int, Record | None]]]:
    """The records as they stand now, a few at a time, None where there is no live one."""
    cut = txn.cut([namespace])
    for start in range(0, len(record_ids), slice_records):
        ids = record_ids[start : start + slice_records]
        found = txn.records_by_id(ids, cut)
        yield [
            (record_id, None if record is None or record.removed else record)
            for record_id, record in zip(ids, found, strict=True)
        ]


def lines_behind(txn: Snapshot, namespace: Namespace, after: Position, count_to: int) -> int:
    """How many lines of the log come after a position, counted up to `count_to`.

    At least 1 where the namespace has moved on by other changes than to records; 0 means that nothing is left.
    """
    if after.complete >= txn.generation(namespace):
        return 0
    return max(1, len(txn.changes_page(namespace, after.key, count_to)))
