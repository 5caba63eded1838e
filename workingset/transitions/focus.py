"""Focus: one turn of the working set, as one pure function.

Order: pins expire, the goal is replaced, entries are brought up to the cut; drift; heat; tiers and packing; eviction;
the block, its delta, the remainder, sufficiency and the receipt. `Check` is the same function, its state thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workingset.budget import Ledger, OverBudget, ledger, over_budget
from workingset.candidate import Candidate, Projection
from workingset.delivery import DeltaEntry, deliver, delta, prefix_stable
from workingset.drift import Drift, StaleEntry, Verdict, baseline_after, detect
from workingset.entry import Entry
from workingset.eviction.registry import policy_named
from workingset.heat import cooled, heat_at, selected
from workingset.receipt import Node
from workingset.remainder import BUDGET, Ignored, captured, remainder
from workingset.rendering import Block, CountTokens, render
from workingset.settings import WorkingSetSettings
from workingset.sufficiency import Nothing, Sufficiency, judge, nothing_of
from workingset.tier import Cause, Move, Tier
from workingset.transitions.choosing import (
    Choosing,
    Window,
    apply_packing,
    fixed_entries,
    settle_mandatory,
    unchosen,
    window,
)
from workingset.transitions.draft import Draft
from workingset.transitions.focus_receipt import focus_receipt
from workingset.transitions.frontier import fill_frontier
from workingset.transitions.refresh import PinReport, expire_pins, refresh_entries, replace_goal
from workingset.transitions.situation import situation_of
from workingset.transitions.texts import Texts
from workingset.vocabulary import Namespace, Ref, SupportClosure, Tokens, Turn
from workingset.working_set import WorkingSet


@dataclass(frozen=True, slots=True)
class FocusOrder:
    """What the caller asks of a turn, checked: a budget above 0, a window above 0."""

    budget: Tokens
    top_k: int
    namespaces: tuple[Namespace, ...] = ()


@dataclass(frozen=True, slots=True)
class FocusOutcome:
    """The next state and everything there is to say about how it came about.

    `over_budget` is set where what cannot be left out exceeds the ceiling: then the block is empty and the state keeps
    every entry it had.
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


@dataclass(frozen=True, slots=True)
class _Moment:
    """What every step of one Focus needs."""

    state: WorkingSet
    projection: Projection
    order: FocusOrder
    settings: WorkingSetSettings
    count: CountTokens
    draft: Draft
    texts: Texts


@dataclass(frozen=True, slots=True)
class _Answer:
    """What choosing settled: the block, and what was left out and why."""

    block: Block
    ignored: Ignored
    sufficiency: Sufficiency
    over_budget: OverBudget | None


def focus(
    state: WorkingSet, projection: Projection, order: FocusOrder, settings: WorkingSetSettings, count: CountTokens
) -> FocusOutcome:
    """Return the outcome of one turn for the goal of the projection.

    `projection.known` must hold every record of the set, so that nothing is delivered that was not read at the cut.
    """
    draft = Draft(state, Turn(state.turn + 1), settings)
    moment = _Moment(state, projection, order, settings, count, draft, Texts(projection, state.pins, count))
    expire_pins(draft)
    replace_goal(draft, moment.texts, projection.goal.text)
    stale, reports = refresh_entries(draft, projection)
    drift = _drift(moment, stale)
    if drift.verdict is Verdict.REFOCUS:
        _cool(draft, settings)
    answer = _answer(moment, drift)
    return _outcome(moment, drift, reports, answer)


def _drift(moment: _Moment, stale: Sequence[StaleEntry]) -> Drift:
    state, projection = moment.state, moment.projection
    own_words = {pin.ref for pin in state.pins if pin.text}
    shown = frozenset(entry.ref for entry in state.entries if entry.has_text)
    return detect(
        state.baseline,
        projection.goal,
        turn=moment.draft.turn,
        mass_kept=captured(projection, shown) if projection.ranked else None,
        stale=stale,
        entries=sum(entry.ref not in own_words for entry in state.entries),
        settings=moment.settings.drift,
    )


def _answer(moment: _Moment, drift: Drift) -> _Answer:
    draft, texts, projection = moment.draft, moment.texts, moment.projection
    fixed = fixed_entries(draft, texts)
    base = render(fixed, texts.of, moment.count)
    results = window(projection, moment.order.top_k)
    shown: frozenset[Ref] = frozenset()
    block, excess = Block("", (), Tokens(0)), None
    if base.tokens > moment.order.budget:
        settle_mandatory(draft)
        excess = over_budget(base.tokens, fixed)
    else:
        _fill(moment, drift, results, fixed, base)
        shown = frozenset(entry.ref for entry in draft.entries.values() if entry.has_text)
        block = render(list(draft.entries.values()), texts.of, moment.count)
    why = {**results.barred, **{c.ref: BUDGET for c in results.results if c.ref not in shown}}
    ignored, left_out = remainder(projection, shown, why, moment.settings.omissions_named)
    sufficiency = judge(
        projection,
        captured=captured(projection, shown),
        marginal=left_out[0].relevance if left_out else None,
        ignored=ignored,
        open_obligations=_open_obligations(draft),
        settings=moment.settings.sufficiency,
    )
    return _Answer(block, ignored, sufficiency, excess)


def _fill(moment: _Moment, drift: Drift, results: Window, fixed: Sequence[Entry], base: Block) -> None:
    state, draft, texts, settings = moment.state, moment.draft, moment.texts, moment.settings
    if drift.stale or state.situation != situation_of(state, draft, moment.projection, moment.order):
        cold = _cold(moment, drift)
        policy = policy_named(settings.eviction.policy)
        choosing = Choosing(draft, texts, policy, settings, state.references, frozenset(cold))
        packed = choosing.pack_into(results.results, fixed, base, moment.order.budget, moment.count)
        apply_packing(draft, texts, results.results, packed)
        keep = frozenset([*packed.chosen, *packed.needed, *(entry.ref for entry in fixed)])
        _give_way(moment, keep, cold)
        settle_mandatory(draft)
    _warm(draft, results.results, settings)


def _give_way(moment: _Moment, keep: frozenset[Ref], cold: dict[Ref, Cause]) -> None:
    draft, texts = moment.draft, moment.texts
    for entry in [draft.entries[ref] for ref in sorted(keep) if ref in draft.entries]:
        draft.update(replace(entry, tokens=texts.tokens(entry, entry.fidelity)))
    residents, mandatory = unchosen(draft, keep)
    falling = [(entry, cold.get(entry.ref, Cause.PRESSURE)) for entry in residents]
    kept = [entry for entry in draft.entries.values() if entry.ref in keep]
    fill_frontier(draft, texts, moment.projection, falling, kept, moment.order.budget, moment.settings, moment.count)
    for entry in mandatory:
        draft.evict(entry.ref, Cause.DEPENDENTS_LEFT)


def _warm(draft: Draft, results: Sequence[Candidate], settings: WorkingSetSettings) -> None:
    for candidate in results:
        entry = draft.entries.get(candidate.ref)
        if entry is not None and entry.has_text:
            draft.update(selected(entry, draft.turn, candidate.relevance, settings.heat))


def _cool(draft: Draft, settings: WorkingSetSettings) -> None:
    for entry in list(draft.entries.values()):
        if entry.tier in {Tier.RESIDENT, Tier.FRONTIER_ONLY}:
            draft.update(cooled(entry, draft.turn, settings.heat))


def _cold(moment: _Moment, drift: Drift) -> dict[Ref, Cause]:
    ranked = {candidate.ref for candidate in moment.projection.ranked}
    cause = Cause.REFOCUS if drift.verdict is Verdict.REFOCUS else Cause.COOLED
    heat = moment.settings.heat
    return {
        entry.ref: cause
        for entry in moment.draft.entries.values()
        if entry.tier is Tier.RESIDENT
        and entry.ref not in ranked
        and heat_at(entry, moment.draft.turn, heat) < heat.cold_heat
    }


def _open_obligations(draft: Draft) -> tuple[str, ...]:
    open_states = {SupportClosure.PARTIAL, SupportClosure.RESOURCE_LIMITED}
    return tuple(
        f"support_closure of {entry.ref} is {entry.closure.value}"
        for entry in sorted(draft.entries.values(), key=lambda e: e.order)
        if entry.has_text and entry.closure in open_states
    )


def _outcome(moment: _Moment, drift: Drift, reports: tuple[PinReport, ...], answer: _Answer) -> FocusOutcome:
    state, draft, projection, block = moment.state, moment.draft, moment.projection, answer.block
    after = _state_after(moment, drift, answer)
    spent = ledger(moment.order.budget, block.tokens, () if answer.over_budget else after.entries)
    moves = tuple(draft.moves)
    receipt = focus_receipt(
        after, projection, spent, moves, answer.ignored, answer.sufficiency, drift, answer.over_budget
    )
    return FocusOutcome(
        state=after,
        block=block,
        delta=() if answer.over_budget else delta(state.delivered, block.segments),
        moves=moves,
        ignored=answer.ignored,
        sufficiency=answer.sufficiency,
        drift=drift,
        ledger=spent,
        over_budget=answer.over_budget,
        pin_reports=reports,
        nothing=nothing_of(projection),
        prefix_stable=prefix_stable(state.delivered, block.segments),
        receipt=receipt,
    )


def _state_after(moment: _Moment, drift: Drift, answer: _Answer) -> WorkingSet:
    state, draft, projection = moment.state, moment.draft, moment.projection
    entries, pins, ghosts, next_order = draft.finished()
    return replace(
        state,
        turn=draft.turn,
        budget=moment.order.budget,
        namespaces=moment.order.namespaces,
        entries=entries,
        pins=pins,
        ghosts=ghosts,
        next_order=next_order,
        faults_at_focus=state.faults,
        delivered=state.delivered if answer.over_budget else deliver(answer.block.segments),
        block_tokens=answer.block.tokens,
        baseline=baseline_after(state.baseline, drift, projection.goal, draft.turn),
        situation=situation_of(state, draft, projection, moment.order),
        cut=projection.cut,
        last_receipt=f"{state.agent}/{draft.turn}",
    )
