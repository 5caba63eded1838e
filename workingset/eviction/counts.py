"""How often pages were used lately: exact counts that are halved from time to time, for present and gone pages alike.

The aging of Einziger, Friedman and Manes (ACM Transactions on Storage 13:4, 2017), section 3.3, over exact counts in
place of a sketch: after so many uses all counts are halved, and so is the number of uses so far. Counts of nothing are
dropped, so there are never more counts than uses in the sample.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from operator import attrgetter
from typing import TypeAlias

from workingset.eviction.policy import Remembered
from workingset.vocabulary import Ref, Tokens

Counts: TypeAlias = tuple[Remembered, ...]
"""By ref, each with its count as the value and no size."""


def count_of(counts: Counts, ref: Ref) -> float:
    """Return how often a page was used lately."""
    place = bisect_left(counts, ref, key=attrgetter("ref"))
    return counts[place].value if place < len(counts) and counts[place].ref == ref else 0.0


def counted(counts: Counts, ref: Ref) -> Counts:
    """Return the counts with one use more."""
    place = bisect_left(counts, ref, key=attrgetter("ref"))
    known = place < len(counts) and counts[place].ref == ref
    one = Remembered(ref, Tokens(0), (counts[place].value if known else 0.0) + 1)
    return (*counts[:place], one, *counts[place + known :])


def halved(counts: Counts) -> Counts:
    """Return half of each count, rounded down, without those of nothing."""
    return tuple(replace(one, value=float(one.value // 2)) for one in counts if one.value >= 2)
