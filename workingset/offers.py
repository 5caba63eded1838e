"""What there is to pack: units by ref, what each needs, and the offers that a packing begins with.

A unit that lacks nothing is offered by its steepest rendering. Units that lack the same records are offered as a
bundle: those records with the renderings that make most of them, among all units that lack nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from workingset.choices import Bundle, Choice, Unit, best_of, steepest, together
from workingset.lacking import NOTHING, Lacking, Records
from workingset.vocabulary import Ref, Tokens


class Offer(NamedTuple):
    """A unit's next rendering, or `missing` records for what they would make possible; the best rate comes first.

    `serial` tells two offers of the same apart, and nothing else.
    """

    falling_rate: float
    ref: Ref
    missing: tuple[Ref, ...]
    serial: int
    records: Records
    choice: Choice | None


def offer_of(rate: float, missing: Records, serial: int) -> Offer:
    """Return the offer of records with what they make possible at a rate."""
    names = tuple(sorted(missing))
    return Offer(-rate, names[0], names, serial, missing, None)


class Offered:
    """The units that can enter at all, by ref, with what each needs and is not held; stays as it is.

    `sizes` gives the tokens of each record that may be needed, `users` the units that need it.
    """

    def __init__(self, units: Iterable[Unit], sizes: Mapping[Ref, Tokens], held: frozenset[Ref]) -> None:
        self.sizes = sizes
        self.choices: dict[Ref, tuple[Choice, ...]] = {}
        self.best: dict[Ref, Choice] = {}
        self.needs: dict[Ref, Records] = {}
        self.users: dict[Ref, list[Ref]] = {}
        self._bundles: dict[tuple[tuple[Ref, ...], int, float], Bundle | None] = {}
        for unit in units:
            best = best_of(unit.choices)
            if best is None:
                continue
            if unit.needs and (needs := frozenset(unit.needs) - held):
                if not needs <= sizes.keys():
                    continue
                self.needs[unit.ref] = needs
                for need in needs:
                    self.users.setdefault(need, []).append(unit.ref)
            self.choices[unit.ref], self.best[unit.ref] = unit.choices, best

    def worth_whole(self, ref: Ref) -> float:
        """What a needed record is worth: as much as a unit at its best, and nothing where it is none."""
        return self.best[ref].worth if ref in self.best else 0.0

    def worth_of(self, records: Records) -> float:
        """What needed records are worth together."""
        if self.best.keys().isdisjoint(records):
            return 0.0
        return sum(self.worth_whole(ref) for ref in sorted(records))

    def bundle(self, refs: Sequence[Ref], cost: int, worth: float) -> Bundle | None:
        """What units make most of what they share (`choices.together`); found once, for all tries to fill the room."""
        key = (tuple(refs), cost, worth)
        if key not in self._bundles:
            self._bundles[key] = together(self.of(refs), cost, worth)
        return self._bundles[key]

    def rate(self, refs: Sequence[Ref], cost: int, worth: float) -> float:
        """The rate of that bundle; 0 where there is none."""
        if len(refs) == 1:
            return steepest(self.choices[refs[0]], -cost, -worth)[0]
        bundle = self.bundle(refs, cost, worth)
        return bundle.rate if bundle else 0.0

    def of(self, refs: Iterable[Ref]) -> list[tuple[Ref, Sequence[Choice]]]:
        """The choices of units."""
        return [(ref, self.choices[ref]) for ref in refs]

    def at_most(self, tokens: int) -> Sequence[Ref]:
        """The units that have a rendering of so few tokens."""
        return self._by_least[1][: bisect_right(self._by_least[0], tokens)]

    @cached_property
    def lacking(self) -> Lacking:
        """The units that need something, while nothing of it is there."""
        groups: dict[Records, list[Ref]] = {}
        for ref, needs in self.needs.items():
            groups.setdefault(needs, []).append(ref)
        by_rarity = sorted(self.users, key=lambda ref: (len(self.users[ref]), ref))
        lacking = Lacking(self.users, {ref: place for place, ref in enumerate(by_rarity)})
        for needs, refs in groups.items():
            lacking.add(tuple(refs), needs)
        return lacking

    @cached_property
    def opening(self) -> list[Offer]:
        """What is offered while nothing is there, in order."""
        offers: list[Offer] = []
        for ref, choices in self.choices.items():
            if ref not in self.needs:
                rate, choice = steepest(choices, 0, 0.0)
                offers.append(Offer(-rate, ref, (), 0, NOTHING, choice))
        for missing in self.lacking.groups():
            cost = sum([self.sizes[ref] for ref in missing])
            rate = self.rate(self.lacking.served_by(missing), cost, self.worth_of(missing))
            if rate > 0.0:
                offers.append(offer_of(rate, missing, 0))
        return sorted(offers)

    @cached_property
    def _by_least(self) -> tuple[list[int], list[Ref]]:
        by_least = sorted((min([int(c.tokens) for c in choices]), ref) for ref, choices in self.choices.items())
        return [tokens for tokens, _ in by_least], [ref for _, ref in by_least]
