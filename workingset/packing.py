"""Packing: which rendering of which entry is worth its tokens.

A multiple-choice knapsack (Sinha and Zoltners, Operations Research 1979): of each unit at most one rendering is taken.
Solved greedily up the hull of each unit's renderings, steepest step first, which is the linear relaxation's own order.
It goes on after a misfit and never takes what does not fit; what is left over goes to what gains most by it. Where that
is well below the relaxation, as in a room for a few results, it tries again with what did not fit put in first, and
with one thing taken out for others.

Deviation: a unit may need other records whole (its closure), and a record may be needed by many. What is missing is
offered with the renderings that make most of it, token by token, among all units that lack nothing else; so a need is
weighed against all that it serves and charged once, and no unit enters without all of its own.

Ties end on the ref; the order of the input does not count.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from workingset.choices import Choice, Step, Unit, best_of, climb, rate_of, steepest
from workingset.vocabulary import Fidelity, Ref, Tokens

__all__ = ["Choice", "Packed", "SearchSettings", "Unit", "pack"]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How long packing looks for better than its first answer."""

    gap_share: float = 0.02
    """Guess: so near the relaxation there is little to find. Sets of many entries are nearer than that at once."""
    retries: int = 8
    """Measured (tests/golden/packing): so many of what did not fit are tried first; 16 found nothing more."""
    exchanges: int = 8
    """Measured, as above: so many of what was taken last are tried to be replaced."""


@dataclass(frozen=True, slots=True)
class Packed:
    """The rendering chosen for each unit that entered, the needed refs that entered whole, and the tokens taken.

    Both are by ref. No ref is in both: a unit that another one needs is among the needed, and worth its best rendering.
    """

    chosen: Mapping[Ref, Fidelity]
    needed: tuple[Ref, ...]
    tokens: Tokens
    worth: float


_NONE: frozenset[Ref] = frozenset()
_SEARCH = SearchSettings()


def pack(
    units: Sequence[Unit],
    needed_tokens: Mapping[Ref, Tokens],
    room: Tokens,
    held: frozenset[Ref],
    search: SearchSettings = _SEARCH,
) -> Packed:
    """Choose renderings within `room` tokens.

    `needed_tokens` gives the size of every ref that a unit may need; `held` are needed refs that are in the set anyway
    and cost nothing more. A unit whose needs are not all in either is left out.
    """
    offered = _Offered(units, needed_tokens, held)
    filling = _Filling(offered, int(room))
    if not filling.take_all():
        filling.fill()
        if filling.worth() < (1.0 - search.gap_share) * filling.bound:
            filling = _improved(filling, offered, int(room), search)
    return filling.packed()


class _Offer(NamedTuple):
    """A unit's next rendering, or `missing` records for what they would make possible; the best rate comes first.

    `serial` tells two offers of the same records apart, and nothing else.
    """

    falling_rate: float
    ref: Ref
    missing: tuple[Ref, ...]
    serial: int
    choice: Choice | None


class _Bundle(NamedTuple):
    """Missing records with the renderings that make most of them."""

    rate: float
    cost: int
    takes: Mapping[Ref, Choice]


class _Offered:
    """What there is to pack, by ref: the units that can enter at all, with what each needs and is not held."""

    def __init__(self, units: Iterable[Unit], sizes: Mapping[Ref, Tokens], held: frozenset[Ref]) -> None:
        self.sizes = sizes
        self.choices: dict[Ref, tuple[Choice, ...]] = {}
        self.best: dict[Ref, Choice] = {}
        self.needs: dict[Ref, frozenset[Ref]] = {}
        self._climbs: dict[Ref, list[Step]] = {}
        for unit in units:
            best = best_of(unit.choices)
            if best is None:
                continue
            if unit.needs and (needs := frozenset(unit.needs) - held):
                if not needs <= sizes.keys():
                    continue
                self.needs[unit.ref] = needs
            self.choices[unit.ref], self.best[unit.ref] = unit.choices, best

    def worth_whole(self, ref: Ref) -> float:
        """What a needed record is worth: as much as a unit at its best, and nothing where it is none."""
        return self.best[ref].worth if ref in self.best else 0.0

    def climb(self, ref: Ref) -> list[Step]:
        """The steps up a unit's hull."""
        if ref not in self._climbs:
            self._climbs[ref] = climb(ref, self.choices[ref])
        return self._climbs[ref]


class _Filling:
    """One way to fill the room; lives within one call of `pack`.

    `bound` is the worth of the relaxation as the first misfit tells it: exact where no unit needs anything.
    """

    def __init__(self, offered: _Offered, room: int) -> None:
        self.bound = 0.0
        self.misfits: dict[Ref, Choice] = {}
        self._offered = offered
        self._left = room
        self._taken: dict[Ref, Choice] = {}
        self._needed: set[Ref] = set()
        self._lacking: dict[frozenset[Ref], list[Ref]] = {}
        self._queue: list[_Offer] = []
        self._at = 0
        self._serial = 0

    def take_all(self) -> bool:
        """Take every unit at its best, where all fit."""
        offered = self._offered
        needed = {need for needs in offered.needs.values() for need in needs}
        size = sum(int(choice.tokens) for ref, choice in offered.best.items() if ref not in needed)
        size += sum(offered.sizes[ref] for ref in needed)
        if size > self._left:
            return False
        if not needed:
            self._left -= size
            self._taken = dict(offered.best)
            return True
        for ref in sorted(offered.best):
            self.put(ref, offered.best[ref])
        return True

    def put(self, ref: Ref, choice: Choice) -> bool:
        """Give a unit a rendering, with all it needs, where that fits."""
        missing = self._missing(ref)
        cost = choice.tokens - self._spent_on(ref) + self._cost_of(missing)
        if ref in self._needed or cost > self._left:
            return False
        self._left -= cost
        self._taken[ref] = choice
        self._add_needed(missing)
        return True

    def without(self, ref: Ref, room: int) -> _Filling:
        """Return the filling without a unit and what only it needed."""
        other = _Filling(self._offered, room)
        other._taken = {taken: choice for taken, choice in self._taken.items() if taken != ref}
        needs = self._offered.needs
        other._needed = {need for taken in other._taken if taken in needs for need in needs[taken]}
        other._left -= other._tokens()
        return other

    def fill(self) -> None:
        """Take offers by falling rate while they fit, then what gains most in what is left."""
        self._open()
        while self._at < len(self._queue):
            falling_rate, ref, missing, _, choice = self._queue[self._at]
            self._at += 1
            if choice is None:
                self._take_bundle(frozenset(missing), -falling_rate)
            elif ref not in self._needed:
                cost = choice.tokens - self._spent_on(ref)
                if cost > self._left:
                    self._miss(ref, choice, -falling_rate)
                else:
                    self._left -= cost
                    self._taken[ref] = choice
                    self._offer_next(ref)
        self.top_up()

    def top_up(self) -> None:
        """Take, one after the other, what gains most of all that fits."""
        left = self._left
        fitting = {ref for ref, choices in self._offered.choices.items() for c in choices if c.tokens <= left}
        fitting.update(self._taken)
        while gains := [gain for ref in fitting if (gain := self._best_gain(ref)) is not None]:
            _, _, ref, choice = min(gains, key=lambda gain: gain[:3])
            self.put(ref, choice)
            if not self._offered.needs:
                # What fits nothing now never will, unless something that it needs comes in with another one.
                fitting = {gain[2] for gain in gains}

    def last_taken(self, number: int) -> list[Ref]:
        """The units taken last, newest first."""
        return list(self._taken)[: -number - 1 : -1]

    def worth(self) -> float:
        """What all of it is worth; in the order of refs, so that equal fillings are equally much worth."""
        worths = {ref: choice.worth for ref, choice in self._taken.items()}
        worths.update({ref: self._offered.worth_whole(ref) for ref in self._needed})
        return sum(worths[ref] for ref in sorted(worths))

    def packed(self) -> Packed:
        """Return what was taken."""
        chosen = {ref: self._taken[ref].fidelity for ref in sorted(self._taken)}
        return Packed(chosen, tuple(sorted(self._needed)), Tokens(self._tokens()), self.worth())

    def _open(self) -> None:
        """Offer every unit's next rendering, and of units that lack something what they lack."""
        offered, queue = self._offered, self._queue
        for ref, choices in offered.choices.items():
            if ref in offered.needs and (missing := self._missing(ref)):
                self._lacking.setdefault(missing, []).append(ref)
            else:
                now = self._taken.get(ref)
                rate, choice = steepest(choices, now.tokens, now.worth) if now else steepest(choices, 0, 0.0)
                if choice is not None:
                    queue.append(_Offer(-rate, ref, (), 0, choice))
        queue.sort()
        for missing in list(self._lacking):
            self._offer_bundle(missing)

    def _offer_next(self, ref: Ref) -> None:
        now = self._taken.get(ref)
        rate, choice = steepest(self._offered.choices[ref], self._spent_on(ref), now.worth if now else 0.0)
        if choice is not None:
            insort(self._queue, _Offer(-rate, ref, (), 0, choice), self._at)

    def _offer_bundle(self, missing: frozenset[Ref], room: float = inf) -> None:
        bundle = self._bundle(missing, room)
        if bundle is not None:
            self._serial += 1
            names = tuple(sorted(missing))
            insort(self._queue, _Offer(-bundle.rate, names[0], names, self._serial, None), self._at)

    def _take_bundle(self, missing: frozenset[Ref], rate: float) -> None:
        if missing not in self._lacking:
            return
        bundle = self._bundle(missing, self._left)
        if bundle is None or bundle.rate < rate:
            best = min(self._lacking[missing], key=lambda ref: (-self._offered.best[ref].worth, ref))
            self._miss(best, self._offered.best[best], rate)
            if bundle is not None:
                self._offer_bundle(missing, self._left)
            return
        self._left -= bundle.cost
        self._add_needed(missing)
        self._taken.update(bundle.takes)
        for lacked in [lacked for lacked in self._lacking if lacked & missing]:
            self._regroup(lacked, lacked - missing)

    def _regroup(self, lacked: frozenset[Ref], lacking: frozenset[Ref]) -> None:
        """Offer anew the units that lacked the one and now lack the other."""
        refs = [ref for ref in self._lacking.pop(lacked) if ref not in self._needed]
        if not lacking:
            for ref in refs:
                self._offer_next(ref)
        elif refs:
            self._lacking.setdefault(lacking, []).extend(refs)
            self._offer_bundle(lacking)

    def _bundle(self, missing: frozenset[Ref], room: float) -> _Bundle | None:
        """Return the missing records with the renderings of highest rate together; None where nothing fits."""
        cost = self._cost_of(missing)
        gain = sum(self._offered.worth_whole(ref) - self._worth_now(ref) for ref in sorted(missing))
        served = [ref for lacked, refs in self._lacking.items() if lacked <= missing for ref in refs]
        served = [ref for ref in served if ref not in missing and ref not in self._needed]
        takes: dict[Ref, Choice] = {}
        closed: set[Ref] = set()
        for step in sorted(step for ref in served for step in self._offered.climb(ref)):
            if takes and -step.falling_rate <= rate_of(gain, cost):
                break
            if step.ref in closed or cost + step.cost > room:
                closed.add(step.ref)
                continue
            cost += step.cost
            gain += step.gain
            takes[step.ref] = step.choice
        return _Bundle(rate_of(gain, cost), cost, takes) if takes else None

    def _best_gain(self, ref: Ref) -> tuple[float, int, Ref, Choice] | None:
        """What of a unit's renderings gains most of those that fit: the gain, falling, and its cost come first."""
        now = self._taken.get(ref)
        if ref in self._needed or now is self._offered.best[ref]:
            return None
        worth, beside = (now.worth, -now.tokens) if now else (0.0, 0)
        if ref in self._offered.needs:
            beside += self._cost_of(self._missing(ref))
        left = self._left - beside
        fitting = [c for c in self._offered.choices[ref] if c.tokens <= left and c.worth > worth]
        best = best_of(fitting)
        return None if best is None else (worth - best.worth, best.tokens + beside, ref, best)

    def _miss(self, ref: Ref, choice: Choice, rate: float) -> None:
        if not self.misfits:
            self.bound = self.worth() + rate * self._left
        self.misfits.setdefault(ref, choice)

    def _add_needed(self, missing: Iterable[Ref]) -> None:
        for ref in missing:
            self._taken.pop(ref, None)
            self._needed.add(ref)

    def _missing(self, ref: Ref) -> frozenset[Ref]:
        return self._offered.needs.get(ref, _NONE) - self._needed

    def _cost_of(self, missing: Iterable[Ref]) -> int:
        return sum(self._offered.sizes[ref] - self._spent_on(ref) for ref in missing)

    def _spent_on(self, ref: Ref) -> int:
        choice = self._taken.get(ref)
        return int(choice.tokens) if choice else 0

    def _worth_now(self, ref: Ref) -> float:
        choice = self._taken.get(ref)
        return choice.worth if choice else 0.0

    def _tokens(self) -> int:
        taken = sum(choice.tokens for choice in self._taken.values())
        return taken + sum(self._offered.sizes[ref] for ref in self._needed)


def _improved(first: _Filling, offered: _Offered, room: int, search: SearchSettings) -> _Filling:
    """Return the best of a filling, of others that begin with what did not fit in it, and of exchanges in the best."""
    best, worth = first, first.worth()
    for ref, choice in list(first.misfits.items())[: search.retries]:
        other = _Filling(offered, room)
        if other.put(ref, choice):
            other.fill()
            if other.worth() > worth:
                best, worth = other, other.worth()
    goes_on = True
    while goes_on:
        goes_on = False
        for ref in best.last_taken(search.exchanges):
            other = best.without(ref, room)
            other.top_up()
            if other.worth() > worth:
                best, worth, goes_on = other, other.worth(), True
                break
    return best
