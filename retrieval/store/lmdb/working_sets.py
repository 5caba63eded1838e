"""Working sets under claims, receipts and answers to idempotency keys: all bytes that the shell encodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.errors import BadField, ClaimLost
from retrieval.store.interface import Claim, Forgotten, StoredSet
from retrieval.store.lmdb import layout
from retrieval.store.lmdb.keys import LARGEST_KEY_BYTES, digest_of, encode_text, lookup_bytes, text_key
from retrieval.store.lmdb.layout import SET_ROW, TWO_COUNTS, U64
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import AgentId, Epoch, Turn

if TYPE_CHECKING:
    from lmdb import _Database

_FIRST = U64.pack(0)


def get(view: TenantView, agent: AgentId) -> StoredSet | None:
    """The agent's working set, or None."""
    raw = lookup_bytes(agent)
    if raw is None or len(raw) > LARGEST_KEY_BYTES - 4:
        return None
    row = view.rows.get(view.rows.tables.sets, view.key + raw)
    if row is None:
        return None
    epoch, turn, revision = SET_ROW.unpack_from(row)
    return StoredSet(Claim(agent, Epoch(epoch), Turn(turn), revision), row[SET_ROW.size :])


def save(view: TenantView, claim: Claim, epoch: Epoch, turn: Turn, encoded: bytes) -> Claim:
    """Save over the state that the claim names; raises ClaimLost where it moved on."""
    raw = encode_text("agent", claim.agent)
    if len(raw) > LARGEST_KEY_BYTES - 4:
        raise BadField("agent", f"an agent's name takes at most {LARGEST_KEY_BYTES - 4} bytes; this has {len(raw)}")
    _check_counts(epoch=epoch, turn=turn)
    stored = get(view, claim.agent)
    if stored is None and claim.revision:
        raise ClaimLost(f"the claim on {claim.agent!r} names revision {claim.revision}, and no working set is stored")
    if stored is not None and stored.claim != claim:
        raise ClaimLost(
            f"the working set of {claim.agent!r} is at epoch {stored.claim.epoch}, turn {stored.claim.turn}, revision "
            f"{stored.claim.revision}; the claim names {claim.epoch}, {claim.turn}, {claim.revision}"
        )
    before = view.floor(layout.REVISION_FLOOR_KEY) if stored is None else claim.revision
    moved = Claim(claim.agent, epoch, turn, before + 1)
    row = SET_ROW.pack(epoch, turn, moved.revision) + encoded
    view.rows.put(view.rows.tables.sets, view.settle_tenant() + raw, row)
    return moved


def agents(view: TenantView, after: AgentId | None, limit: int) -> list[AgentId]:
    """Agents that have a working set, in name order, after the given one."""
    raw = b"" if after is None else after.encode(errors="surrogatepass")
    start = view.key + raw[: LARGEST_KEY_BYTES - 4]
    found: list[AgentId] = []
    if limit <= 0:
        return found
    for key, _ in view.rows.scan(view.rows.tables.sets, view.key, start):
        name = AgentId(key[4:].decode())
        if after is not None and name <= after:
            continue
        found.append(name)
        if len(found) == limit:
            break
    return found


def receipt(view: TenantView, agent: AgentId, turn: Turn) -> bytes | None:
    """The receipt of an agent's turn, or None."""
    raw = lookup_bytes(agent)
    if raw is None or not 0 <= turn <= layout.LARGEST_ID:
        return None
    return view.rows.get(view.rows.tables.receipts, view.key + text_key(raw) + U64.pack(turn))


def put_receipt(view: TenantView, agent: AgentId, turn: Turn, encoded: bytes) -> None:
    """Store a turn's receipt, over an older one."""
    raw = encode_text("agent", agent)
    _check_counts(turn=turn)
    key = view.settle_tenant() + text_key(raw) + U64.pack(turn)
    view.rows.put(view.rows.tables.receipts, key, encoded)


def answered(view: TenantView, agent: AgentId, request_id: str) -> bytes | None:
    """The answer kept for an idempotency key, or None."""
    agent_raw, request_raw = lookup_bytes(agent), lookup_bytes(request_id)
    if agent_raw is None or request_raw is None:
        return None
    row = view.rows.get(view.rows.tables.answers, view.key + text_key(agent_raw) + digest_of(request_raw))
    return None if row is None else row[U64.size :]


def put_answer(view: TenantView, agent: AgentId, request_id: str, encoded: bytes, keep: int) -> None:
    """Store an answer as the agent's newest and drop all but the newest `keep`."""
    request = digest_of(encode_text("request_id", request_id))
    within = text_key(encode_text("agent", agent))
    within = view.settle_tenant() + within
    answers, order = view.rows.tables.answers, view.rows.tables.answer_order
    row = view.rows.get(order, within + _FIRST)
    sequence, kept = TWO_COUNTS.unpack(row) if row is not None else (0, 0)
    sequence += 1
    older = view.rows.get(answers, within + request)
    if older is not None:
        view.rows.delete(order, within + older[: U64.size])
        kept -= 1
    view.rows.put(answers, within + request, U64.pack(sequence) + encoded)
    view.rows.put(order, within + U64.pack(sequence), request)
    kept += 1
    while kept > max(keep, 0):
        oldest = next(view.rows.scan(order, within, within + U64.pack(1)))
        view.rows.delete(order, oldest[0])
        view.rows.delete(answers, within + oldest[1])
        kept -= 1
    view.rows.put(order, within + _FIRST, TWO_COUNTS.pack(sequence, kept))


def drop(view: TenantView, claim: Claim) -> None:
    """Delete the set that the claim names, but its revision; raises ClaimLost where it moved on."""
    stored = get(view, claim.agent)
    if stored is None or stored.claim != claim:
        raise ClaimLost(f"the working set of {claim.agent!r} is not at revision {claim.revision}")
    view.raise_floor(layout.REVISION_FLOOR_KEY, claim.revision)
    view.rows.delete(view.rows.tables.sets, view.key + encode_text("agent", claim.agent))


def forget(view: TenantView, agent: AgentId) -> Forgotten:
    """Delete all that is kept of an agent, but the largest revision that any forgotten set had."""
    raw = lookup_bytes(agent)
    if raw is None:
        return Forgotten()
    tables, within = view.rows.tables, view.key + text_key(raw)
    stored = get(view, agent)
    if stored is not None:
        view.raise_floor(layout.REVISION_FLOOR_KEY, stored.claim.revision)
        view.rows.delete(tables.sets, view.key + raw)
    receipts = _delete_under(view, tables.receipts, within, U64.size)
    kept = _delete_under(view, tables.retained, within, U64.size)
    answers = _delete_under(view, tables.answers, within, len(digest_of(b"")))
    _delete_under(view, tables.answer_order, within, U64.size)
    return Forgotten(int(stored is not None), receipts, answers, kept)


def _delete_under(view: TenantView, table: _Database, within: bytes, rest: int) -> int:
    """Delete the rows whose key is a complete text key and so many bytes more; those of longer texts stay."""
    keys = [key for key, _ in view.rows.scan(table, within) if len(key) == len(within) + rest]
    return sum(view.rows.delete(table, key) for key in keys)


def _check_counts(**counts: int) -> None:
    for field, count in counts.items():
        if not 0 <= count <= layout.LARGEST_ID:
            raise BadField(field, f"{count} is not a count of 63 bits")
