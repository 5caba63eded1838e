"""Packing: which rendering of which entry is worth its tokens.

A multiple-choice knapsack (Sinha and Zoltners, Operations Research 1979): of each unit at most one rendering is taken.
Solved greedily on the upper hull of each unit's renderings, which is the linear relaxation's own order, then filled up
with what still fits. It goes on after a misfit and never takes what does not fit. Deviation: a unit may need other
records whole (its closure). They count with the unit's own tokens when units are put in order, are charged to the first
unit that needs them and to no other, and a unit enters only with all of them.

Linear in units apart from two sorts; ties end on the ref.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

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
    """The rendering chosen for each unit that entered, the needed refs that entered whole, and the tokens taken.

    No ref is in both: a unit that another one needs is among the needed.
    """

    chosen: Mapping[Ref, Fidelity]
    needed: tuple[Ref, ...]
    tokens: Tokens
    worth: float


class _Step(NamedTuple):
    """One step up a unit's hull. Steps sort by falling rate, then ref, then level."""

    falling_rate: float
    ref: Ref
    level: int
    unit: Unit
    choice: Choice
    cost: int
    gain: float


def hull(choices: Sequence[Choice], beside: int = 0) -> list[Choice]:
    """Return the choices on the upper hull of worth over tokens, cheapest first; dominated ones are left out.

    `beside` is what comes with any of them, in tokens.
    """
    kept: list[Choice] = []
    for choice in sorted(choices, key=lambda c: (c.tokens, -c.worth)):
        if choice.worth <= (kept[-1].worth if kept else 0.0):
            continue
        while kept and _not_below(kept[-2] if len(kept) > 1 else None, kept[-1], choice, beside):
            kept.pop()
        kept.append(choice)
    return kept


def pack(units: Sequence[Unit], needed_tokens: Mapping[Ref, Tokens], room: Tokens, held: frozenset[Ref]) -> Packed:
    """Choose renderings within `room` tokens.

    `needed_tokens` gives the size of every ref that a unit may need; `held` are needed refs that are in the set anyway
    and cost nothing more. A unit whose needs are not all in either is left out.
    """
    able = [unit for unit in units if all(ref in held or ref in needed_tokens for ref in unit.needs)]
    filling = _Filling(able, needed_tokens, int(room), held)
    for step in _steps(able, needed_tokens, held):
        filling.take(step)
    for unit in filling.by_worth():
        filling.raise_to_best(unit)
    return filling.packed()


def relaxed_bound(units: Sequence[Unit], room: Tokens) -> float:
    """Return the linear relaxation's worth: no packing of units without needs can be worth more."""
    left, worth = float(room), 0.0
    for step in _steps(units, {}, frozenset()):
        share = min(1.0, left / step.cost) if step.cost > 0 else 1.0
        worth += step.gain * share
        left -= step.cost * share
        if left <= 0:
            break
    return worth


class _Filling:
    """The knapsack while it is being filled; lives within one call of `pack`."""

    def __init__(
        self, units: Sequence[Unit], needed_tokens: Mapping[Ref, Tokens], room: int, held: frozenset[Ref]
    ) -> None:
        self._units = units
        self._worth = {unit.ref: max((c.worth for c in unit.choices), default=0.0) for unit in units}
        self._needed_tokens = needed_tokens
        self._left = room
        self._held = held
        self._levels: dict[Ref, int] = {}
        self._taken: dict[Ref, Choice] = {}
        self._needed: dict[Ref, Tokens] = {}

    def take(self, step: _Step) -> None:
        """Take the next step of a unit's hull where the one before was taken and it fits."""
        if self._levels.get(step.ref, -1) == step.level - 1 and self._fit(step.unit, step.choice):
            self._levels[step.ref] = step.level

    def by_worth(self) -> list[Unit]:
        """Return the units that could be worth more, those that could be worth most first."""
        open_units = [unit for unit in self._units if self._worth[unit.ref] > self._worth_now(unit.ref)]
        return sorted(open_units, key=lambda unit: (-self._worth[unit.ref], unit.ref))

    def raise_to_best(self, unit: Unit) -> None:
        """Give the unit the best rendering, on its hull or not, that what is left has room for."""
        now = self._worth_now(unit.ref)
        for choice in sorted(unit.choices, key=lambda c: (-c.worth, c.tokens)):
            if choice.worth <= now or self._fit(unit, choice):
                return

    def packed(self) -> Packed:
        """Return what was taken."""
        worths = {ref: choice.worth for ref, choice in self._taken.items()}
        worths.update({ref: self._worth.get(ref, 0.0) for ref in self._needed})
        tokens = sum(choice.tokens for choice in self._taken.values()) + sum(self._needed.values())
        chosen = {ref: choice.fidelity for ref, choice in self._taken.items()}
        return Packed(chosen, tuple(self._needed), Tokens(tokens), sum(worths[ref] for ref in sorted(worths)))

    def _fit(self, unit: Unit, choice: Choice) -> bool:
        if unit.ref in self._needed:
            return False
        cost = choice.tokens - self._spent_on(unit.ref)
        missing = [ref for ref in unit.needs if ref not in self._held and ref not in self._needed]
        for ref in missing:
            cost += self._needed_tokens[ref] - self._spent_on(ref)
        if cost > self._left:
            return False
        self._left -= cost
        self._taken[unit.ref] = choice
        for ref in missing:
            self._taken.pop(ref, None)
            self._needed[ref] = self._needed_tokens[ref]
        return True

    def _worth_now(self, ref: Ref) -> float:
        choice = self._taken.get(ref)
        return choice.worth if choice else 0.0

    def _spent_on(self, ref: Ref) -> int:
        choice = self._taken.get(ref)
        return int(choice.tokens) if choice else 0


def _steps(units: Sequence[Unit], needed_tokens: Mapping[Ref, Tokens], held: frozenset[Ref]) -> list[_Step]:
    steps: list[_Step] = []
    for unit in units:
        beside = sum(needed_tokens[ref] for ref in unit.needs if ref not in held)
        tokens, worth = -beside, 0.0
        for level, choice in enumerate(hull(unit.choices, beside)):
            cost, gain = choice.tokens - tokens, choice.worth - worth
            rate = gain / cost if cost > 0 else inf
            steps.append(_Step(-rate, unit.ref, level, unit, choice, cost, gain))
            tokens, worth = int(choice.tokens), choice.worth
    steps.sort()
    return steps


def _not_below(before: Choice | None, last: Choice, choice: Choice, beside: int) -> bool:
    """True where `choice` lies on or above the line from `before`, or from nothing, through `last`."""
    tokens, worth = (int(before.tokens), before.worth) if before else (-beside, 0.0)
    return (choice.worth - worth) * (last.tokens - tokens) >= (last.worth - worth) * (choice.tokens - tokens)
