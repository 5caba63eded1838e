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
from workingset.transitions.draft import Draft
from workingset.transitions.records import read_anew
from workingset.transitions.settling import settle
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
        texts = Texts(Projection(goal=NO_GOAL, cut=state.cut, known=use.pages), state.pins, count)
        fault = _shown_share(draft, use) < settings.full_fidelity_share
        back = fault and any(draft.ghost(page.ref) for page in use.pages)
        paged_in = _page_in(draft, use) if fault else ()
        _warm(draft, texts, use, state.references + 1, settings)
        _bound(draft, use, state.references + 1, settings)
        settle(draft)
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


def _shown_share(draft: Draft, use: Use) -> float:
    """The share of the lines used, or of the pages where they have none, that the block held in full."""
    wanted: set[tuple[str, int]] = set()
    shown: set[tuple[str, int]] = set()
    for page in use.pages:
        lines = _lines_used(page, use.lines)
        wanted |= lines
        if _in_full(draft, page):
            shown |= lines
    return len(shown) / len(wanted) if wanted else 0.0


def _lines_used(page: Candidate, lines: Lines | None) -> set[tuple[str, int]]:
    """Lines by file, so that one that lies in two pages counts once; a page without lines counts as one."""
    if page.lines is None:
        return {(page.ref, 0)}
    first, last = page.lines.start, page.lines.end
    if lines is not None:
        first, last = max(first, lines.start), min(last, lines.end)
    file = f"{page.namespace}:{page.path}" if page.path else page.ref
    return {(file, line) for line in range(first, last + 1)}


def _in_full(draft: Draft, page: Candidate) -> bool:
    entry = draft.entries.get(page.ref)
    return entry is not None and entry.has_text and entry.fidelity is Fidelity.FULL and entry.digest == page.digest


def _page_in(draft: Draft, use: Use) -> tuple[Ref, ...]:
    paged = [page for page in use.pages if not _in_full(draft, page)]
    for page in paged:
        entry = draft.entries.get(page.ref)
        if entry is None or entry.tier is Tier.FRONTIER_ONLY:
            entry = draft.admit(page, Tier.RESIDENT, Cause.FAULT, Fidelity.FULL)
        now = read_anew(entry, page)
        draft.update(replace(now, fidelity=Fidelity.FULL, relevance=entry.relevance))
    return tuple(page.ref for page in paged)


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


def _bound(draft: Draft, use: Use, references: int, settings: WorkingSetSettings) -> None:
    """Evict residents beyond the limit by the policy; what was just used goes last."""
    excess = len(draft.entries) - settings.packing.entries_limit
    if excess <= 0:
        return
    used = {page.ref for page in use.pages}
    residents = [entry for entry in draft.entries.values() if entry.tier is Tier.RESIDENT]
    pages = [page_of(entry, references, draft.turn) for entry in residents]
    order = policy_named(settings.eviction.policy).order(pages, settings.eviction)
    for page in sorted(order, key=lambda page: page.ref in used)[:excess]:
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
