"""Packing: which rendering of which entry is worth its tokens.

A multiple-choice knapsack (Sinha and Zoltners, Operations Research 1979): of each unit at most one rendering is taken.
Solved greedily on the upper hull of each unit's renderings, which is the linear relaxation's own order, then filled up
with what still fits. It goes on after a misfit and never takes what does not fit. Deviation: a unit may need other
records whole (its closure); their tokens are charged to the first unit that needs them, and a unit enters only with all
of them.

Linear in units apart from one sort; ties end on the ref.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workingset.vocabulary import Fidelity, Ref, Tokens


@dataclass(frozen=True, slots=True)
class Choice:
    """One rendering of a unit: what it costs in tokens and what it is worth."""

    fidelity: Fidelity
    tokens: Tokens
    worth: float


@dataclass(frozen=True, slots=True)
class Unit:
    """A result with its renderings and the refs it may not enter without."""

    ref: Ref
    choices: tuple[Choice, ...]
    needs: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class Packed:
    """The rendering chosen for each unit that entered, the needed refs that entered with them, and the tokens taken."""

    chosen: Mapping[Ref, Fidelity]
    needed: tuple[Ref, ...]
    tokens: Tokens
    worth: float


@dataclass(frozen=True, slots=True)
class _Step:
    rate: float
    unit: Unit
    level: int
    choice: Choice


def hull(choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices on the upper hull of worth over tokens, cheapest first; dominated ones are left out."""
    kept: list[Choice] = []
    for choice in sorted(choices, key=lambda c: (c.tokens, -c.worth)):
        if kept and choice.worth <= kept[-1].worth:
            continue
        while len(kept) >= 2 and _rate(kept[-2], choice) >= _rate(kept[-2], kept[-1]):
            kept.pop()
        if len(kept) == 1 and choice.worth * kept[0].tokens >= kept[0].worth * choice.tokens:
            kept.pop()
        kept.append(choice)
    return kept


def pack(units: Sequence[Unit], needed_tokens: Mapping[Ref, Tokens], room: Tokens, held: frozenset[Ref]) -> Packed:
    """Choose renderings within `room` tokens.

    `needed_tokens` gives the size of every ref that a unit may need; `held` are needed refs that are in the set anyway
    and cost nothing more. A unit whose needs are not all in either is left out.
    """
    filling = _Filling(dict(needed_tokens), int(room), set(held))
    by_ref = {unit.ref: unit for unit in units}
    for step in _steps(units):
        filling.take(step.unit, step.level, step.choice)
    for ref in sorted(by_ref, key=lambda r: (-max((c.worth for c in by_ref[r].choices), default=0.0), r)):
        filling.raise_to_best(by_ref[ref])
    return filling.packed()


def relaxed_bound(units: Sequence[Unit], room: Tokens) -> float:
    """Return the linear relaxation's worth: no packing of units without needs can be worth more."""
    left, worth = float(room), 0.0
    for step in _steps(units):
        previous = _previous(step)
        cost = step.choice.tokens - (previous.tokens if previous else 0)
        gain = step.choice.worth - (previous.worth if previous else 0.0)
        share = min(1.0, left / cost) if cost > 0 else 1.0
        worth += gain * share
        left -= cost * share
        if left <= 0:
            break
    return worth


class _Filling:
    """The knapsack while it is being filled; lives within one call of `pack`."""

    def __init__(self, needed_tokens: dict[Ref, Tokens], room: int, held: set[Ref]) -> None:
        self._needed_tokens = needed_tokens
        self._room = room
        self._held = held
        self._levels: dict[Ref, int] = {}
        self._taken: dict[Ref, Choice] = {}
        self._needed: list[Ref] = []
        self._spent = 0

    def take(self, unit: Unit, level: int, choice: Choice) -> None:
        """Take the next step of a unit's hull where the one before was taken and it fits."""
        if self._levels.get(unit.ref, -1) == level - 1 and self._fit(unit, choice):
            self._levels[unit.ref] = level

    def raise_to_best(self, unit: Unit) -> None:
        """Give the unit the best rendering, on its hull or not, that what is left has room for."""
        now = self._taken.get(unit.ref)
        for choice in sorted(unit.choices, key=lambda c: (-c.worth, c.tokens)):
            if (now and choice.worth <= now.worth) or choice.worth <= 0.0:
                return
            if self._fit(unit, choice):
                return

    def _fit(self, unit: Unit, choice: Choice) -> bool:
        missing = [ref for ref in unit.needs if ref not in self._held]
        if any(ref not in self._needed_tokens for ref in missing):
            return False
        before = self._taken.get(unit.ref)
        cost = choice.tokens - (before.tokens if before else 0) + sum(self._needed_tokens[ref] for ref in missing)
        if self._spent + cost > self._room:
            return False
        self._spent += cost
        self._taken[unit.ref] = choice
        self._held.update(missing)
        self._needed.extend(missing)
        return True

    def packed(self) -> Packed:
        worth = sum(choice.worth for _, choice in sorted(self._taken.items()))
        chosen = {ref: choice.fidelity for ref, choice in self._taken.items()}
        return Packed(chosen, tuple(self._needed), Tokens(self._spent), worth)


def _steps(units: Sequence[Unit]) -> list[_Step]:
    steps: list[_Step] = []
    for unit in units:
        previous: Choice | None = None
        for level, choice in enumerate(hull([c for c in unit.choices if c.worth > 0.0])):
            cost = choice.tokens - (previous.tokens if previous else 0)
            gain = choice.worth - (previous.worth if previous else 0.0)
            steps.append(_Step(gain / cost if cost else float("inf"), unit, level, choice))
            previous = choice
    return sorted(steps, key=lambda step: (-step.rate, step.unit.ref, step.level))


def _previous(step: _Step) -> Choice | None:
    return hull([c for c in step.unit.choices if c.worth > 0.0])[step.level - 1] if step.level else None


def _rate(low: Choice, high: Choice) -> float:
    cost = high.tokens - low.tokens
    return (high.worth - low.worth) / cost if cost else float("inf")
