"""Focus, Check and Status: answers to messages."""

from __future__ import annotations

from collections.abc import Sequence

from hotset.v1 import attention_pb2 as pb
from hotsetd.answers import CheckAnswer, FocusAnswer, StatusAnswer
from hotsetd.wire import common
from hotsetd.wire.evaluation import coverage, drift, ignored, over_budget, sufficiency
from workingset.budget import Ledger, ledger
from workingset.delivery import Change, DeltaEntry
from workingset.entry import Entry, Pin, PinOwner
from workingset.heat import heat_at
from workingset.rendering import Segment
from workingset.settings import HeatSettings
from workingset.tier import Move
from workingset.transitions.refresh import PinReport
from workingset.vocabulary import Tokens, Turn
from workingset.working_set import FaultCounts, WorkingSet

CHANGES: dict[Change, pb.Change.ValueType] = {
    Change.NEW: pb.CHANGE_NEW,
    Change.UPDATED: pb.CHANGE_UPDATED,
    Change.REMOVED: pb.CHANGE_REMOVED,
}
OWNERS: dict[PinOwner, pb.PinOwner.ValueType] = {
    PinOwner.HOST: pb.PIN_OWNER_HOST,
    PinOwner.AGENT: pb.PIN_OWNER_AGENT,
    PinOwner.GOAL: pb.PIN_OWNER_GOAL,
    PinOwner.REQUEST: pb.PIN_OWNER_REQUEST,
}


class FocusWire:
    """Encodes what Focus, Check and Status answer."""

    def __init__(
        self,
        versions: common.Versions,
        heat: HeatSettings,
        *,
        estimated: bool,
        ghosts_listed: int,
        default_budget: Tokens,
    ) -> None:
        self._versions = versions
        self._heat = heat
        self._estimated = estimated
        self._ghosts_listed = ghosts_listed
        self._default_budget = default_budget

    def focus(self, answer: FocusAnswer, *, delta_only: bool, replayed: bool) -> pb.FocusReply:
        """One turn. With `delta_only` the block and its segments stay out."""
        outcome, state = answer.outcome, answer.outcome.state
        over = outcome.over_budget
        return pb.FocusReply(
            agent=state.agent,
            epoch=state.epoch,
            turn=state.turn,
            answer=pb.ANSWER_OVER_BUDGET if over else pb.ANSWER_OK,
            items=self._items(state, () if delta_only else outcome.block.segments),
            block="" if delta_only else outcome.block.text,
            delta=delta(outcome.delta, state, outcome.from_nothing),
            ignored=ignored(outcome.ignored),
            sufficiency=sufficiency(outcome.sufficiency),
            drift=drift(outcome.drift),
            coverage=coverage(answer.coverage, state),
            budget=self._budget(outcome.ledger),
            over_budget=over_budget(over),
            moves=moves(outcome.moves),
            filtering_reason=common.nothing(outcome.nothing),
            degraded=answer.coverage.degraded,
            receipt=state.last_receipt,
            receipt_digest=answer.receipt_digest,
            cut=common.cut(answer.coverage.cut),
            versions=self._versions.message(answer.coverage.profile),
            model_calls=answer.coverage.model_calls,
            embedding_calls=answer.coverage.embedding_calls,
            replayed=replayed,
            prefix_stable=outcome.prefix_stable,
            pin_reports=[pin_report(report) for report in outcome.pin_reports],
            steps=[pb.Step(name=name, milliseconds=ms) for name, ms in answer.timings_ms],
            undo_offered=state.undo is not None,
        )

    def check(self, answer: CheckAnswer) -> pb.CheckReply:
        """The evaluation alone."""
        return pb.CheckReply(
            agent=answer.state.agent,
            turn=answer.state.turn,
            answer=pb.ANSWER_OVER_BUDGET if answer.over_budget else pb.ANSWER_OK,
            sufficiency=sufficiency(answer.sufficiency),
            ignored=ignored(answer.ignored),
            drift=drift(answer.drift),
            coverage=coverage(answer.coverage, answer.evaluated),
            over_budget=over_budget(answer.over_budget),
            filtering_reason=common.nothing(answer.nothing),
            degraded=answer.coverage.degraded,
            cut=common.cut(answer.coverage.cut),
            versions=self._versions.message(answer.coverage.profile),
            model_calls=answer.coverage.model_calls,
            embedding_calls=answer.coverage.embedding_calls,
            pin_reports=[pin_report(report) for report in answer.pin_reports],
        )

    def status(self, answer: StatusAnswer) -> pb.StatusReply:
        """The set as stored."""
        state = answer.state
        goal, request = state.goal, state.request
        return pb.StatusReply(
            agent=state.agent,
            epoch=state.epoch,
            turn=state.turn,
            goal=goal.text if goal else "",
            items=self._items(state, ()),
            pins=[pin(p, state) for p in state.pins],
            ghosts=[
                pb.Ghost(ref=g.ref, evicted_turn=g.evicted_turn, reason=g.reason, heat=g.heat, title=g.title)
                for g in reversed(state.ghosts[-self._ghosts_listed :])
            ],
            ghost_count=len(state.ghosts),
            budget=self._budget(ledger(state.budget or self._default_budget, _standing_tokens(state), state.entries)),
            drift=drift(state.drift) if state.drift else None,
            faults=faults(state.faults),
            cut=common.cut(answer.cut),
            versions=self._versions.message(),
            state_digest=answer.state_digest,
            last_receipt=state.last_receipt,
            user_request=request.text if request else "",
            lineage=state.lineage,
            undo_offered=state.undo is not None,
            reset_reason=state.reset_reason,
        )

    def _items(self, state: WorkingSet, segments: Sequence[Segment]) -> list[pb.Item]:
        places: dict[str, pb.Segment] = {}
        start = 0
        for segment in segments:
            size = len(segment.text.encode())
            places[segment.ref] = pb.Segment(start_byte=start, bytes=size, digest=segment.digest)
            start += size
        return [self._item(entry, state.turn, places.get(entry.ref)) for entry in state.entries]

    def _item(self, entry: Entry, turn: Turn, place: pb.Segment | None) -> pb.Item:
        return pb.Item(
            ref=entry.ref,
            namespace=entry.namespace,
            kind=entry.kind,
            title=entry.title,
            path=entry.path,
            lines=common.lines(entry.lines),
            tier=common.TIERS[entry.tier],
            fidelity=common.FIDELITIES[entry.fidelity],
            tokens=entry.tokens,
            heat=heat_at(entry, turn, self._heat),
            relevance=entry.relevance,
            reason=entry.reason,
            generation=entry.generation,
            digest=entry.digest,
            standing=common.STANDINGS[entry.standing],
            successor=entry.successor or "",
            freshness=common.FRESHNESSES[entry.freshness],
            required_by=entry.required_by,
            closure=common.CLOSURES[entry.closure],
            lanes=entry.lanes,
            admitted_turn=entry.admitted_turn,
            segment=place,
        )

    def _budget(self, spent: Ledger) -> pb.Budget:
        return pb.Budget(
            ceiling_tokens=spent.ceiling,
            used_tokens=spent.used,
            pinned_tokens=spent.pinned,
            mandatory_tokens=spent.mandatory,
            resident_tokens=spent.resident,
            frontier_tokens=spent.frontier,
            estimated=self._estimated,
        )


def _standing_tokens(state: WorkingSet) -> Tokens:
    return Tokens(sum(entry.tokens for entry in state.entries))


def move(value: Move) -> pb.Move:
    """One change of tier."""
    return pb.Move(
        ref=value.ref,
        to=common.TIERS[value.target],
        reason=value.reason,
        title=value.title,
        **{"from": common.TIERS[value.origin]},
    )


def moves(values: Sequence[Move]) -> list[pb.Move]:
    """Changes of tier, in order."""
    return [move(value) for value in values]


def pin(value: Pin, state: WorkingSet) -> pb.Pin:
    """A pin with the title and size of its entry."""
    entry = state.entry(value.ref)
    return pin_message(value, entry.title if entry else "", entry.tokens if entry else 0)


def pin_message(value: Pin, title: str, tokens: int) -> pb.Pin:
    """A pin."""
    return pb.Pin(
        ref=value.ref,
        owner=OWNERS[value.owner],
        reason=value.reason,
        expires_turn=value.expires_turn,
        pinned_turn=value.pinned_turn,
        title=title,
        tokens=tokens,
        expires_with_epoch=value.epoch is not None,
        expires_at_seconds=value.expires_seconds,
        follow_successor=value.follow_successor,
    )


def pin_report(value: PinReport) -> pb.PinReport:
    """A pin whose record is not current."""
    return pb.PinReport(
        ref=value.ref,
        standing=common.STANDINGS[value.standing],
        successor=value.successor or "",
        what_to_do=value.what_to_do,
        replaced_by=value.replaced_by or "",
    )


def delta(entries: Sequence[DeltaEntry], state: WorkingSet, from_nothing: bool) -> pb.Delta:
    """Every changed segment with its text."""
    changed = {entry.ref for entry in entries if entry.change is not Change.REMOVED}
    return pb.Delta(
        entries=[
            pb.DeltaEntry(
                ref=entry.ref,
                change=CHANGES[entry.change],
                tier=common.TIERS[entry.tier],
                fidelity=common.FIDELITIES[entry.fidelity],
                text=entry.text,
            )
            for entry in entries
        ],
        tokens=sum(entry.tokens for entry in state.entries if entry.ref in changed),
        from_nothing=from_nothing,
    )


def faults(value: FaultCounts) -> pb.Faults:
    """What the agent's references came to."""
    return pb.Faults(references=value.references, hits=value.hits, faults=value.faults, refaults=value.refaults)
