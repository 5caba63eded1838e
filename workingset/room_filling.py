"""One way to fill a room with what is offered: by falling rate, then by what gains most in what is left."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from workingset.choices import Bundle, Choice, best_of, steepest, together_within
from workingset.lacking import NOTHING, Lacking, Records
from workingset.offers import Offer, Offered, offer_of
from workingset.vocabulary import Ref


class Gain(NamedTuple):
    """What a unit could gain by one of its renderings; the largest comes first, and of equals the cheapest."""

    falling_gain: float
    cost: int
    ref: Ref


class Filling:
    """Renderings and needed records that fit a room; lives within one call of `pack`.

    `bound` is the worth of the relaxation as the first misfit tells it, exact where no unit needs anything; None where
    there was none. `misfits` are the first `misfits_limit` units that did not fit, with the rendering that did not.
    """

    def __init__(self, offered: Offered, room: int, misfits_limit: int) -> None:
        self.bound: float | None = None
        self.misfits: dict[Ref, Choice] = {}
        self.taken: dict[Ref, Choice] = {}
        self.needed: set[Ref] = set()
        self._offered = offered
        self._room = room
        self._left = room
        self._misfits_limit = misfits_limit
        self._lacking = Lacking({}, {})
        self._queue: list[Offer] = []
        self._at = 0
        self._serial = 0

    def take_all(self) -> bool:
        """Take every unit at its best, where all fit."""
        offered = self._offered
        size = sum(int(choice.tokens) for ref, choice in offered.best.items() if ref not in offered.users)
        size += sum(offered.sizes[ref] for ref in offered.users)
        if size > self._left:
            return False
        if not offered.users:
            self._left -= size
            self.taken = dict(offered.best)
            return True
        for ref in sorted(offered.best):
            self._put(ref, offered.best[ref])
        return True

    def fill(self, first: Ref | None = None, choice: Choice | None = None) -> bool:
        """Take offers by falling rate while they fit, then what gains most in what is left.

        A first unit may be named, with its rendering: it enters before any offer. False where it does not fit.
        """
        self._queue = self._offered.opening.copy()
        self._lacking = self._offered.lacking.copy()
        if first is not None and choice is not None:
            missing = self._missing(first)
            if not self._put(first, choice):
                return False
            self._offer_changed(missing)
            self._offer_next(first)
        while self._at < len(self._queue):
            offer = self._queue[self._at]
            self._at += 1
            if offer.choice is None:
                self._consider_bundle(offer.records, -offer.falling_rate)
            else:
                self._consider(offer.ref, offer.choice, -offer.falling_rate)
        self.top_up()
        return True

    def top_up(self) -> None:
        """Take, one after the other, what gains most of all that fits."""
        offered = self._offered
        fitting = {*offered.at_most(self._left), *self.taken}
        gains = [found[0] for ref in fitting if (found := self._gain(ref)) is not None]
        heapify(gains)
        while gains:
            known = heappop(gains)
            found = self._gain(known.ref)
            if found is None:
                continue
            if found[0] > known:
                heappush(gains, found[0])
                continue
            missing = self._missing(known.ref)
            self._put(known.ref, found[1])
            # What came in makes what needs it cheaper; all else can only have become less possible.
            touched = {user for ref in (*missing, known.ref) for user in offered.users.get(ref, ())}
            for ref in (known.ref, *touched):
                if (found := self._gain(ref)) is not None:
                    heappush(gains, found[0])

    def without(self, ref: Ref) -> Filling:
        """Return the filling without a unit and what only it needed."""
        other = Filling(self._offered, self._room, self._misfits_limit)
        other.taken = {taken: choice for taken, choice in self.taken.items() if taken != ref}
        needs = self._offered.needs
        other.needed = {need for taken in other.taken if taken in needs for need in needs[taken]}
        other._left -= other.tokens()
        return other

    def take_by_themselves(self) -> None:
        """Make units of needed records that nothing taken needs any more; one that is no unit leaves.

        Those that need others go first, so that what they need is still needed then.
        """
        needs = self._offered.needs
        required = {need for taken in self.taken for need in needs.get(taken, frozenset())}
        for ref in sorted(self.needed - required, key=lambda ref: (-len(needs.get(ref, frozenset())), ref)):
            if ref in required:
                continue
            self.needed.discard(ref)
            if ref in self._offered.best and needs.get(ref, frozenset()) <= self.needed:
                self.taken[ref] = self._offered.best[ref]
                required |= needs.get(ref, frozenset())

    def last_taken(self, number: int) -> list[Ref]:
        """The units taken last, newest first."""
        return list(self.taken)[: -number - 1 : -1]

    def worth(self) -> float:
        """What all of it is worth; in the order of refs, so that equal fillings are equally much worth."""
        worths = {ref: choice.worth for ref, choice in self.taken.items()}
        worths.update({ref: self._offered.worth_whole(ref) for ref in self.needed})
        return sum(worths[ref] for ref in sorted(worths))

    def tokens(self) -> int:
        """The tokens of all of it."""
        taken = sum(choice.tokens for choice in self.taken.values())
        return taken + sum(self._offered.sizes[ref] for ref in self.needed)

    def _consider(self, ref: Ref, choice: Choice, rate: float) -> None:
        now = self.taken.get(ref)
        if ref in self.needed or (now is not None and choice.worth <= now.worth):
            return
        cost = choice.tokens - (now.tokens if now else 0)
        if cost > self._left:
            self._miss(ref, choice, rate)
        else:
            self._left -= cost
            self.taken[ref] = choice
            self._offer_next(ref)

    def _consider_bundle(self, missing: Records, rate: float) -> None:
        if missing not in self._lacking.groups():
            return
        if self._cost_of(missing) >= self._left:
            self._miss_bundle(missing, rate)
            return
        bundle = self._bundle(missing)
        if bundle is not None and bundle.cost > self._left:
            self._miss_bundle(missing, rate)
            bundle = self._bundle(missing, self._left)
        if bundle is None:
            return
        if bundle.rate < rate:
            self._offer_bundle(bundle.rate, missing)
            return
        self._left -= bundle.cost
        self._add_needed(missing)
        self.taken.update(bundle.takes)
        self._offer_changed(missing)

    def _offer_changed(self, entered: Records) -> None:
        """Offer anew what lacked some of what entered."""
        if not entered:
            return
        free, grown = self._lacking.enter(entered)
        for ref in free:
            self._offer_next(ref)
        for missing in grown:
            # What does not fit beside its needs now never will: what is taken of them costs the room as much.
            if (cost := self._cost_of(missing)) < self._left:
                served = self._lacking.served_by(missing)
                rate = self._offered.rate(served, cost, self._worth_of(missing))
                if rate > 0.0:
                    self._offer_bundle(rate, missing)

    def _offer_next(self, ref: Ref) -> None:
        now = self.taken.get(ref)
        tokens, worth = (int(now.tokens), now.worth) if now else (0, 0.0)
        rate, choice = steepest(self._offered.choices[ref], tokens, worth)
        if choice is not None:
            self._serial += 1
            insort(self._queue, Offer(-rate, ref, (), self._serial, NOTHING, choice), self._at)

    def _offer_bundle(self, rate: float, missing: Records) -> None:
        self._serial += 1
        insort(self._queue, offer_of(rate, missing, self._serial), self._at)

    def _bundle(self, missing: Records, room: int | None = None) -> Bundle | None:
        """Return the missing records with the renderings of highest rate together; None where there are none."""
        served = self._lacking.served_by(missing)
        cost, worth = self._cost_of(missing), self._worth_of(missing)
        if room is None:
            return self._offered.bundle(served, cost, worth)
        return together_within(self._offered.of(served), cost, worth, room)

    def _gain(self, ref: Ref) -> tuple[Gain, Choice] | None:
        """What of a unit's renderings gains most of those that fit, needs included."""
        now = self.taken.get(ref)
        if ref in self.needed or now is self._offered.best[ref]:
            return None
        worth, beside = (now.worth, -int(now.tokens)) if now else (0.0, 0)
        if ref in self._offered.needs:
            beside += self._cost_of(self._missing(ref))
        left = self._left - beside
        best = best_of([c for c in self._offered.choices[ref] if c.tokens <= left and c.worth > worth])
        return None if best is None else (Gain(worth - best.worth, best.tokens + beside, ref), best)

    def _put(self, ref: Ref, choice: Choice) -> bool:
        """Give a unit a rendering, with all it needs, where that fits."""
        missing = self._missing(ref)
        cost = choice.tokens - self._spent_on(ref) + self._cost_of(missing)
        if ref in self.needed or cost > self._left:
            return False
        self._left -= cost
        self.taken[ref] = choice
        self._add_needed(missing)
        return True

    def _miss(self, ref: Ref, choice: Choice, rate: float) -> None:
        if self.bound is None:
            self.bound = self.worth() + rate * self._left
        if len(self.misfits) < self._misfits_limit:
            self.misfits.setdefault(ref, choice)

    def _miss_bundle(self, missing: Records, rate: float) -> None:
        if len(self.misfits) < self._misfits_limit or self.bound is None:
            best: Mapping[Ref, Choice] = self._offered.best
            ref = min(self._lacking.groups()[missing], key=lambda ref: (-best[ref].worth, ref))
            self._miss(ref, best[ref], rate)

    def _add_needed(self, missing: Iterable[Ref]) -> None:
        for ref in missing:
            self.taken.pop(ref, None)
            self.needed.add(ref)

    def _missing(self, ref: Ref) -> Records:
        return self._offered.needs.get(ref, NOTHING) - self.needed

    def _cost_of(self, missing: Iterable[Ref]) -> int:
        sizes, taken, cost = self._offered.sizes, self.taken, 0
        for ref in missing:
            cost += sizes[ref] - taken[ref].tokens if ref in taken else sizes[ref]
        return cost

    def _worth_of(self, missing: Records) -> float:
        """What records would add by themselves."""
        worth, taken = self._offered.worth_of(missing), self.taken
        if worth and not taken.keys().isdisjoint(missing):
            worth -= sum(taken[ref].worth for ref in sorted(missing) if ref in taken)
        return worth

    def _spent_on(self, ref: Ref) -> int:
        choice = self.taken.get(ref)
        return int(choice.tokens) if choice else 0
