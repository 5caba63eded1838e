"""Touch: what the agent really used, which of it were faults, and their page-in.

A use is a hit when at least `full_fidelity_share` of its lines were in the block at full fidelity; else it is a fault,
and its pages become resident at full fidelity. The next Focus decides whether they keep a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique

from workingset.candidate import Candidate, Projection
from workingset.eviction.pages import page_of
from workingset.eviction.registry import policy_named
from workingset.heat import warmed
from workingset.rendering import CountTokens
from workingset.settings import HeatSettings, WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.choosing import settle_mandatory
from workingset.transitions.draft import Draft
from workingset.transitions.texts import NO_GOAL, Texts
from workingset.vocabulary import Fidelity, Lines, Ref, Tokens
from workingset.working_set import FaultCounts, WorkingSet


@unique
class Action(Enum):
    """What the agent did with what it used."""

    READ = "read"
    EDIT = "edit"
    CITE = "cite"


@dataclass(frozen=True, slots=True)
class Use:
    """One use: the pages it touched, as read from the store, and its lines where it named some."""

    pages: tuple[Candidate, ...]
    action: Action
    lines: Lines | None = None


@dataclass(frozen=True, slots=True)
class Touched:
    """What one use came to."""

    refs: tuple[Ref, ...]
    fault: bool
    paged_in: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class TouchOutcome:
    """The next state, what each use came to, and the moves."""

    state: WorkingSet
    touched: tuple[Touched, ...]
    moves: tuple[Move, ...]


def touch(state: WorkingSet, uses: Sequence[Use], settings: WorkingSetSettings, count: CountTokens) -> TouchOutcome:
    """Return the outcome of uses in the order given; each moves the reference clock on by one."""
    touched: list[Touched] = []
    moves: list[Move] = []
    for use in uses:
        draft = Draft(state, state.turn, settings)
        shown = _rendered_share(draft, use)
        texts = Texts(Projection(goal=NO_GOAL, cut=state.cut, known=use.pages), state.pins, count)
        fault = shown < settings.full_fidelity_share
        back = fault and any(draft.ghost(page.ref) for page in use.pages)
        paged_in = _page_in(draft, use) if fault else ()
        _warm(draft, texts, use, state.references + 1, settings)
        _bound(draft, state, settings)
        settle_mandatory(draft)
        touched.append(Touched(tuple(page.ref for page in use.pages), fault, paged_in))
        moves.extend(draft.moves)
        state = _after(state, draft, fault, back)
    return TouchOutcome(state, tuple(touched), tuple(moves))


def heat_of(action: Action, settings: HeatSettings) -> float:
    """Return the weight of an action."""
    return {
        Action.READ: settings.read_heat,
        Action.EDIT: settings.edit_heat,
        Action.CITE: settings.cite_heat,
    }[action]


def _rendered_share(draft: Draft, use: Use) -> float:
    total = shown = 0
    for page in use.pages:
        wanted = _wanted(page, use.lines)
        entry = draft.entries.get(page.ref)
        total += wanted
        if entry is not None and entry.has_text and entry.fidelity is Fidelity.FULL and entry.digest == page.digest:
            shown += wanted
    return shown / total if total else 0.0


def _wanted(page: Candidate, lines: Lines | None) -> int:
    if page.lines is None:
        return 1
    return page.lines.overlap(lines) if lines else page.lines.count


def _page_in(draft: Draft, use: Use) -> tuple[Ref, ...]:
    paged: list[Ref] = []
    for page in use.pages:
        entry = draft.entries.get(page.ref)
        if entry is None or not entry.has_text or entry.fidelity is not Fidelity.FULL:
            paged.append(page.ref)
        if entry is None or entry.tier is Tier.FRONTIER_ONLY:
            draft.admit(page, Tier.RESIDENT, Cause.FAULT, Fidelity.FULL)
        elif entry.tier is Tier.RESIDENT:
            draft.update(replace(entry, fidelity=Fidelity.FULL))
    return tuple(paged)


def _warm(draft: Draft, texts: Texts, use: Use, references: int, settings: WorkingSetSettings) -> None:
    entries = [draft.entries[page.ref] for page in use.pages if page.ref in draft.entries]
    sized = [replace(entry, tokens=texts.tokens(entry, entry.fidelity)) for entry in entries]
    width = Tokens(sum(entry.tokens for entry in sized))
    for entry in sized:
        warm = warmed(entry, draft.turn, heat_of(use.action, settings.heat), settings.heat)
        draft.update(
            replace(
                warm,
                uses=entry.uses + 1,
                touched_at=references,
                group_tokens=width,
                last_use_was_edit=use.action is Action.EDIT,
            )
        )


def _bound(draft: Draft, state: WorkingSet, settings: WorkingSetSettings) -> None:
    excess = len(draft.entries) - settings.packing.entries_limit
    if excess <= 0:
        return
    residents = [entry for entry in draft.entries.values() if entry.tier is Tier.RESIDENT]
    pages = [page_of(entry, state.references, state.turn) for entry in residents]
    for page in policy_named(settings.eviction.policy).order(pages, settings.eviction)[:excess]:
        draft.evict(page.ref, Cause.PRESSURE, "more entries than the set may hold")


def _after(state: WorkingSet, draft: Draft, fault: bool, back: bool) -> WorkingSet:
    entries, pins, ghosts, next_order = draft.finished()
    counts = FaultCounts(
        state.faults.references + 1,
        state.faults.hits + (not fault),
        state.faults.faults + fault,
        state.faults.refaults + back,
    )
    return replace(
        state,
        entries=entries,
        pins=pins,
        ghosts=ghosts,
        next_order=next_order,
        references=state.references + 1,
        faults=counts,
    )
