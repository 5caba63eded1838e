"""Focus: one turn of the working set, as one pure function.

Order: pins expire, the goal is replaced, entries are brought up to the cut; drift; heat; tiers and packing; eviction;
the block, its delta, the remainder, sufficiency and the receipt. `Check` is the same function, its state thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workingset.budget import Ledger, OverBudget, ledger
from workingset.candidate import Candidate, Projection
from workingset.delivery import DeltaEntry, deliver, delta, prefix_stable
from workingset.drift import Drift, StaleEntry, Verdict, baseline_after, detect
from workingset.heat import cooled, idled, selected
from workingset.obligation import ObligationKind
from workingset.receipt import Node
from workingset.remainder import BUDGET, Ignored, captured, remainder
from workingset.rendering import Block, CountTokens
from workingset.settings import WorkingSetSettings
from workingset.sufficiency import Nothing, Sufficiency, judge, nothing_of
from workingset.tier import Move, Tier
from workingset.transitions.choosing import Window, window
from workingset.transitions.draft import Draft
from workingset.transitions.filling import Filled, fill
from workingset.transitions.focus_receipt import focus_receipt
from workingset.transitions.moment import FocusOrder, Moment
from workingset.transitions.own_words import open_request, replace_own_words
from workingset.transitions.refresh import PinReport, expire_pins, not_followed, refresh_entries
from workingset.transitions.situation import asked_of, situation_of
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Ref, SupportClosure, Turn
from workingset.working_set import Delivered, WorkingSet

__all__ = ["FocusOrder", "FocusOutcome", "focus"]


@dataclass(frozen=True, slots=True)
class FocusOutcome:
    """The next state and everything there is to say about how it came about.

    `from_nothing` says that the delta holds all there is: what the host has from earlier turns is to be dropped first.
    `over_budget` is set where what cannot be left out exceeds the ceiling: then the block is empty, nothing moved, and
    the state keeps all it had; only the turn is spent.
    """

    state: WorkingSet
    block: Block
    delta: tuple[DeltaEntry, ...]
    moves: tuple[Move, ...]
    ignored: Ignored
    sufficiency: Sufficiency
    drift: Drift
    ledger: Ledger
    over_budget: OverBudget | None
    pin_reports: tuple[PinReport, ...]
    nothing: Nothing | None
    prefix_stable: float
    receipt: Node
    from_nothing: bool = False


@dataclass(frozen=True, slots=True)
class _Judged:
    """What was left out, and whether what is in is enough."""

    ignored: Ignored
    sufficiency: Sufficiency


def focus(
    state: WorkingSet, projection: Projection, order: FocusOrder, settings: WorkingSetSettings, count: CountTokens
) -> FocusOutcome:
    """Return the outcome of one turn for the goal of the projection.

    `projection.known` must hold every record of the set, so that nothing is delivered that was not read at the cut: an
    entry that is not there leaves as removed, a pin stays without its text.
    """
    draft = Draft(state, Turn(state.turn + 1), settings)
    texts, asked = Texts(projection, state.pins, count), asked_of(state, projection, order, settings)
    moment = Moment(state, projection, order, settings, count, draft, texts, asked)
    _idle(draft, order.now_seconds - state.focused_seconds if state.focused_seconds else 0, settings)
    expire_pins(draft, state.epoch, order.now_seconds)
    replace_own_words(draft, texts, projection.goal.text, order.user_request)
    stale, reports = refresh_entries(draft, moment.texts)
    drift = _drift(moment, stale)
    if drift.verdict is Verdict.REFOCUS:
        _cool(draft, settings)
    results = window(projection, order.top_k, order.page_in)
    filled = fill(moment, drift, results)
    judged = _judge(moment, filled, results)
    if filled.over_budget is None:
        _warm(filled.draft, results.results, settings)
    return _outcome(moment, drift, reports, filled, judged)


def _drift(moment: Moment, stale: Sequence[StaleEntry]) -> Drift:
    state, projection = moment.state, moment.projection
    own_words = {pin.ref for pin in state.pins if pin.has_words}
    shown = frozenset(entry.ref for entry in state.entries if entry.has_text)
    records = shown - own_words
    return detect(
        state.baseline,
        projection.goal,
        turn=moment.draft.turn,
        mass_kept=captured(projection, shown) if projection.ranked else None,
        stale=stale,
        stale_share=sum(entry.ref in records for entry in stale) / len(records) if records else None,
        settings=moment.settings.drift,
    )


def _idle(draft: Draft, idle_seconds: int, settings: WorkingSetSettings) -> None:
    if settings.heat.wall_half_life_seconds:
        for entry in list(draft.entries.values()):
            draft.update(idled(entry, idle_seconds, settings.heat))


def _cool(draft: Draft, settings: WorkingSetSettings) -> None:
    for entry in list(draft.entries.values()):
        if entry.tier in (Tier.RESIDENT, Tier.FRONTIER_ONLY):
            draft.update(cooled(entry, draft.turn, settings.heat))


def _warm(draft: Draft, results: Sequence[Candidate], settings: WorkingSetSettings) -> None:
    for candidate in results:
        entry = draft.entries.get(candidate.ref)
        if entry is not None and entry.has_text:
            draft.update(selected(entry, draft.turn, candidate.relevance, settings.heat))


def _judge(moment: Moment, filled: Filled, results: Window) -> _Judged:
    projection = moment.projection
    shown, whole = _shown(filled)
    why = {**results.barred, **{c.ref: BUDGET for c in results.results if c.ref not in shown}}
    ignored, left_out = remainder(projection, shown, whole, why, moment.settings.omissions_named)
    sufficiency = judge(
        projection,
        captured=captured(projection, shown),
        captured_full=captured(projection, whole),
        marginal=left_out[0].relevance if left_out else None,
        ignored=ignored,
        open_obligations=_open_obligations(filled, projection),
        settings=moment.settings.sufficiency,
    )
    return _Judged(ignored, sufficiency)


def _shown(filled: Filled) -> tuple[frozenset[Ref], frozenset[Ref]]:
    """The refs whose text is in the block, and those of them that are whole."""
    if filled.over_budget is not None:
        return frozenset(), frozenset()
    shown = [entry for entry in filled.draft.entries.values() if entry.has_text]
    whole = [entry.ref for entry in shown if entry.fidelity is Fidelity.FULL]
    return frozenset(entry.ref for entry in shown), frozenset(whole)


def _open_obligations(filled: Filled, projection: Projection) -> tuple[str, ...]:
    """Support is judged by what is in the set, entry by entry; the other obligations by what was found."""
    if filled.over_budget is not None:
        return ("what cannot be left out exceeds the budget",)
    open_states = (SupportClosure.PARTIAL, SupportClosure.RESOURCE_LIMITED)
    of_entries = tuple(
        f"support_closure of {entry.ref} is {entry.closure.value}"
        for entry in sorted(filled.draft.entries.values(), key=lambda e: e.order)
        if entry.has_text and entry.closure in open_states
    )
    owed = (o for o in projection.obligations if o.open and o.kind is not ObligationKind.SUPPORT)
    return (*of_entries, *(f"{o.kind.value} is {o.status.value}: {o.note}" for o in owed))


def _outcome(
    moment: Moment, drift: Drift, reports: tuple[PinReport, ...], filled: Filled, judged: _Judged
) -> FocusOutcome:
    state, projection, block, over = moment.state, moment.projection, filled.block, filled.over_budget
    after, opened = _state_after(moment, drift, filled)
    spent = ledger(moment.order.budget, block.tokens, () if over else after.entries)
    moves = opened if over else tuple(filled.draft.moves)
    receipt = focus_receipt(after, projection, spent, moves, state, judged.ignored, judged.sufficiency, drift, over)
    return FocusOutcome(
        state=after,
        block=block,
        delta=() if over else delta(_received(moment), block.segments),
        from_nothing=not over and not _received(moment),
        moves=moves,
        ignored=judged.ignored,
        sufficiency=judged.sufficiency,
        drift=drift,
        ledger=spent,
        over_budget=over,
        pin_reports=tuple(map(not_followed, reports)) if over else reports,
        nothing=nothing_of(projection),
        prefix_stable=prefix_stable(state.delivered, block.segments),
        receipt=receipt,
    )


def _received(moment: Moment) -> tuple[Delivered, ...]:
    """The ledger as the host has it: empty where the host says that the answer it was written with never came.

    Turns after it that the host did receive were over budget, and delivered nothing.
    """
    state, received = moment.state, moment.order.received
    return state.delivered if received is None or state.delivered_turn <= received <= state.turn else ()


def _state_after(moment: Moment, drift: Drift, filled: Filled) -> tuple[WorkingSet, tuple[Move, ...]]:
    """The next state; and, where what cannot be left out does not fit, what a new request of the user moved even so."""
    state, draft, projection = moment.state, filled.draft, moment.projection
    state = replace(
        state,
        turn=draft.turn,
        last_receipt=f"{state.agent}/{draft.turn}",
        undo=None,
        between=(),
        between_dropped=0,
    )
    if filled.over_budget is not None:
        before = Draft(moment.state, draft.turn, moment.settings)
        if moment.order.user_request:
            open_request(before, moment.order.user_request)
        return before.into(state), tuple(before.moves)
    after = replace(
        draft.into(state),
        budget=moment.order.budget,
        focused_seconds=moment.order.now_seconds,
        namespaces=moment.order.namespaces,
        undo=moment.state.entries if drift.verdict is Verdict.REFOCUS and moment.state.turn else None,
        delivered=deliver(filled.block.segments),
        delivered_turn=draft.turn,
        block_tokens=filled.block.tokens,
        baseline=baseline_after(state.baseline, drift, projection.goal, draft.turn),
        drift=drift,
        situation=situation_of(moment.asked, draft, moment.texts),
        cut=projection.cut,
    )
    return after, ()
