"""What gets a place, at which fidelity: one packing over residents and newcomers.

The eviction policy nominates residents for as many tokens as newcomers are short of; the nominated lose their bonus for
being there, and packing decides over all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workingset.candidate import Candidate, Projection
from workingset.entry import Entry
from workingset.eviction.pages import page_of
from workingset.eviction.policy import victims
from workingset.eviction.registry import policy_named
from workingset.heat import heat_at, worth_of_heat
from workingset.packing import Choice, Packed, Unit, pack
from workingset.remainder import CLOSURE, DUPLICATE_ORIGIN
from workingset.settings import WorkingSetSettings
from workingset.tier import Tier
from workingset.transitions.draft import Draft
from workingset.transitions.records import entry_of
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


def window(projection: Projection, top_k: int) -> Window:
    """Return the first `top_k` results with distinct origins whose closure is known; a bound hit is not knowing."""
    results: list[Candidate] = []
    barred: dict[Ref, str] = {}
    origins: set[str] = set()
    for candidate in projection.ranked:
        if candidate.origin and candidate.origin in origins:
            barred[candidate.ref] = DUPLICATE_ORIGIN
        elif candidate.closure in _NOT_CLOSED_OVER:
            barred[candidate.ref] = CLOSURE
        elif len(results) < top_k:
            results.append(candidate)
            origins.add(candidate.origin)
    return Window(tuple(results), barred)


class Choosing:
    """One choice among the entries of a draft, but for `cold` ones, and results; lives within one Focus.

    `held` are the refs that have their place anyway; `references` is the reference clock.
    """

    def __init__(
        self,
        draft: Draft,
        texts: Texts,
        settings: WorkingSetSettings,
        references: int,
        held: frozenset[Ref],
        cold: frozenset[Ref],
    ) -> None:
        self._draft = draft
        self._texts = texts
        self._settings = settings
        self._references = references
        self._held = held
        self._shares = (1.0, settings.packing.outline_share, settings.packing.gist_share)
        self._present = [
            entry
            for entry in draft.entries.values()
            if entry.tier in _TEXT_TIERS and entry.ref not in held and entry.ref not in cold
        ]

    def choose(self, results: Sequence[Candidate], room: Tokens, reserve: Tokens) -> Packed:
        """Return the packing of residents and results within `room`.

        `reserve` of it is kept free for lines, but not where it would cost a result its full text and all else fits.
        """
        there = {entry.ref for entry in self._present}
        arriving = [_as_arriving(c, self._draft) for c in results if c.ref not in there and c.ref not in self._held]
        nominated = self._nominated(arriving, room)
        worths = [
            (entry, self._worths(entry) if entry.ref in nominated else self._worths_of_staying(entry))
            for entry in self._present
        ]
        worths += [(entry, self._worths(entry)) for entry in arriving]
        units = [self._unit(entry, worth) for entry, worth in worths if worth[0] > 0.0]
        needed = self._needed_tokens(units)
        if _all_tokens(units, needed) > room:
            room = Tokens(room - reserve)
        return pack(units, needed, room, self._held)

    def _nominated(self, arriving: Sequence[Entry], room: Tokens) -> frozenset[Ref]:
        demand = sum(int(entry.tokens) for entry in self._present)
        demand += sum(self._texts.tokens(entry, Fidelity.OUTLINE) for entry in arriving)
        if demand <= room:
            return frozenset()
        turn, policy = self._draft.turn, policy_named(self._settings.eviction.policy)
        pages = [page_of(entry, self._references, turn) for entry in self._present if self._may_be_nominated(entry)]
        return frozenset(victims(policy, pages, Tokens(demand - room), self._settings.eviction))

    def _may_be_nominated(self, entry: Entry) -> bool:
        stayed = self._draft.turn - entry.admitted_turn
        protected = stayed <= self._settings.eviction.minimum_stay_turns or entry.protected_until >= self._draft.turn
        return entry.tier is Tier.RESIDENT and not protected

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

    def _unit(self, entry: Entry, worths: Sequence[float]) -> Unit:
        sizes = [self._texts.tokens(entry, fidelity) for fidelity in _RENDERINGS]
        choices = tuple(map(Choice, _RENDERINGS, sizes, worths))
        needs = self._texts.needs(entry.ref)
        if any(entry.ref in self._texts.needs(need) for need in needs):
            # One of a cycle of needs is needed by those it brings along: it is there whole or not at all.
            choices = choices[:1]
        return Unit(entry.ref, choices, tuple(ref for ref in needs if ref not in self._held))

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
