"""The second half of a Focus: what gets a place, at which fidelity, and what gives way.

What cannot be left out comes first: pins with what they need, and the goal. Then the eviction policy nominates
residents for as many tokens as newcomers are short of; the nominated lose their bonus for being there, and packing
decides over all of them at once. One-line references fill what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workingset.candidate import Candidate, Projection
from workingset.entry import Entry
from workingset.eviction.pages import page_of
from workingset.eviction.policy import EvictionPolicy, victims
from workingset.heat import heat_at, worth_of_heat
from workingset.packing import Choice, Packed, Unit, pack
from workingset.remainder import CLOSURE, DUPLICATE_ORIGIN
from workingset.rendering import Block, CountTokens, render
from workingset.settings import PackingSettings, WorkingSetSettings
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Ref, SupportClosure, Tokens


@dataclass(frozen=True, slots=True)
class Window:
    """The results that may enter this turn, in selection order, and why each other ranked one may not."""

    results: tuple[Candidate, ...]
    barred: dict[Ref, str]


def window(projection: Projection, top_k: int) -> Window:
    """Return the first `top_k` results with distinct origins; what lies behind them is left to the caller's default."""
    results: list[Candidate] = []
    barred: dict[Ref, str] = {}
    origins: set[str] = set()
    for candidate in projection.ranked:
        if candidate.origin and candidate.origin in origins:
            barred[candidate.ref] = DUPLICATE_ORIGIN
        elif candidate.closure is SupportClosure.RESOURCE_LIMITED:
            barred[candidate.ref] = CLOSURE
        elif len(results) < top_k:
            results.append(candidate)
            origins.add(candidate.origin)
    return Window(tuple(results), barred)


def fixed_entries(draft: Draft, texts: Texts) -> list[Entry]:
    """Admit what pins need, and return everything that cannot be left out."""
    pinned = [entry for entry in draft.entries.values() if entry.tier is Tier.PINNED]
    for entry in pinned:
        for ref in entry.requires:
            admit_needed(draft, texts, ref)
    needed = {ref for entry in pinned for ref in entry.requires}
    fixed = [e for e in draft.entries.values() if e.tier is Tier.PINNED or e.ref in needed]
    for entry in fixed:
        draft.update(replace(entry, tokens=texts.tokens(entry, Fidelity.FULL)))
    return [draft.entries[entry.ref] for entry in fixed]


def admit_needed(draft: Draft, texts: Texts, ref: Ref) -> None:
    """Make a needed record mandatory; one that is pinned or that nothing can render stays as it is."""
    entry = draft.entries.get(ref)
    if entry is not None and entry.tier is Tier.PINNED:
        return
    if candidate := texts.candidates.get(ref):
        draft.admit(candidate, Tier.MANDATORY, Cause.NEEDED, Fidelity.FULL)


class Choosing:
    """One packing over residents and newcomers; lives within one Focus."""

    def __init__(
        self,
        draft: Draft,
        texts: Texts,
        policy: EvictionPolicy,
        settings: WorkingSetSettings,
        references: int,
        cold: frozenset[Ref],
    ) -> None:
        self._draft = draft
        self._texts = texts
        self._policy = policy
        self._settings = settings
        self._references = references
        self._cold = cold

    def pack_into(
        self, results: Sequence[Candidate], fixed: Sequence[Entry], base: Block, ceiling: Tokens, count: CountTokens
    ) -> Packed:
        """Return the packing whose whole block, fixed entries included, fits the ceiling; `base` is theirs alone."""
        held = frozenset(entry.ref for entry in fixed)
        entries = self._contenders(results, held)
        units = self._units(entries, held, Tokens(ceiling - base.tokens))
        needed = self._needed_tokens(units)
        reserve = int(self._settings.packing.frontier_share * ceiling)
        room = int(max(0, ceiling - base.tokens - reserve))
        while True:
            packed = pack(units, needed, Tokens(room), held)
            block = render([*fixed, *self._rendered(entries, packed)], self._texts.of, count)
            if block.tokens <= ceiling:
                return packed
            room -= max(1, block.tokens - ceiling)

    def _contenders(self, results: Sequence[Candidate], held: frozenset[Ref]) -> dict[Ref, Entry]:
        present = {
            e.ref: e
            for e in self._draft.entries.values()
            if e.tier in {Tier.RESIDENT, Tier.MANDATORY} and e.ref not in held and e.ref not in self._cold
        }
        for candidate in results:
            if candidate.ref not in present and candidate.ref not in held:
                present[candidate.ref] = _as_entry(candidate, self._draft)
        return present

    def _units(self, entries: dict[Ref, Entry], held: frozenset[Ref], room: Tokens) -> list[Unit]:
        nominated = self._nominated(entries, room)
        return [
            Unit(entry.ref, self._choices(entry, entry.ref in nominated), self._needs(entry, held))
            for entry in entries.values()
        ]

    def _nominated(self, entries: dict[Ref, Entry], room: Tokens) -> frozenset[Ref]:
        present = [entry for entry in entries.values() if entry.ref in self._draft.entries]
        arriving = [entry for entry in entries.values() if entry.ref not in self._draft.entries]
        demand = sum(int(entry.tokens) for entry in present)
        demand += sum(self._texts.tokens(entry, Fidelity.OUTLINE) for entry in arriving)
        pages = [page_of(entry, self._references, self._draft.turn) for entry in present if not self._protected(entry)]
        short = Tokens(max(0, demand - room))
        return frozenset(victims(self._policy, pages, short, self._settings.eviction)) if short else frozenset()

    def _protected(self, entry: Entry) -> bool:
        stayed = self._draft.turn - entry.admitted_turn
        return stayed <= self._settings.eviction.minimum_stay_turns or entry.protected_until >= self._draft.turn

    def _choices(self, entry: Entry, nominated: bool) -> tuple[Choice, ...]:
        packing = self._settings.packing
        worth = self._worth(entry, nominated) ** packing.worth_exponent
        shares = _shares(packing)
        return tuple(Choice(f, self._texts.tokens(entry, f), worth * share) for f, share in shares)

    def _worth(self, entry: Entry, nominated: bool) -> float:
        if entry.ref not in self._draft.entries or nominated:
            return float(entry.relevance)
        heat = worth_of_heat(heat_at(entry, self._draft.turn, self._settings.heat))
        return (1.0 + self._settings.packing.stay_margin) * max(float(entry.relevance), heat)

    def _needs(self, entry: Entry, held: frozenset[Ref]) -> tuple[Ref, ...]:
        return tuple(ref for ref in entry.requires if ref not in held and self._texts.has(ref))

    def _needed_tokens(self, units: Iterable[Unit]) -> dict[Ref, Tokens]:
        refs = sorted({ref for unit in units for ref in unit.needs})
        return {ref: self._texts.tokens(self._entry_of(ref), Fidelity.FULL) for ref in refs}

    def _entry_of(self, ref: Ref) -> Entry:
        return self._draft.entries.get(ref) or _as_entry(self._texts.candidates[ref], self._draft)

    def _rendered(self, entries: dict[Ref, Entry], packed: Packed) -> list[Entry]:
        needed = set(packed.needed)
        chosen = [
            replace(entries[ref], tier=Tier.RESIDENT, fidelity=fidelity)
            for ref, fidelity in packed.chosen.items()
            if ref not in needed
        ]
        return [*chosen, *(replace(self._entry_of(ref), fidelity=Fidelity.FULL) for ref in packed.needed)]


def apply_packing(draft: Draft, texts: Texts, results: Sequence[Candidate], packed: Packed) -> None:
    """Write the packing into the draft: newcomers enter with what they need, the unchosen leave."""
    needed = set(packed.needed)
    entering = [c.ref for c in results if c.ref in packed.chosen]
    staying = [ref for ref in draft.entries if ref in packed.chosen and ref not in entering]
    for ref in (*staying, *entering):
        for need in texts.candidates[ref].requires:
            if need in needed:
                admit_needed(draft, texts, need)
        if ref not in needed:
            _settle(draft, texts, ref, packed.chosen[ref])


def settle_mandatory(draft: Draft) -> None:
    """Recompute who needs whom: what something needs is mandatory, what nothing needs any more is resident."""
    required_by: dict[Ref, list[Ref]] = {}
    for entry in draft.entries.values():
        for ref in entry.requires:
            if entry.needs(ref):
                required_by.setdefault(ref, []).append(entry.ref)
    for entry in list(draft.entries.values()):
        by = tuple(sorted(required_by.get(entry.ref, ())))
        draft.update(replace(entry, required_by=by))
        if entry.tier is Tier.MANDATORY and not by:
            draft.demote(entry.ref, Tier.RESIDENT, Cause.DEPENDENTS_LEFT)
        elif entry.tier is Tier.RESIDENT and by:
            draft.promote(entry.ref, Tier.MANDATORY, Cause.NEEDED)


def unchosen(draft: Draft, keep: frozenset[Ref]) -> tuple[list[Entry], list[Entry]]:
    """Return the resident and the mandatory entries that neither packing chose nor anything fixed holds, by order."""
    out = sorted((e for e in draft.entries.values() if e.ref not in keep), key=lambda entry: entry.order)
    return [e for e in out if e.tier is Tier.RESIDENT], [e for e in out if e.tier is Tier.MANDATORY]


def _settle(draft: Draft, texts: Texts, ref: Ref, fidelity: Fidelity) -> None:
    entry = draft.entries.get(ref)
    if entry is None or entry.tier is Tier.FRONTIER_ONLY:
        draft.admit(texts.candidates[ref], Tier.RESIDENT, Cause.RESULT, fidelity)
    elif entry.tier is Tier.MANDATORY:
        draft.demote(ref, Tier.RESIDENT, Cause.DEPENDENTS_LEFT)
        draft.update(replace(draft.entries[ref], fidelity=fidelity))
    else:
        draft.update(replace(entry, fidelity=fidelity))


def _shares(packing: PackingSettings) -> tuple[tuple[Fidelity, float], ...]:
    return (
        (Fidelity.FULL, 1.0),
        (Fidelity.OUTLINE, packing.outline_share),
        (Fidelity.GIST, packing.gist_share),
    )


def _as_entry(candidate: Candidate, draft: Draft) -> Entry:
    return Entry(
        ref=candidate.ref,
        namespace=candidate.namespace,
        kind=candidate.kind,
        title=candidate.title,
        tier=Tier.RESIDENT,
        fidelity=Fidelity.FULL,
        generation=candidate.generation,
        digest=candidate.digest,
        admitted_turn=draft.turn,
        order=0,
        path=candidate.path,
        lines=candidate.lines,
        relevance=candidate.relevance,
        requires=candidate.requires,
        closure=candidate.closure,
        standing=candidate.standing,
        successor=candidate.successor,
    )
