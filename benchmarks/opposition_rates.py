"""How evenly sets of texts show both sides of claims: rates over claims, with intervals by drawing claims again.

One-sided is a set that holds a text for the claim and none against it. Finding less for a claim lowers that share too,
so recall of both sides stands beside it: found among the first so many, over all there are or as many as have a place.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

from benchmarks.opposition_rows import Claim
from benchmarks.opposition_store import Found

PLACES = 10
"""Texts in a set."""
_DRAWS = 2_000

Rate = Callable[["Answered", str], float]
"""What one claim adds to a rate, by profile."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One claim and what it found."""

    claim: Claim
    found: Found

    def shown(self, profile: str) -> frozenset[str]:
        """The texts in the profile's set."""
        return frozenset(self.found.orders[profile][:PLACES])


def one_sided(answered: Answered, profile: str) -> float:
    """1 where the set holds support and no opposing text."""
    shown, claim = answered.shown(profile), answered.claim
    return float(not claim.supporting.isdisjoint(shown) and claim.opposing.isdisjoint(shown))


def supporting(answered: Answered, profile: str) -> float:
    """Recall of texts for the claim."""
    return _recall(answered.claim.supporting, answered.shown(profile))


def opposing(answered: Answered, profile: str) -> float:
    """Recall of texts against the claim."""
    return _recall(answered.claim.opposing, answered.shown(profile))


def mean(answers: Sequence[Answered], profile: str, rate: Rate) -> float:
    """Over all claims; nan where there are none."""
    return statistics.fmean(rate(each, profile) for each in answers) if answers else float("nan")


def difference(
    answers: Sequence[Answered], profile: str, base: str, rate: Rate, seed: int
) -> tuple[float, float, float]:
    """The rate of a profile less that of another, and the middle 95 % of it over claims drawn again, in pairs."""
    gaps = [rate(each, profile) - rate(each, base) for each in answers]
    if not gaps:
        return float("nan"), float("nan"), float("nan")
    chance = random.Random(seed)
    drawn = [statistics.fmean(chance.choices(gaps, k=len(gaps))) for _ in range(_DRAWS)]
    low, high = _middle(drawn)
    return statistics.fmean(gaps), low, high


def ratio(answers: Sequence[Answered], profile: str, base: str, rate: Rate, seed: int) -> tuple[float, float, float]:
    """The rate of a profile over that of another, and its middle 95 % as above; nan where the other is 0.

    Draws in which the other is 0 are left out.
    """
    pairs = [(rate(each, profile), rate(each, base)) for each in answers]
    whole = _over(pairs)
    chance = random.Random(seed)
    drawn = [_over(chance.choices(pairs, k=len(pairs))) for _ in range(_DRAWS)] if pairs else []
    known = [value for value in drawn if not isnan(value)]
    low, high = _middle(known) if known else (whole, whole)
    return whole, low, high


def _over(pairs: Sequence[tuple[float, float]]) -> float:
    below = sum(base for _, base in pairs)
    return sum(own for own, _ in pairs) / below if below else float("nan")


def _middle(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered)) - 1]


def _recall(gold: frozenset[str], shown: frozenset[str]) -> float:
    return len(gold & shown) / min(PLACES, len(gold))


@dataclass(frozen=True, slots=True)
class Precision:
    """Of texts labelled for or against their claim, those against it."""

    opposing: int
    labelled: int

    @property
    def share(self) -> float:
        """nan where none is labelled."""
        return self.opposing / self.labelled if self.labelled else float("nan")


def precision(answers: Sequence[Answered], chosen: Callable[[Answered], frozenset[str]]) -> Precision:
    """How many of the chosen texts are labelled, and how many of those oppose."""
    against = sum(len(chosen(each) & each.claim.opposing) for each in answers)
    supporting = sum(len(chosen(each) & (each.claim.supporting - each.claim.opposing)) for each in answers)
    return Precision(against, against + supporting)
