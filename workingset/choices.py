"""Renderings to choose from: what they cost, what they are worth, and which of them are worth their tokens.

The upper hull of a unit's renderings (Sinha and Zoltners, Operations Research 1979) is climbed step by step, steepest
first. Steps of several units in one order are the linear relaxation's order. The renderings that make most of what they
share, token by token, are found by Dinkelbach's iteration (Management Science 1967). Ties end on the ref.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


class Step(NamedTuple):
    """One step up a unit's hull. Steps sort by falling rate, then ref, then level."""

    falling_rate: float
    ref: Ref
    level: int
    cost: int
    gain: float
    choice: Choice


class Bundle(NamedTuple):
    """Renderings beside what they share: worth for each token of all of it, its tokens, and who takes which."""

    rate: float
    cost: int
    takes: Mapping[Ref, Choice]


def hull(choices: Iterable[Choice], beside: int = 0) -> list[Choice]:
    """Return the choices on the upper hull of worth over tokens, cheapest first; dominated ones are left out.

    `beside` is what comes with any of them, in tokens.
    """
    kept: list[Choice] = []
    tokens, worth = -beside, 0.0
    while (choice := steepest(choices, tokens, worth)[1]) is not None:
        kept.append(choice)
        tokens, worth = int(choice.tokens), choice.worth
    return kept


def climb(ref: Ref, choices: Iterable[Choice]) -> list[Step]:
    """Return the steps up the hull of a unit's choices, from nothing."""
    steps: list[Step] = []
    tokens, worth = 0, 0.0
    for level, choice in enumerate(hull(choices)):
        cost, gain = choice.tokens - tokens, choice.worth - worth
        steps.append(Step(-rate_of(gain, cost), ref, level, cost, gain, choice))
        tokens, worth = int(choice.tokens), choice.worth
    return steps


def steepest(choices: Iterable[Choice], tokens: int, worth: float) -> tuple[float, Choice | None]:
    """Return the choice that gains most for each token above the given, with its rate; of equals the largest."""
    best: Choice | None = None
    best_rate = 0.0
    for choice in choices:
        gain = choice.worth - worth
        if gain <= 0.0:
            continue
        cost = choice.tokens - tokens
        rate = gain / cost if cost > 0 else inf  # as `rate_of`, which is too slow to call here
        if best is None or rate > best_rate or (rate == best_rate and _is_better(choice, best)):
            best, best_rate = choice, rate
    return best_rate, best


def best_of(choices: Sequence[Choice]) -> Choice | None:
    """Return the choice worth most, if any is worth something."""
    best: Choice | None = None
    worth = 0.0
    for choice in choices:
        if choice.worth > worth or (best is not None and choice.worth == worth and _is_better(choice, best)):
            best, worth = choice, choice.worth
    return best


def _is_better(choice: Choice, than: Choice) -> bool:
    """Worth more, or as much for less, or for as much at a higher fidelity."""
    return (-choice.worth, choice.tokens, choice.fidelity.rank) < (-than.worth, than.tokens, than.fidelity.rank)


def rate_of(gain: float, cost: float) -> float:
    """Return what is gained for each token; infinite where it costs none."""
    return gain / cost if cost > 0 else inf


def together(units: Sequence[tuple[Ref, Sequence[Choice]]], cost: int, worth: float) -> Bundle | None:
    """Return the choices of highest rate together with what costs `cost` and is worth `worth` by itself.

    At least one unit takes part; None where no choice is worth anything. `units` are in the order of their refs. Starts
    with the best single unit; each round then asks of every unit the choice that is above the rate so far.
    """
    single = best_with(units, cost, worth)
    if single is None or len(units) == 1 or single.rate == inf:
        return single
    best = single
    while True:
        takes = {ref: choice for ref, choices in units if (choice := above(choices, best.rate)) is not None}
        if not takes:
            return best
        tokens = cost + sum(choice.tokens for choice in takes.values())
        rate = rate_of(worth + sum(choice.worth for choice in takes.values()), tokens)
        if rate <= best.rate:
            return best
        best = Bundle(rate, tokens, takes)


def best_with(units: Sequence[tuple[Ref, Sequence[Choice]]], cost: int, worth: float) -> Bundle | None:
    """Return the one choice of highest rate together with what costs `cost` and is worth `worth` by itself."""
    best_rate, best_ref, best = -inf, None, None
    for ref, choices in units:
        rate, choice = steepest(choices, -cost, -worth)
        if choice is not None and rate > best_rate:
            best_rate, best_ref, best = rate, ref, choice
    return Bundle(best_rate, cost + best.tokens, {best_ref: best}) if best and best_ref else None


def above(choices: Iterable[Choice], rate: float) -> Choice | None:
    """Return the choice worth most above `rate` for each of its tokens, if any is; of equals the better."""
    best: Choice | None = None
    most = 0.0
    for choice in choices:
        surplus = choice.worth - rate * choice.tokens
        if surplus > most or (best is not None and surplus == most and _is_better(choice, best)):
            best, most = choice, surplus
    return best


def together_within(units: Sequence[tuple[Ref, Sequence[Choice]]], cost: int, worth: float, room: int) -> Bundle | None:
    """Return the choices of high rate as `together`, of those that fit `room` with what all share; None where none do.

    Greedy, as packing itself: steps of all hulls by falling rate, as long as they raise the rate of all.
    """
    takes: dict[Ref, Choice] = {}
    closed: set[Ref] = set()
    fitting = [(ref, [choice for choice in choices if cost + choice.tokens <= room]) for ref, choices in units]
    for step in sorted(step for ref, choices in fitting for step in climb(ref, choices)):
        if takes and -step.falling_rate <= rate_of(worth, cost):
            break
        if step.ref in closed or cost + step.cost > room:
            closed.add(step.ref)
            continue
        cost += step.cost
        worth += step.gain
        takes[step.ref] = step.choice
    return Bundle(rate_of(worth, cost), cost, takes) if takes else None


def relaxed_bound(units: Iterable[Unit], room: Tokens) -> float:
    """Return the linear relaxation's worth: no packing of units without needs can be worth more."""
    left, total = float(room), 0.0
    for step in sorted(step for unit in units for step in climb(unit.ref, unit.choices)):
        share = min(1.0, left / step.cost) if step.cost > 0 else 1.0
        total += step.gain * share
        left -= step.cost * share
        if left <= 0:
            break
    return total
