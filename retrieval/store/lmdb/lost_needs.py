"""Needs that were lost: mandatory edges that ended since what they need was removed, kept in sight until they are met.

A row says "this record needs that one" from either end. It goes when the edge begins again or is taken back, and with
the version that had the need: when the needing record is written anew or removed. No history is needed to know it.
"""

from __future__ import annotations

from itertools import islice

from retrieval.relations import NEEDED_BY_TARGET, Role
from retrieval.store.lmdb import relations
from retrieval.store.lmdb.layout import ADJACENT_KEY, INCOMING, LOST_KEY, OUTGOING
from retrieval.store.lmdb.view import TenantView


def needed_of(view: TenantView, source: int, relation: int, target: int) -> tuple[int, int] | None:
    """(who needs, who is needed) of a mandatory edge; None of another one."""
    known = relations.by_number(view, relation)
    if known is None or known.role is not Role.MANDATORY or source == target:
        return None
    return (target, source) if known.name in NEEDED_BY_TARGET else (source, target)


def note(view: TenantView, needing: int, needed: int, relation: int) -> None:
    """Say that what a record needs was removed. For writing."""
    for key in _keys(view, needing, needed, relation):
        view.rows.put(view.rows.tables.lost_needs, key, b"")


def found(view: TenantView, source: int, relation: int, target: int) -> None:
    """Say that an edge begins again, or is needed no longer. For writing."""
    table = view.rows.tables.lost_needs
    pair = needed_of(view, source, relation, target) if view.rows.count(table) else None
    if pair is not None:
        for key in _keys(view, pair[0], pair[1], relation):
            view.rows.delete(table, key)


def drop_of(view: TenantView, needing: int) -> None:
    """Forget what a record needed: it says something else now, or nothing. For writing."""
    table = view.rows.tables.lost_needs
    if not view.rows.count(table):
        return
    for key in list(view.rows.keys(table, ADJACENT_KEY.pack(view.key, needing, OUTGOING))):
        _erase(view, key)


def erase(view: TenantView, record_id: int, limit: int) -> int:
    """Delete rows at either end of a record; returns how many rows. For purging."""
    prefix = ADJACENT_KEY.pack(view.key, record_id, OUTGOING)[:-1]
    return sum(_erase(view, key) for key in list(islice(view.rows.keys(view.rows.tables.lost_needs, prefix), limit)))


def of(view: TenantView, needing: int, limit: int) -> list[int]:
    """Ids of the records that were needed, ascending, each once; at most `limit`."""
    prefix = ADJACENT_KEY.pack(view.key, needing, OUTGOING)
    needed: dict[int, None] = {}
    for key in view.rows.keys(view.rows.tables.lost_needs, prefix):
        needed[LOST_KEY.unpack(key)[3]] = None
        if len(needed) >= limit:
            break
    return list(needed)


def any_of(view: TenantView) -> bool:
    """True where the tenant has any."""
    key = view.rows.first_key(view.rows.tables.lost_needs, view.key)
    return key is not None and key.startswith(view.key)


def _keys(view: TenantView, needing: int, needed: int, relation: int) -> tuple[bytes, bytes]:
    return (
        LOST_KEY.pack(view.key, needing, OUTGOING, needed, relation),
        LOST_KEY.pack(view.key, needed, INCOMING, needing, relation),
    )


def _erase(view: TenantView, key: bytes) -> int:
    _, this, direction, other, relation = LOST_KEY.unpack(key)
    twin = LOST_KEY.pack(view.key, other, INCOMING if direction == OUTGOING else OUTGOING, this, relation)
    table = view.rows.tables.lost_needs
    return view.rows.delete(table, key) + view.rows.delete(table, twin)
