"""Conversations: turns, each a record that `follows` the one before, in the order in which they are sent.

Turns may be added at any time: what is new goes behind the last one of its conversation, and the one before it is
written again, since it is searched by what follows it too. A turn sent again keeps its place and its ref; its
neighbours are written again where its words changed. What the host knows of a turn is kept as attributes
(`retrieval.ingest.turn_records`). A new session begins where the host names another, or after a gap in time.

Turns are prepared outside the transaction (`prepare_turns`): all is checked, secrets are taken out and dates in words
are read. In it (`write_turns`) they get their places and their neighbours' words. What raises leaves the transaction to
be thrown away whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from retrieval.errors import BadField
from retrieval.ingest.changes import Written
from retrieval.ingest.digests import local_name
from retrieval.ingest.guards import Reason
from retrieval.ingest.settings import ConversationSettings, IngestSettings
from retrieval.ingest.turn_checks import check_turn
from retrieval.ingest.turn_records import (
    TURN_PREFIX,
    MadeTurn,
    TurnInput,
    TurnPlace,
    at_place,
    attribute,
    make_turn,
    turn_ref,
    with_neighbours,
)
from retrieval.record import TURN_KIND, Edge, Record
from retrieval.relations import BUILT_IN
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Namespace, Ref

FOLLOWS: Final = "follows"
_MARK: Final = "conversation.2/"
"""Begins the names of marks that hold a `Tail`; another number where its fields change."""


class Tail(msgspec.Struct, array_like=True, frozen=True):
    """Where a conversation ends: its last turns, some of which may be removed, in order; how many it has had, its
    sessions, and when it was last spoken."""

    last: tuple[str, ...] = ()
    position: int = 0
    sessions: int = 0
    session: str = ""
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class PreparedTurns:
    """Turns of one namespace, checked and made, in the order in which they were sent."""

    namespace: Namespace
    made: tuple[MadeTurn, ...]
    settings: ConversationSettings


def prepare_turns(
    namespace: Namespace, turns: Sequence[TurnInput], source: str, settings: IngestSettings | None = None
) -> PreparedTurns:
    """Check turns and make their records. Raises BadField naming the field, as in `turns[3].speaker`."""
    chosen = settings or IngestSettings()
    places: dict[Ref, int] = {}
    for at, turn in enumerate(turns):
        check_turn(turn, f"turns[{at}]", chosen.typed)
        ref = turn_ref(namespace, turn.conversation, turn.turn)
        if ref in places:
            raise BadField(f"turns[{at}].turn", f"is the same turn as turns[{places[ref]}]")
        places[ref] = at
    made = tuple(make_turn(namespace, source, turn, chosen) for turn in turns)
    return PreparedTurns(namespace, made, chosen.conversations)


def write_turns(txn: WriteTransaction, prepared: PreparedTurns) -> tuple[Written, tuple[Ref, ...]]:
    """Write turns; return what changed and their refs in order.

    Raises BadField where something else has the ref of a turn.
    """
    by_conversation: dict[str, list[tuple[int, MadeTurn]]] = {}
    for at, made in enumerate(prepared.made):
        by_conversation.setdefault(made.given.conversation, []).append((at, made))
    written = Written()
    for conversation, own in by_conversation.items():
        written = written.plus(_Conversation(txn, prepared, conversation).put(own))
    return written, tuple(made.record.ref for made in prepared.made)


def put_turns(
    txn: WriteTransaction,
    namespace: Namespace,
    turns: Sequence[TurnInput],
    source: str,
    settings: IngestSettings | None = None,
) -> tuple[Written, tuple[Ref, ...]]:
    """Prepare turns and write them at once, for callers that nobody waits for."""
    return write_turns(txn, prepare_turns(namespace, turns, source, settings))


def turns_beside(txn: Snapshot, namespace: Namespace, refs: Iterable[Ref]) -> tuple[Ref, ...]:
    """The turns that have words of these beside them and are not among them; to be asked before these are removed."""
    gone = [ref for ref in refs if ref.startswith(f"{namespace}:{TURN_PREFIX}")]
    near: dict[Ref, None] = {}
    for ref in gone:
        after = _following(txn, ref, 1)
        later = [each for next_turn in after for each in _following(txn, next_turn, 1)]
        near.update(dict.fromkeys(_following(txn, ref, -1) + after + later))
    return tuple(ref for ref in near if ref not in set(gone))


def listen_again(txn: WriteTransaction, refs: Iterable[Ref], settings: ConversationSettings) -> None:
    """Write turns anew with the neighbours that they have now: a removed turn's words find nothing any more."""
    for ref in refs:
        record = _live(txn, ref)
        if record is None:
            continue
        before, after = (_next_live(txn, ref, side) for side in (-1, 1))
        earlier = _next_live(txn, before.ref, -1) if before is not None else None
        txn.put_record(with_neighbours(record, (earlier, before), after, settings.neighbour_characters))


def _following(txn: Snapshot, ref: Ref, side: int) -> list[Ref]:
    """The turns that the turn follows (-1), or that follow it (1)."""
    own = f"{ref.partition(':')[0]}:{TURN_PREFIX}"
    if side < 0:
        found = [each.edge.target for each in txn.edges_from(ref) if each.edge.relation == FOLLOWS]
    else:
        found = [each.edge.source for each in txn.edges_to(ref) if each.edge.relation == FOLLOWS]
    return sorted(each for each in found if each.startswith(own))


def _next_live(txn: Snapshot, ref: Ref, side: int) -> Record | None:
    found = (_live(txn, each) for each in _following(txn, ref, side))
    return next((record for record in found if record is not None), None)


def _live(txn: Snapshot, ref: Ref) -> Record | None:
    record = txn.record(ref)
    return None if record is None or record.removed else record


class _Conversation:
    """One conversation in one transaction. Neighbours are looked up in what is new first, then in the store."""

    def __init__(self, txn: WriteTransaction, prepared: PreparedTurns, name: str) -> None:
        self._txn = txn
        self._namespace = prepared.namespace
        self._settings = prepared.settings
        self._mark = f"{_MARK}{local_name(name)}"
        kept = txn.mark(self._mark, self._namespace)
        self._tail = Tail() if kept is None else msgspec.msgpack.decode(kept, type=Tail)
        self._known: dict[Ref, Record | None] = {}
        self._before: dict[Ref, Ref | None] = {}
        self._after: dict[Ref, Ref | None] = {}
        self._reasons: Counter[str] = Counter()

    def put(self, turns: Sequence[tuple[int, MadeTurn]]) -> Written:
        """Write the turns in order, and those beside them."""
        stale: dict[Ref, None] = {}
        edges: list[Edge] = []
        stored: dict[Ref, Record | None] = {}
        for at, turn in turns:
            ref = turn.record.ref
            known = stored[ref] = self._live(ref)
            if known is not None and known.kind != TURN_KIND:
                raise BadField(f"turns[{at}].turn", f"{ref} is a record of kind {known.kind!r}: remove it first")
            edges += self._place(turn, known)
            after = self._neighbour(ref, 1)
            near = (self._neighbour(ref, -1), ref, after, self._neighbour(after, 1) if after else None)
            stale.update(dict.fromkeys(each for each in near if each))
        written = sum(self._write(ref, stored.get(ref)) for ref in stale)
        begun = sum(self._txn.put_edge(edge) for edge in edges)
        self._txn.put_mark(self._mark, msgspec.msgpack.encode(self._tail), self._namespace)
        return Written(records_written=written, edges_written=begun, reasons=tuple(sorted(self._reasons.items())))

    def _place(self, made: MadeTurn, known: Record | None) -> list[Edge]:
        """Give a turn its place: where it was, or behind the last one, which it then follows."""
        turn, ref = made.given, made.record.ref
        self._reasons.update(dict(made.reasons))
        if known is not None:
            place = TurnPlace(int(attribute(known, "position")), turn.session or attribute(known, "session"))
            self._known[ref] = at_place(made.record, place)
            return []
        tail = self._tail
        starts = bool(turn.session) and turn.session != tail.session
        if not turn.session:
            gap = turn.seconds - tail.seconds if turn.seconds and tail.seconds else 0
            starts = not tail.position or gap > self._settings.session_gap_seconds
        sessions = tail.sessions + starts
        session = turn.session or (str(sessions) if starts else tail.session)
        last = next((each for each in map(Ref, reversed(tail.last)) if self._is_turn(each)), None)
        self._known[ref] = at_place(made.record, TurnPlace(tail.position + 1, session))
        lasts = (*tail.last, ref)[-self._settings.last_turns :]
        self._tail = Tail(lasts, tail.position + 1, sessions, session, turn.seconds or tail.seconds)
        self._before[ref], self._after[ref] = last, None
        if last is None:
            return []
        self._after[last] = ref
        return [Edge(ref, FOLLOWS, last, BUILT_IN[FOLLOWS])]

    def _write(self, ref: Ref, earlier: Record | None) -> bool:
        record = self._live(ref)
        if record is None:
            return False
        before = self._neighbour(ref, -1)
        refs = (self._neighbour(before, -1) if before else None, before, self._neighbour(ref, 1))
        near = [None if beside is None else self._live(beside) for beside in refs]
        room = self._settings.neighbour_characters
        self._reasons[Reason.NEIGHBOURS_CUT.value] += sum(len(each.text) > room for each in near if each is not None)
        full = with_neighbours(record, near[:-1], near[-1], room)
        return self._txn.put_record(full) != (earlier or record).generation

    def _neighbour(self, ref: Ref, side: int) -> Ref | None:
        """The turn before (-1) or after (1)."""
        held = self._before if side < 0 else self._after
        if ref not in held:
            held[ref] = next(iter(_following(self._txn, ref, side)), None)
        return held[ref]

    def _is_turn(self, ref: Ref) -> bool:
        record = self._live(ref)
        return record is not None and record.kind == TURN_KIND

    def _live(self, ref: Ref) -> Record | None:
        if ref not in self._known:
            self._known[ref] = _live(self._txn, ref)
        return self._known[ref]
