"""What gets a place, at which fidelity: residents that stay, and one packing over those that may go and newcomers.

The eviction policy names the residents that are first to go: as many as are above the room, and for newcomers as many
as make room for them, up to a share of it. All others stay as they are. Packing then decides at which fidelity those
named, and the newcomers, earn a place; a newcomer must be better by a margin than what it displaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from workingset.candidate import Candidate, Projection
from workingset.entry import Entry
from workingset.heat import heat_at, worth_of_heat
from workingset.packing import Choice, Packed, Unit, pack
from workingset.remainder import CLOSURE, DUPLICATE_ORIGIN, PAGE_IN_OFF
from workingset.settings import WorkingSetSettings
from workingset.tier import Tier
from workingset.transitions.draft import Draft
from workingset.transitions.records import entry_of, is_new_history
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Ref, SupportClosure, Tokens

_RENDERINGS = (Fidelity.FULL, Fidelity.OUTLINE, Fidelity.GIST)
_TEXT_TIERS = (Tier.RESIDENT, Tier.MANDATORY)


_NOT_CLOSED_OVER = frozenset({SupportClosure.RESOURCE_LIMITED, SupportClosure.NOT_REQUESTED})


@dataclass(frozen=True, slots=True)
class Window:
    """The results that may enter this turn, in selection order, and why some of the others may not.

    One that is neither lies behind the window.
    """

    results: tuple[Candidate, ...]
    barred: Mapping[Ref, str]


def window(projection: Projection, top_k: int, page_in: bool) -> Window:
    """Return the first `top_k` results with distinct origins whose closure is known; a bound hit is not knowing.

    Without `page_in` none may enter.
    """
    results: list[Candidate] = []
    barred: dict[Ref, str] = {}
    origins: set[str] = set()
    originals = {candidate.ref for candidate in projection.ranked}
    for candidate in projection.ranked:
        origin = candidate.origin or candidate.ref
        if not page_in:
            barred[candidate.ref] = PAGE_IN_OFF
        elif origin in origins or candidate.origin in originals:
            # A copy makes way for what it is a copy of, however well it ranks: only that is kept up to date.
            barred[candidate.ref] = DUPLICATE_ORIGIN
        elif candidate.closure in _NOT_CLOSED_OVER:
            barred[candidate.ref] = CLOSURE
        elif len(results) < top_k:
            results.append(candidate)
            origins.add(origin)
    return Window(tuple(results), barred)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The entries that stay as they are, what packing chose beside them, and the tokens of both."""

    staying: frozenset[Ref]
    packed: Packed
    tokens: Tokens


class Choosing:
    """One choice among the entries of a draft, but for `cold` ones, and results; lives within one Focus.

    `held` are the refs that have their place anyway. With `anew`, no resident stays without being chosen.
    """

    def __init__(
        self,
        draft: Draft,
        texts: Texts,
        settings: WorkingSetSettings,
        held: frozenset[Ref],
        cold: frozenset[Ref],
        *,
        anew: bool = False,
    ) -> None:
        self._draft = draft
        self._texts = texts
        self._settings = settings
        self._held = held
        self._anew = anew
        self._shares = (1.0, settings.packing.outline_share, settings.packing.gist_share)
        self._present = [
            entry
            for entry in draft.entries.values()
            if entry.tier in _TEXT_TIERS and entry.ref not in held and entry.ref not in cold
        ]

    def choose(self, results: Sequence[Candidate], room: Tokens, reserve: Tokens) -> Chosen:
        """Return who stays and the packing of the others within `room`.

        `reserve` of it is kept free for lines, but not where it would cost a result its full text and all else fits.
        """
        there = {entry.ref for entry in self._present}
        arriving = [_as_arriving(c, self._draft) for c in results if c.ref not in there and c.ref not in self._held]
        staying = self._staying(arriving, {candidate.ref for candidate in results}, room)
        held = self._held.union(staying)
        left = room - sum(staying.values())
        worths = [(entry, self._worths_of_staying(entry)) for entry in self._present if entry.ref not in staying]
        # A result that what stays needs enters whole with that: it is no more to be chosen than what is there.
        worths += [(entry, self._worths(entry)) for entry in arriving if entry.ref not in staying]
        units = [self._unit(entry, worth, held) for entry, worth in worths if worth[0] > 0.0]
        needed = self._needed_tokens(units)
        free = left - reserve if _all_tokens(units, needed) > left else left
        packed = pack(units, needed, Tokens(max(0, free)), held, self._settings.packing.search)
        return Chosen(frozenset(staying), packed, Tokens(room - left + packed.tokens))

    def _staying(self, arriving: Sequence[Entry], results: AbstractSet[Ref], room: Tokens) -> dict[Ref, Tokens]:
        """Sizes of what keeps its place as it is: residents that are not first to go, and what they need."""
        residents = [entry for entry in self._present if entry.tier is Tier.RESIDENT]
        stays = [entry for entry in residents if is_new_history(entry, self._draft.turn)]
        if not self._anew:
            others = [entry for entry in residents if not is_new_history(entry, self._draft.turn)]
            goes = self._first_to_go(others, arriving, results, room)
            stays += [entry for entry in others if entry.ref not in goes and entry.fidelity is Fidelity.FULL]
        sizes = {entry.ref: self._texts.tokens(entry, entry.fidelity) for entry in stays}
        for need in [need for ref in sizes for need in self._texts.needs(ref) if need not in self._held]:
            sizes[need] = self._texts.tokens(self._entry(need), Fidelity.FULL)
        return sizes if sum(sizes.values()) <= room else {}

    def _first_to_go(
        self, others: Sequence[Entry], arriving: Sequence[Entry], results: AbstractSet[Ref], room: Tokens
    ) -> set[Ref]:
        """Residents that pressure, or this turn's newcomers, reach: those who may lose their place."""
        sizes = {entry.ref: int(self._texts.tokens(entry, entry.fidelity)) for entry in self._present}
        free = room - sum(sizes.values())
        goes = set(self._draft.victims(others, Tokens(-free)))
        free += sum(sizes[ref] for ref in goes)
        rising = [entry for entry in self._present if entry.ref in results and entry.fidelity is not Fidelity.FULL]
        wanted = sum(int(self._texts.tokens(entry, Fidelity.FULL)) for entry in (*arriving, *rising))
        wanted -= sum(sizes[entry.ref] for entry in rising)
        if wanted > free:
            # What an earlier goal brought in and nobody used has no claim but its relevance.
            goes.update(entry.ref for entry in others if not entry.uses)
            short = min(wanted - free, int(self._settings.packing.newcomers_share * room))
            may_go = [entry for entry in others if entry.ref not in goes and not self._protected(entry)]
            goes.update(self._draft.victims(may_go, Tokens(short)))
        return goes

    def _protected(self, entry: Entry) -> bool:
        """True where no newcomer may displace the entry yet."""
        eviction, turn = self._settings.eviction, self._draft.turn
        return turn - entry.admitted_turn <= eviction.minimum_stay_turns or entry.protected_until >= turn

    def _worths(self, entry: Entry) -> list[float]:
        worth = float(entry.relevance) ** self._settings.packing.worth_exponent
        return [worth * share for share in self._shares]

    def _worths_of_staying(self, entry: Entry) -> list[float]:
        """What the entry has is worth more by the margin; what it could rise to is worth what a newcomer's would be."""
        packing = self._settings.packing
        heat = worth_of_heat(heat_at(entry, self._draft.turn, self._settings.heat))
        worth = max(float(entry.relevance), heat) ** packing.worth_exponent
        bonus = worth * ((1.0 + packing.stay_margin) ** packing.worth_exponent - 1.0)
        has = self._shares[_RENDERINGS.index(entry.fidelity)]
        return [worth * share + bonus * min(share, has) for share in self._shares]

    def _unit(self, entry: Entry, worths: Sequence[float], held: frozenset[Ref]) -> Unit:
        sizes = [self._texts.tokens(entry, fidelity) for fidelity in _RENDERINGS]
        choices = tuple(map(Choice, _RENDERINGS, sizes, worths))
        needs = self._texts.needs(entry.ref)
        if any(entry.ref in self._texts.needs(need) for need in needs):
            # One of a cycle of needs is needed by those it brings along: it is there whole or not at all.
            choices = choices[:1]
        return Unit(entry.ref, choices, tuple(ref for ref in needs if ref not in held))

    def _needed_tokens(self, units: Iterable[Unit]) -> dict[Ref, Tokens]:
        refs = dict.fromkeys(ref for unit in units for ref in unit.needs)
        return {ref: self._texts.tokens(self._entry(ref), Fidelity.FULL) for ref in refs}

    def _entry(self, ref: Ref) -> Entry:
        return self._draft.entries.get(ref) or _as_arriving(self._texts.candidates[ref], self._draft)


def _all_tokens(units: Sequence[Unit], needed: Mapping[Ref, Tokens]) -> int:
    whole = sum(max(choice.tokens for choice in unit.choices) for unit in units if unit.ref not in needed)
    return whole + sum(needed.values())


def _as_arriving(candidate: Candidate, draft: Draft) -> Entry:
    return entry_of(candidate, Tier.RESIDENT, Fidelity.FULL, draft.turn, 0)
