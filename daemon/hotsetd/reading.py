"""Use case Resolve: the exact text behind a ref, at a cut, in pieces that fit a reply. It moves nothing."""

from __future__ import annotations

from dataclasses import replace

from hotsetd import limits
from hotsetd.agents import Agents
from hotsetd.answers import ResolveAnswer, Resolved
from hotsetd.calls import Caller, ResolveCall
from hotsetd.config import LimitSettings
from hotsetd.standing import standing_of
from retrieval.errors import BadField, UnknownRef
from retrieval.record import Record
from retrieval.store.interface import Snapshot, Store
from workingset.entry import GOAL_NAMESPACE, REQUEST_NAMESPACE, Pin
from workingset.vocabulary import Cut, Digest, Generation, Namespace, Ref, Standing

_OWN_WORDS = frozenset({GOAL_NAMESPACE, REQUEST_NAMESPACE})


class Reading:
    """Reads records by ref. Safe from any thread."""

    def __init__(self, store: Store, agents: Agents, settings: LimitSettings) -> None:
        self._store = store
        self._agents = agents
        self._settings = settings

    def resolve(self, caller: Caller, call: ResolveCall) -> ResolveAnswer:
        """Return the records in the order asked while they fit; raises UnknownRef, CutExpired or BadField."""
        refs = limits.refs("refs", call.refs, self._settings)
        if call.offset_bytes and len(refs) > 1:
            raise BadField("offset_bytes", "goes with a single ref")
        room = call.max_bytes or self._settings.resolve_bytes
        if room > self._settings.resolve_bytes_limit:
            raise BadField("max_bytes", f"is {room}: at most {self._settings.resolve_bytes_limit}")
        with self._store.snapshot(caller.tenant) as txn:
            cut = self._cut(txn, refs, call)
            found: list[Resolved] = []
            for place, ref in enumerate(refs):
                if found and room <= 0:
                    return ResolveAnswer(records=tuple(found), remaining=refs[place:], cut=cut)
                resolved = self._one(txn, ref, call, cut, room)
                found.append(resolved)
                room -= len(resolved.text.encode())
        return ResolveAnswer(records=tuple(found), remaining=(), cut=cut)

    def _cut(self, txn: Snapshot, refs: tuple[Ref, ...], call: ResolveCall) -> Cut:
        if not call.cut:
            return txn.cut(sorted({Namespace(ref.partition(":")[0]) for ref in refs} - _OWN_WORDS))
        limits.reached(txn, call.cut)
        return Cut.of({Namespace(name): Generation(generation) for name, generation in call.cut})

    def _one(self, txn: Snapshot, ref: Ref, call: ResolveCall, cut: Cut, room: int) -> Resolved:
        namespace = Namespace(ref.partition(":")[0])
        if namespace in _OWN_WORDS:
            return _piece(self._own_words(txn, ref, call), call.offset_bytes, room)
        at = cut.at(namespace)
        record = txn.record(ref, at) if at is not None else None
        if record is None:
            raise UnknownRef(ref)
        return _piece(_resolved(record, *standing_of(txn, record, at)), call.offset_bytes, room)

    def _own_words(self, txn: Snapshot, ref: Ref, call: ResolveCall) -> Resolved:
        if not call.agent:
            raise BadField("agent", f"is needed for {ref!r}: goals and requests belong to one agent")
        _, state = self._agents.load(txn, limits.agent_id(call.agent, self._settings))
        pin = state.pin(ref)
        if pin is None:
            raise UnknownRef(ref)
        return _of_pin(pin)


def _resolved(record: Record, standing: Standing, successor: Ref | None) -> Resolved:
    return Resolved(
        ref=record.ref,
        namespace=record.namespace,
        kind=record.kind,
        title=record.title,
        text=record.text,
        generation=record.generation,
        digest=record.digest,
        standing=standing,
        successor=successor,
        total_bytes=len(record.text.encode()),
        path=record.path,
        lines=record.lines,
        outline=record.outline,
        gist=record.gist,
        attributes=record.attributes,
        retrieved_seconds=record.retrieved_seconds,
        verified_seconds=record.verified_seconds,
        validator=record.validator,
    )


def _of_pin(pin: Pin) -> Resolved:
    return Resolved(
        ref=pin.ref,
        namespace=Namespace(pin.ref.partition(":")[0]),
        kind=pin.owner.value,
        title=pin.owner.value,
        text=pin.text,
        generation=Generation(0),
        digest=Digest(pin.ref.partition(":")[2]),
        standing=Standing.CURRENT,
        total_bytes=len(pin.text.encode()),
    )


def _piece(resolved: Resolved, offset: int, room: int) -> Resolved:
    whole = resolved.text.encode()
    if offset > len(whole):
        raise BadField("offset_bytes", f"is {offset}: the text has {len(whole)} bytes")
    end = min(len(whole), offset + max(1, room))
    # Widen to whole characters: a piece that ends inside one could not be sent.
    while end < len(whole) and whole[end] & 0xC0 == 0x80:
        end += 1
    if offset < len(whole) and whole[offset] & 0xC0 == 0x80:
        raise BadField("offset_bytes", "lies inside a character: take it from next_offset_bytes")
    following = end if end < len(whole) else 0
    return replace(resolved, text=whole[offset:end].decode(), next_offset_bytes=following)
