"""Versions of records: the one visible at a generation."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from retrieval.record import Record
from retrieval.store.lmdb.codec import decode_record, is_removed
from retrieval.store.lmdb.layout import LARGEST_GENERATION, RECORD_PREFIX_BYTES, generation_of, record_key
from retrieval.store.lmdb.view import Space, TenantView, split
from workingset.vocabulary import Generation, Namespace, Ref

REMEMBERED_VERSIONS: Final = 8_192
"""Guess: some 5 KB each; measured over 10,000 records: a tenth of the CPU time of a Focus."""


class Version(NamedTuple):
    """A version as stored."""

    generation: Generation
    encoded: bytes


def version_at(view: TenantView, space: Space, record_id: int, at: Generation | None) -> Version | None:
    """The version visible at a generation, None for the newest; None where there is none."""
    generation = LARGEST_GENERATION if at is None else min(at, LARGEST_GENERATION)
    if generation <= 0:
        return None
    key = record_key(view.key, space.key, record_id, generation)
    row = view.rows.first(view.rows.tables.records, key)
    if row is None or row[0][:RECORD_PREFIX_BYTES] != key[:RECORD_PREFIX_BYTES]:
        return None
    return Version(Generation(generation_of(row[0])), row[1])


def record_at(
    view: TenantView, space: Space, record_id: int, at: Generation | None, *, texts: bool = True
) -> Record | None:
    """The record visible at a generation, tombstones included."""
    version = version_at(view, space, record_id, at)
    if version is None:
        return None
    decode = _remembered if texts else _without_texts
    return decode(version.encoded, space.namespace, version.generation)


@lru_cache(maxsize=REMEMBERED_VERSIONS)
def _remembered(encoded: bytes, namespace: Namespace, generation: Generation) -> Record:
    """Decoded versions, by all that they are made of: turns of an agent read the same ones again and again."""
    return decode_record(encoded, namespace, generation)


def _without_texts(encoded: bytes, namespace: Namespace, generation: Generation) -> Record:
    return decode_record(encoded, namespace, generation, texts=False)


def live_id(view: TenantView, ref: Ref) -> tuple[int, Space] | None:
    """The number and namespace of a ref that has a live record now."""
    record_id, parts = view.record_id(ref), split(ref)
    space = None if record_id is None or parts is None else view.space(parts[0])
    if record_id is None or space is None:
        return None
    version = version_at(view, space, record_id, None)
    return None if version is None or is_removed(version.encoded) else (record_id, space)
