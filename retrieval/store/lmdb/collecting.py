"""Collecting history: what only cuts below a namespace's horizon could show is deleted, in bounded steps.

The horizon is raised first, in the transaction of the first step: from then on no reader opened later can ask below it,
so that a step may be the last one for a while, or for ever, and no read is wrong. Every record keeps the version that
stands at the horizon, and the later ones; a tombstone stays, since it says that the record was removed. An ended edge
has a row at either end and goes when both ends' horizons have passed its end: a purge finds the one row by the other.

A step goes through the change log between the last horizon and this one, since only records that changed there can have
an older version to lose, and then through the tenant's ended edges.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from retrieval.store.interface import Collected
from retrieval.store.lmdb import names, vectors
from retrieval.store.lmdb.codec import decode_head, decode_record, is_removed
from retrieval.store.lmdb.layout import (
    CHANGE_KEY,
    HORIZON_ROW,
    ID_KEY,
    INCOMING,
    OUTGOING,
    PAST_BETWEEN,
    PAST_KEY,
    PAST_ROW,
    RECORD_PREFIX_BYTES,
    generation_of,
    record_key,
)
from retrieval.store.lmdb.versions import version_at
from retrieval.store.lmdb.view import Space, TenantView
from retrieval.text.embedding import embedding_digest, embedding_text
from workingset.vocabulary import Generation, Namespace

if TYPE_CHECKING:
    from lmdb import _Database

_VERSIONS, _EDGES, _DONE = 0, 1, 2
_PAGE = 256
_UNBOUNDED = 2**62
_NAMELESS = Namespace("")


class _Place(NamedTuple):
    """How far the collection up to a horizon has come: what is gone through, and the next key of it."""

    horizon: int
    stage: int
    following: bytes


def raise_horizon(view: TenantView, space: Space, before: Generation) -> None:
    """Let no cut below the generation be read again, and have what only they show deleted. For writing."""
    if before > space.horizon:
        _write(view, space, _raised(view, space, before))
        space.horizon = before


def further(view: TenantView, rows: int) -> Collected:
    """One step of whatever collections the tenant has: look at about so many rows, and delete. For writing."""
    done = Collected()
    for key, row in list(view.rows.scan(view.rows.tables.horizons, view.key)):
        space = view.space_by_key(key[len(view.key) :])
        if space is None or _place(row).stage == _DONE:
            continue
        sweep = _Sweep(view, space, _place(row), rows)
        place = sweep.run()
        _write(view, space, place)
        done = done.plus(sweep.collected(left=place.stage != _DONE))
        rows = sweep.room
        if place.stage != _DONE:
            break
    return done


def would_collect(view: TenantView, space: Space, before: Generation) -> Collected:
    """What a collection would delete now, what is left of the last one included; it deletes nothing."""
    row = view.rows.get(view.rows.tables.horizons, view.key + space.key)
    place = _raised(view, space, before) if before > space.horizon else None if row is None else _place(row)
    if place is None:
        return Collected()
    sweep = _Sweep(view, space, place, _UNBOUNDED, deletes=False)
    sweep.run()
    return sweep.collected(left=False)


def _raised(view: TenantView, space: Space, before: Generation) -> _Place:
    row = view.rows.get(view.rows.tables.horizons, view.key + space.key)
    place = None if row is None else _place(row)
    if place is not None and place.stage == _VERSIONS:
        return _Place(before, _VERSIONS, place.following)
    return _Place(before, _VERSIONS, CHANGE_KEY.pack(view.key, space.key, space.horizon + 1, 0))


def _place(row: bytes) -> _Place:
    horizon, stage = HORIZON_ROW.unpack_from(row)
    return _Place(horizon, stage, row[HORIZON_ROW.size :])


def _write(view: TenantView, space: Space, place: _Place) -> None:
    row = HORIZON_ROW.pack(place.horizon, place.stage) + place.following
    view.rows.put(view.rows.tables.horizons, view.key + space.key, row)


class _Sweep:
    """One step over one namespace. `room` is how many rows may still be looked at."""

    def __init__(self, view: TenantView, space: Space, place: _Place, rows: int, *, deletes: bool = True) -> None:
        self.room = rows
        self._view = view
        self._space = space
        self._place = place
        self._deletes = deletes
        self._counts: Counter[str] = Counter()
        self._models = vectors.models(view)
        self._horizons: dict[int, int] = {}

    def run(self) -> _Place:
        """Go on from the place; returns how far it came."""
        horizon, stage, following = self._place
        if stage == _VERSIONS:
            left = self._settle_changes(following)
            if left is not None:
                return _Place(horizon, _VERSIONS, left)
            stage, following = _EDGES, self._view.key
        if stage == _EDGES:
            left = self._drop_edges(following)
            if left is not None:
                return _Place(horizon, _EDGES, left)
        return _Place(horizon, _DONE, b"")

    def collected(self, *, left: bool) -> Collected:
        """What was deleted, or would be."""
        counts = self._counts
        return Collected(counts["versions"], counts["edges"], counts["changes"], counts["names"], left)

    def _settle_changes(self, following: bytes) -> bytes | None:
        """Go through the log from a key on; returns the key to go on at, None where the horizon was reached."""
        within = self._view.key + self._space.key
        while self.room > 0:
            table = self._view.rows.tables.changes
            keys = [key for key, _ in islice(self._view.rows.scan(table, within, following), min(self.room, _PAGE))]
            for key in keys:
                _, _, generation, record_id = CHANGE_KEY.unpack(key)
                if generation > self._place.horizon:
                    return None
                self.room -= 1
                if not self._settle(record_id, generation):
                    return key
                following = key + b"\0"
                if self.room <= 0:
                    break
            if not keys:
                return None
        return following

    def _settle(self, record_id: int, generation: int) -> bool:
        """Where the line wrote what stands at the horizon, delete what was before it; False where room ran out."""
        view, tables = self._view, self._view.rows.tables
        standing = version_at(view, self._space, record_id, Generation(self._place.horizon))
        if standing is None or standing.generation != generation:
            return True
        at = record_key(view.key, self._space.key, record_id, generation)
        older = list(islice(view.rows.scan(tables.records, at[:RECORD_PREFIX_BYTES], at + b"\0"), max(1, self.room)))
        removed = is_removed(standing.encoded)
        if older or removed:
            self._drop_versions(record_id, at, older, standing.encoded if removed else None)
        self.room -= 2 * len(older)
        return self.room > 0 or not older

    def _drop_versions(
        self, record_id: int, at: bytes, older: list[tuple[bytes, bytes]], tombstone: bytes | None
    ) -> None:
        view, tables = self._view, self._view.rows.tables
        kept = self._kept(at)
        self.room -= len(kept)
        kept_names = {name for version in kept for name in decode_head(version).names}
        kept_texts = {_text_digest(version) for version in kept} if self._models else set[str]()
        gone_names = set(decode_head(tombstone).names) if tombstone is not None else set[tuple[str, str]]()
        for key, version in older:
            gone_names.update(decode_head(version).names)
            if self._models and not is_removed(version):
                self._drop_vectors(_text_digest(version), kept_texts)
            self._counts["versions"] += self._delete(tables.records, key)
            line = CHANGE_KEY.pack(view.key, self._space.key, generation_of(key), record_id)
            self._counts["changes"] += self._delete(tables.changes, line)
        for key in names.keys_of(view, self._space, record_id, sorted(gone_names - kept_names)):
            self._counts["names"] += self._delete(tables.names, key)

    def _kept(self, at: bytes) -> list[bytes]:
        """The live versions from the newest to the one that stands at the horizon."""
        kept: list[bytes] = []
        for key, version in self._view.rows.scan(self._view.rows.tables.records, at[:RECORD_PREFIX_BYTES]):
            if key > at:
                break
            if not is_removed(version):
                kept.append(version)
        return kept

    def _drop_vectors(self, digest: str, kept: set[str]) -> None:
        if digest not in kept:
            for model in self._models:
                self._delete(self._view.rows.tables.vectors, vectors.key(self._view, model, digest))

    def _drop_edges(self, following: bytes) -> bytes | None:
        """Go through the tenant's ended edges from a key on; returns the key to go on at, None at their end."""
        view, table = self._view, self._view.rows.tables.past_edges
        while self.room > 0:
            page = list(islice(view.rows.scan(table, view.key, following), min(self.room, _PAGE)))
            if not page:
                return None
            for key, row in page:
                self.room -= 1
                following = key + b"\0"
                record_id = PAST_KEY.unpack(key)[1]
                if not self._is_mine(record_id):
                    following = ID_KEY.pack(view.key, record_id + 1)
                    break
                self._drop_edge(key, row)
        return following

    def _drop_edge(self, key: bytes, row: bytes) -> None:
        _, record_id, direction, relation, other, until = PAST_KEY.unpack(key)
        # Of an edge within the namespace the row at its source decides for both, so that none is counted twice.
        if until > self._place.horizon or (direction == INCOMING and self._is_mine(other)):
            return
        back = INCOMING if direction == OUTGOING else OUTGOING
        between = PAST_BETWEEN.pack(self._view.key, other, back, relation, record_id)
        twin = self._twin(between, PAST_ROW.unpack(row)[1])
        if twin is not None and PAST_KEY.unpack(twin)[5] > self._horizon_of(other):
            return
        self._counts["edges"] += 1
        for gone in (key,) if twin is None else (key, twin):
            self.room -= 1
            self._delete(self._view.rows.tables.past_edges, gone)

    def _twin(self, between: bytes, written: int) -> bytes | None:
        """The edge's row at the other end: of several between the same two, the one written at the same generation."""
        for key, row in self._view.rows.scan(self._view.rows.tables.past_edges, between):
            self.room -= 1
            if PAST_ROW.unpack(row)[1] == written:
                return key
        return None

    def _is_mine(self, record_id: int) -> bool:
        located = self._view.located(record_id)
        return located is not None and located[0].key == self._space.key

    def _horizon_of(self, record_id: int) -> int:
        """The horizon of a record's namespace; of one that was purged, that all is past."""
        if self._is_mine(record_id):
            return self._place.horizon
        known = self._horizons.get(record_id)
        if known is None:
            located = self._view.located(record_id)
            known = self._horizons[record_id] = _UNBOUNDED if located is None else located[0].horizon
        return known

    def _delete(self, table: _Database, key: bytes) -> bool:
        return self._view.rows.delete(table, key) if self._deletes else self._view.rows.has(table, key)


def _text_digest(version: bytes) -> str:
    return embedding_digest(embedding_text(decode_record(version, _NAMELESS, Generation(0))))
