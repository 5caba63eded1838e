"""A session through the product's own core: `focus` once a turn, then `touch` for each reference of the turn.

Page-in is off: retrieval says of the set's records how relevant they are to the goal, and offers none to be ranked, so
that only what was touched is resident. Everything else is as the daemon does it, with its settings and its counter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from benchmarks.fault_rates import Replayed
from benchmarks.pages import PageUse
from benchmarks.sessions import Session
from workingset.candidate import Candidate, Projection
from workingset.entry import GOAL_NAMESPACE
from workingset.rendering import CountTokens, render
from workingset.settings import WorkingSetSettings
from workingset.transitions.focus import FocusOrder, FocusOutcome, focus
from workingset.transitions.leaving import reset_context
from workingset.transitions.texts import NO_GOAL, Texts
from workingset.transitions.touch import Action, Touched, Use, touch
from workingset.vocabulary import AgentId, Cut, Fidelity, Generation, Ref, Relevance, Tokens
from workingset.working_set import WorkingSet

_NO_RELEVANCE = Relevance(0.0)


class CeilingBroken(AssertionError):
    """A rendered block was larger than its budget: the benchmark's figures would not be comparable."""


@dataclass(frozen=True, slots=True)
class CoreTurn:
    """One turn of the core: the Focus with its time in milliseconds, then one verdict for each reference in order.

    `before` is the set before the Focus, in which a compaction has already begun a new epoch; `touch_ms` the time of
    all Touches together. `paged_in` are the pages that faults brought to the agent, in order, with a place or without.
    """

    turn: int
    before: WorkingSet
    outcome: FocusOutcome
    focus_ms: float
    faults: tuple[bool, ...]
    paged_in: tuple[Ref, ...]
    touch_ms: float


def replay_core(session: Session, budget: Tokens, settings: WorkingSetSettings, count: CountTokens) -> Replayed:
    """Replay a session under a budget; raises CeilingBroken.

    A page is delivered when a fault brings it in, and when a Focus shows it in another text than the host has.
    Compactions are passed over, as they are for the baselines.
    """
    hits: list[bool] = []
    focus_ms: list[float] = []
    delivered = resident = 0
    fetched: set[Ref] = set()
    for turn in core_turns(replace(session, resets=frozenset()), budget, settings, count):
        goal = session.goal_tokens[turn.turn]
        resident += max(0, turn.outcome.block.tokens - goal)
        delivered += sum(
            count(change.text)
            for change in turn.outcome.delta
            if change.text
            and not change.ref.startswith(f"{GOAL_NAMESPACE}:")
            and not (change.fidelity is Fidelity.FULL and change.ref in fetched)
        )
        delivered += sum(session.sizes[ref] for ref in turn.paged_in)
        fetched = set(turn.paged_in)
        hits.extend(not fault for fault in turn.faults)
        focus_ms.append(turn.focus_ms)
    return Replayed(tuple(hits), delivered, resident / max(1, session.turns), tuple(focus_ms))


def core_turns(
    session: Session, budget: Tokens, settings: WorkingSetSettings, count: CountTokens
) -> Iterator[CoreTurn]:
    """Yield the turns of a session; a compaction begins a new epoch before the Focus of its turn."""
    uses: dict[int, list[PageUse]] = defaultdict(list)
    for use in session.uses:
        uses[use.turn].append(use)
    state = WorkingSet(AgentId("bench"))
    namespaces = tuple(sorted({page.namespace for page in session.pages.values()}))
    order = FocusOrder(budget, settings.packing.top_k_results, namespaces, page_in=False)
    cut = Cut.of(dict.fromkeys(namespaces, Generation(1)))
    for at in range(session.turns):
        if at in session.resets:
            state = reset_context(state)
        before = state
        projection = Projection(session.goals[at], cut, known=tuple(_known(session, state, at)))
        began = perf_counter()
        outcome = focus(state, projection, order, settings, count)
        took = perf_counter() - began
        if outcome.block.tokens > budget:
            raise CeilingBroken(f"{session.trace_id}, turn {at}: {outcome.block.tokens} tokens of {budget}")
        began = perf_counter()
        state, touched = _touch_all(session, outcome.state, uses[at], settings, count)
        touching = perf_counter() - began
        _check_ceiling(session, state, budget, at, count)
        faults = tuple(one.fault for one in touched)
        paged_in = tuple(ref for one in touched for ref in (*one.paged_in, *one.no_place))
        yield CoreTurn(at, before, outcome, took * 1000, faults, paged_in, touching * 1000)


def _touch_all(
    session: Session, state: WorkingSet, uses: Sequence[PageUse], settings: WorkingSetSettings, count: CountTokens
) -> tuple[WorkingSet, list[Touched]]:
    """One Touch for each reference, as an agent reports them."""
    touched: list[Touched] = []
    for use in uses:
        outcome = touch(state, [_use(session, use)], settings, count)
        state = outcome.state
        touched += outcome.touched
    return state, touched


def _known(session: Session, state: WorkingSet, turn: int) -> Iterator[Candidate]:
    relevance = session.relevance[turn]
    for entry in state.entries:
        page = session.pages.get(entry.ref)
        if page is not None:
            yield replace(page, relevance=relevance.get(entry.ref, _NO_RELEVANCE))


def _use(session: Session, use: PageUse) -> Use:
    pages = tuple(session.pages[ref] for ref, _ in use.pages)
    return Use(pages, Action.EDIT if use.edit else Action.READ, use.lines, use.wide)


def _check_ceiling(session: Session, state: WorkingSet, budget: Tokens, turn: int, count: CountTokens) -> None:
    """What a Touch leaves must fit, or its hits were bought with room that there is not.

    Sizes of segments one by one bound the whole from above but for a token or so where two meet; where they say that
    it may not fit, the whole is rendered and counted.
    """
    if sum(entry.tokens for entry in state.entries) <= budget:
        return
    known = Projection(
        NO_GOAL, state.cut, known=tuple(session.pages[e.ref] for e in state.entries if e.ref in session.pages)
    )
    whole = render(state.entries, Texts(known, state.pins, count).of, count)
    if whole.tokens > budget:
        raise CeilingBroken(f"{session.trace_id}, after turn {turn}: {whole.tokens} tokens of {budget}")
