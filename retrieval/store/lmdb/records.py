"""Records: reading them at a cut, listing them, writing the next version and the last."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.errors import BadField
from retrieval.record import Record
from retrieval.store.interface import RecordPage
from retrieval.store.lmdb import changes, counts, edges, lost_needs, names, paths
from retrieval.store.lmdb.codec import (
    RecordCodec,
    decode_head,
    decode_record,
    encode_head,
    head_bytes,
    head_of,
    is_removed,
    tombstone,
)
from retrieval.store.lmdb.layout import (
    LARGEST_GENERATION,
    LARGEST_ID,
    generation_of,
    record_key,
)
from retrieval.store.lmdb.versions import Version, live_id, record_at, version_at
from retrieval.store.lmdb.view import TenantView, check_ref
from workingset.vocabulary import Cut, Generation, Namespace, Ref


def by_ids(view: TenantView, record_ids: Sequence[int], cut: Cut, *, texts: bool = True) -> list[Record | None]:
    """The versions visible at the cut, in the order asked."""
    spaces = {
        space.key: (space, generation)
        for namespace, generation in cut.generations
        if (space := view.space(namespace)) is not None
    }
    for space, generation in spaces.values():
        space.check_held(generation)
    only = next(iter(spaces.values())) if len(spaces) == 1 else None
    found: list[Record | None] = []
    for record_id in record_ids:
        home = only
        if home is None:
            located = view.located(record_id)
            home = None if located is None else spaces.get(located[0].key)
        known = home is not None and 0 < record_id <= LARGEST_ID
        found.append(record_at(view, home[0], record_id, home[1], texts=texts) if home is not None and known else None)
    return found


def listing(
    view: TenantView, namespace: Namespace, after: int, limit: int, *, kind: str, path_prefix: str, source: str
) -> RecordPage:
    """One page of live records in the order of their numbers, probed one past its end."""
    space = view.space(namespace)
    page: list[tuple[int, Record]] = []
    record_id = max(after, 0)
    while space is not None and limit > 0 and record_id < LARGEST_ID:
        key = record_key(view.key, space.key, record_id + 1, LARGEST_GENERATION)
        row = view.rows.first(view.rows.tables.records, key)
        if row is None or row[0][:8] != key[:8]:
            break
        record_id = int.from_bytes(row[0][8:16], "big")
        if not _matches(row[1], kind, path_prefix, source):
            continue
        if len(page) == limit:
            return RecordPage(tuple(record for _, record in page), page[-1][0])
        page.append((record_id, decode_record(row[1], namespace, Generation(generation_of(row[0])))))
    return RecordPage(tuple(record for _, record in page), None)


def _matches(version: bytes, kind: str, path_prefix: str, source: str) -> bool:
    if is_removed(version):
        return False
    if not (kind or path_prefix or source):
        return True
    head = decode_head(version)
    return (
        (not kind or head.kind == kind) and head.path.startswith(path_prefix) and (not source or head.source == source)
    )


def put(view: TenantView, codec: RecordCodec, record: Record) -> Generation:
    """Write a version, its names, paths, counts and change; equal content writes nothing."""
    if record.removed:
        raise BadField("removed", "a tombstone is written by removing the record")
    new = head_of(check_ref(record.ref, record.namespace), record)
    head = encode_head(new, record)
    record_id = view.record_id(record.ref)
    before = _newest_of(view, record.namespace, record_id)
    old = None if before is None or is_removed(before.encoded) else decode_head(before.encoded)
    if before is not None and old is not None and head_bytes(before.encoded) == head:
        return before.generation
    encoded = codec.encode(head, record)
    space = view.settle_space(record.namespace)
    if record_id is None:
        record_id = view.allot_ref(record.ref, space)
    if before is not None:
        lost_needs.drop_of(view, record_id)
    view.live[record.ref] = (record_id, space)
    generation = space.touch()
    view.rows.put(view.rows.tables.records, record_key(view.key, space.key, record_id, generation), encoded)
    known = () if old is None else frozenset(old.names)
    names.put(view, space, record_id, [name for name in new.names if name not in known] if known else new.names)
    paths.replace(view, space, record_id, old, new)
    counts.records(space, old, new)
    again = before is not None and before.generation == generation
    changes.put(view, space, generation, record_id, removed=False, digest=record.digest, again=again)
    return generation


def _newest_of(view: TenantView, namespace: Namespace, record_id: int | None) -> Version | None:
    space = view.space(namespace)
    return None if space is None or record_id is None else version_at(view, space, record_id, None)


def remove(view: TenantView, ref: Ref) -> bool:
    """Write a tombstone and end the record's edges; False where there is no live record."""
    found = live_id(view, ref)
    if found is None:
        return False
    record_id, space = found
    view.live.pop(ref, None)
    before = version_at(view, space, record_id, None)
    if before is None:
        return False
    generation = space.touch()
    old = decode_head(before.encoded)
    key = record_key(view.key, space.key, record_id, generation)
    view.rows.put(view.rows.tables.records, key, tombstone(before.encoded))
    paths.replace(view, space, record_id, old, None)
    counts.records(space, old, None)
    changes.put(view, space, generation, record_id, removed=True, digest=old.digest)
    edges.end_all(view, record_id)
    lost_needs.drop_of(view, record_id)
    return True
