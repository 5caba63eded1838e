"""Conversations: turns, each a record that `follows` the one before, in the order in which they are sent.

Turns may be added at any time: what is new goes behind the last one of its conversation, and the one before it is
written again, since it is searched by what follows it too. A turn sent again keeps its place and its ref; its
neighbours are written again where its words changed. What the host knows of a turn is kept as attributes
(`retrieval.ingest.turn_records`). A new session begins where the host names another, or after a gap in time.

All is checked before anything is written; what raises leaves the transaction to be thrown away whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from retrieval.errors import BadField
from retrieval.ingest.changes import Written
from retrieval.ingest.digests import local_name
from retrieval.ingest.settings import ConversationSettings, IngestSettings
from retrieval.ingest.turn_checks import check_turn
from retrieval.ingest.turn_records import (
    TURN_PREFIX,
    TurnInput,
    TurnPlace,
    attribute,
    make_turn,
    turn_ref,
    with_neighbours,
)
from retrieval.record import Edge, Record
from retrieval.relations import BUILT_IN
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Namespace, Ref

FOLLOWS: Final = "follows"
NEIGHBOURS_CUT: Final = "neighbours_cut"


class Tail(msgspec.Struct, array_like=True, frozen=True):
    """Where a conversation ends: its last turn, how many it has had, its sessions, and when it was last spoken."""

    last: str = ""
    position: int = 0
    sessions: int = 0
    session: str = ""
    seconds: int = 0


def put_turns(
    txn: WriteTransaction,
    namespace: Namespace,
    turns: Sequence[TurnInput],
    source: str,
    settings: IngestSettings | None = None,
) -> tuple[Written, tuple[Ref, ...]]:
    """Write the turns; return what changed and their refs in order.

    Raises BadField naming the field, as in `turns[3].speaker`.
    """
    chosen = settings or IngestSettings()
    places: dict[Ref, int] = {}
    for at, turn in enumerate(turns):
        check_turn(turn, f"turns[{at}]", chosen.typed)
        ref = turn_ref(namespace, turn.conversation, turn.turn)
        if ref in places:
            raise BadField(f"turns[{at}].turn", f"is the same turn as turns[{places[ref]}]")
        places[ref] = at
    by_conversation: dict[str, list[TurnInput]] = {}
    for turn in turns:
        by_conversation.setdefault(turn.conversation, []).append(turn)
    written = Written()
    for conversation, own in by_conversation.items():
        written = written.plus(_Conversation(txn, namespace, source, conversation, chosen).put(own))
    return written, tuple(places)


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

    def __init__(
        self, txn: WriteTransaction, namespace: Namespace, source: str, name: str, settings: IngestSettings
    ) -> None:
        self._txn = txn
        self._namespace = namespace
        self._source = source
        self._settings = settings
        self._mark = f"conversation/{local_name(name)}"
        kept = txn.mark(self._mark, namespace)
        self._tail = Tail() if kept is None else msgspec.msgpack.decode(kept, type=Tail)
        self._known: dict[Ref, Record | None] = {}
        self._before: dict[Ref, Ref | None] = {}
        self._after: dict[Ref, Ref | None] = {}
        self._reasons: Counter[str] = Counter()

    def put(self, turns: Sequence[TurnInput]) -> Written:
        """Write the turns in order, and those beside them."""
        stale: dict[Ref, None] = {}
        edges: list[Edge] = []
        stored: dict[Ref, Record | None] = {}
        for turn in turns:
            ref = turn_ref(self._namespace, turn.conversation, turn.turn)
            stored[ref] = self._live(ref)
            edges += self._place(turn, ref)
            after = self._neighbour(ref, 1)
            near = (self._neighbour(ref, -1), ref, after, self._neighbour(after, 1) if after else None)
            stale.update(dict.fromkeys(each for each in near if each))
        written = sum(self._write(ref, stored.get(ref)) for ref in stale)
        begun = sum(self._txn.put_edge(edge) for edge in edges)
        self._txn.put_mark(self._mark, msgspec.msgpack.encode(self._tail), self._namespace)
        return Written(records_written=written, edges_written=begun, reasons=tuple(sorted(self._reasons.items())))

    def _place(self, turn: TurnInput, ref: Ref) -> list[Edge]:
        """Make the record of a turn: where it was, or behind the last one, which it then follows."""
        known = self._live(ref)
        if known is not None:
            place = TurnPlace(int(attribute(known, "position")), turn.session or attribute(known, "session"))
            self._make(turn, place)
            return []
        tail = self._tail
        starts = bool(turn.session) and turn.session != tail.session
        if not turn.session:
            gap = turn.seconds - tail.seconds if turn.seconds and tail.seconds else 0
            starts = not tail.position or gap > self._settings.conversations.session_gap_seconds
        sessions = tail.sessions + starts
        session = turn.session or (str(sessions) if starts else tail.session)
        last = Ref(tail.last) if tail.last and self._live(Ref(tail.last)) is not None else None
        self._make(turn, TurnPlace(tail.position + 1, session))
        self._tail = Tail(ref, tail.position + 1, sessions, session, turn.seconds or tail.seconds)
        self._before[ref], self._after[ref] = last, None
        if last is None:
            return []
        self._after[last] = ref
        return [Edge(ref, FOLLOWS, last, BUILT_IN[FOLLOWS])]

    def _make(self, turn: TurnInput, place: TurnPlace) -> None:
        record, reasons = make_turn(self._namespace, self._source, turn, place, self._settings)
        self._known[record.ref] = record
        self._reasons.update(dict(reasons))

    def _write(self, ref: Ref, earlier: Record | None) -> bool:
        record = self._live(ref)
        if record is None:
            return False
        before = self._neighbour(ref, -1)
        refs = (self._neighbour(before, -1) if before else None, before, self._neighbour(ref, 1))
        near = [None if beside is None else self._live(beside) for beside in refs]
        room = self._settings.conversations.neighbour_characters
        self._reasons[NEIGHBOURS_CUT] += sum(len(each.text) > room for each in near if each is not None)
        full = with_neighbours(record, near[:-1], near[-1], room)
        return self._txn.put_record(full) != (earlier or record).generation

    def _neighbour(self, ref: Ref, side: int) -> Ref | None:
        """The turn before (-1) or after (1)."""
        held = self._before if side < 0 else self._after
        if ref not in held:
            held[ref] = next(iter(_following(self._txn, ref, side)), None)
        return held[ref]

    def _live(self, ref: Ref) -> Record | None:
        if ref not in self._known:
            self._known[ref] = _live(self._txn, ref)
        return self._known[ref]
