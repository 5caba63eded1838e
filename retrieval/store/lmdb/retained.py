"""What turns were decided from, kept for an agent's newest turns: bytes that the shell encodes."""

from __future__ import annotations

from retrieval.store.lmdb import layout
from retrieval.store.lmdb.keys import encode_text, lookup_bytes, text_key
from retrieval.store.lmdb.layout import U64
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import AgentId, Turn


def put(view: TenantView, agent: AgentId, turn: Turn, encoded: bytes, keep: int) -> None:
    """Store a turn's inputs and drop all but those of the agent's newest `keep` turns."""
    within = view.settle_tenant() + text_key(encode_text("agent", agent))
    table = view.rows.tables.retained
    if keep > 0:
        view.rows.put(table, within + U64.pack(turn), encoded)
    held = _keys(view, within)
    for key in held[: max(0, len(held) - max(keep, 0))]:
        view.rows.delete(table, key)


def get(view: TenantView, agent: AgentId, turn: Turn) -> bytes | None:
    """What the turn was decided from, or None where it is not kept, or not any more."""
    raw = lookup_bytes(agent)
    if raw is None or not 0 <= turn <= layout.LARGEST_ID:
        return None
    return view.rows.get(view.rows.tables.retained, view.key + text_key(raw) + U64.pack(turn))


def turns(view: TenantView, agent: AgentId) -> tuple[Turn, ...]:
    """The turns that something is kept of, ascending."""
    raw = lookup_bytes(agent)
    if raw is None:
        return ()
    return tuple(Turn(U64.unpack(key[-U64.size :])[0]) for key in _keys(view, view.key + text_key(raw)))


def _keys(view: TenantView, within: bytes) -> list[bytes]:
    length = len(within) + U64.size
    return [key for key in view.rows.keys(view.rows.tables.retained, within) if len(key) == length]
