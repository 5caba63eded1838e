"""Touch: what the agent really used, which of it were faults, and their page-in.

A use is a hit when at least `full_fidelity_share` of its lines were in the set at full fidelity; else it is a fault,
and what was missing becomes resident at full fidelity. Where the set is above its budget then, room is made at once: at
no time does a set hold more than its agent can be shown; what was used may get no place in it, or show less than all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique

from workingset.candidate import Candidate, Projection
from workingset.copying import changed
from workingset.heat import used
from workingset.rendering import CountTokens
from workingset.settings import HeatSettings, WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.making_room import bound_entries, make_room
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
    """One use: the pages it touched, as read from the store, and its lines where it named some.

    `whole_file` says that it was of a path without lines. `support` are the records that the pages need, read too.
    """

    pages: tuple[Candidate, ...]
    action: Action
    lines: Lines | None = None
    whole_file: bool = False
    support: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Touched:
    """What one use came to.

    Of what was missing, `paged_in` has its place whole now, and `no_place` has none or shows less than all of it.
    """

    refs: tuple[Ref, ...]
    fault: bool
    paged_in: tuple[Ref, ...]
    no_place: tuple[Ref, ...] = ()


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
        texts = Texts(Projection(goal=NO_GOAL, cut=state.cut, known=(*use.pages, *use.support)), state.pins, count)
        fault = _shown_share(draft, use) < settings.full_fidelity_share
        back = fault and any(draft.ghost(page.ref) for page in use.pages)
        draft.count_use(use.whole_file)
        missing = _page_in(draft, use)
        _warm(draft, texts, use, frozenset(missing), settings)
        settle(draft)
        _size_needed(draft, texts)
        just_used = frozenset(page.ref for page in use.pages)
        make_room(draft, texts, state.budget, just_used, settings)
        bound_entries(draft, just_used, settings)
        settle(draft)
        touched.append(_came_to(draft, use, fault, missing))
        moves.extend(draft.moves)
        state = _after(state, draft, use, fault, back)
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
    entry, pin = draft.entries.get(page.ref), draft.pins.get(page.ref)
    if pin is not None and pin.has_words:
        return True
    return entry is not None and entry.has_text and entry.fidelity is Fidelity.FULL and entry.digest == page.digest


def _page_in(draft: Draft, use: Use) -> tuple[Ref, ...]:
    shown = {line for page in use.pages if _in_full(draft, page) for line in _lines_used(page, use.lines)}
    paged = [page for page in use.pages if not _lines_used(page, use.lines) <= shown]
    for page in paged:
        entry = draft.entries.get(page.ref)
        if entry is None or entry.tier is Tier.FRONTIER_ONLY:
            entry = draft.admit(page, Tier.RESIDENT, Cause.FAULT, Fidelity.FULL)
        now = read_anew(entry, page)
        draft.update(changed(now, fidelity=Fidelity.FULL, relevance=entry.relevance))
    return tuple(page.ref for page in paged)


def _came_to(draft: Draft, use: Use, fault: bool, missing: Sequence[Ref]) -> Touched:
    whole = {page.ref for page in use.pages if _in_full(draft, page)}
    paged_in = tuple(ref for ref in missing if ref in whole)
    no_place = tuple(ref for ref in missing if ref not in whole)
    return Touched(tuple(page.ref for page in use.pages), fault, paged_in, no_place)


def _warm(draft: Draft, texts: Texts, use: Use, paged_in: frozenset[Ref], settings: WorkingSetSettings) -> None:
    entries = [draft.entries[page.ref] for page in use.pages if page.ref in draft.entries]
    sized = [changed(entry, tokens=texts.tokens(entry, entry.fidelity)) for entry in entries]
    width = Tokens(sum(entry.tokens for entry in sized))
    for entry in sized:
        warm = used(entry, draft.turn, heat_of(use.action, settings.heat), settings.heat)
        # Naming a page says nothing of whether it is done with.
        edited = use.action is Action.EDIT or (use.action is Action.CITE and entry.last_use_was_edit)
        draft.update(changed(warm, touched_at=draft.references, group_tokens=width, last_use_was_edit=edited))
        if entry.ref not in paged_in:
            draft.tell_used(entry.ref)


def _size_needed(draft: Draft, texts: Texts) -> None:
    """Write down what is mandatory at its full size: it may have been there as less until it was needed."""
    for entry in list(draft.entries.values()):
        if entry.tier is Tier.MANDATORY and entry.ref in texts.candidates:
            draft.size(entry.ref, texts.tokens(entry, Fidelity.FULL))


def _after(state: WorkingSet, draft: Draft, use: Use, fault: bool, back: bool) -> WorkingSet:
    before = state.faults
    counts = FaultCounts(
        references=before.references + 1,
        hits=before.hits + (not fault),
        faults=before.faults + fault,
        refaults=before.refaults + back,
        wide=before.wide + use.whole_file,
    )
    return replace(draft.between_turns(state), references=draft.references, faults=counts)
