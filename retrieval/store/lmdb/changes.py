"""The change log of records, by generation and record id."""

from __future__ import annotations

from retrieval.record import RecordChange
from retrieval.store.lmdb.layout import CHANGE_KEY, LARGEST_GENERATION, LARGEST_ID
from retrieval.store.lmdb.rows import Row
from retrieval.store.lmdb.view import Space, TenantView
from workingset.vocabulary import Digest, Generation

_REMOVED = b"\x01"
_WRITTEN = b"\x00"
_REBORN = b"\x02"


def put(
    view: TenantView,
    space: Space,
    generation: Generation,
    record_id: int,
    *,
    removed: bool,
    digest: str,
    again: bool = False,
) -> None:
    """Log what a record became at a generation; the last change in a generation counts. `again` says that there was one
    before."""
    key, value = row_of(view, space, generation, record_id, digest)
    what = _REMOVED if removed else _WRITTEN
    if again and not removed:
        earlier = view.rows.get(view.rows.tables.changes, key)
        what = _WRITTEN if earlier is None or earlier[:1] == _WRITTEN else _REBORN
    view.rows.put(view.rows.tables.changes, key, what + value[1:])


def row_of(view: TenantView, space: Space, generation: Generation, record_id: int, digest: str) -> Row:
    """The row that says that a record was written, and was not there before."""
    return CHANGE_KEY.pack(view.key, space.key, generation, record_id), _WRITTEN + digest.encode()


def page(view: TenantView, space: Space, after: tuple[int, int], limit: int) -> list[RecordChange]:
    """At most `limit` lines after a (generation, record id)."""
    generation, record_id = after
    if limit <= 0 or generation >= LARGEST_GENERATION:
        return []
    if record_id >= LARGEST_ID:
        generation, record_id = generation + 1, -1
    start = CHANGE_KEY.pack(view.key, space.key, max(generation, 0), max(record_id + 1, 0) if generation >= 0 else 0)
    lines: list[RecordChange] = []
    for key, value in view.rows.scan(view.rows.tables.changes, view.key + space.key, start):
        lines.append(_line(view, key, value))
        if len(lines) == limit:
            break
    return lines


def whole_generations(view: TenantView, space: Space, after: Generation, limit: int) -> list[RecordChange]:
    """Lines after a generation, cut at the end of one unless the first alone holds more than `limit`."""
    lines = page(view, space, (after, LARGEST_ID), limit + 1 if limit > 0 else 0)
    if len(lines) <= limit:
        return lines
    whole = [line for line in lines if line.generation != lines[-1].generation]
    return whole or lines[:limit]


def _line(view: TenantView, key: bytes, value: bytes) -> RecordChange:
    _, _, generation, record_id = CHANGE_KEY.unpack(key)
    located = view.located(record_id)
    if located is None:
        raise AssertionError("a change names a record that was never written")
    return RecordChange(
        Generation(generation),
        located[1],
        record_id,
        value[:1] == _REMOVED,
        Digest(value[1:].decode()),
        value[:1] == _REBORN,
    )
