"""Recall of gold texts, over questions, with its interval."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.memory_rows import Question

CUTS = (2, 5, 10, 20)
"""So many of the first texts are looked at."""
_DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Answered:
    """What one question found, by variant: ids of texts, best first. `steps` are milliseconds of retrieval's steps."""

    question: Question
    orders: dict[str, tuple[str, ...]]
    milliseconds: float
    steps: dict[str, float]
    model_calls: int
    embedding_calls: int

    def recall(self, variant: str, cut: int) -> float:
        """The share of the gold among the first."""
        gold = self.question.gold
        return len(gold.intersection(self.orders[variant][:cut])) / len(gold)


def mean_recall(answers: Sequence[Answered], variant: str, cut: int) -> float:
    """Over all questions; nan where there are none."""
    return statistics.fmean(each.recall(variant, cut) for each in answers) if answers else float("nan")


def interval(answers: Sequence[Answered], variant: str, cut: int, seed: int) -> tuple[float, float]:
    """The middle 95 % of means of as many questions drawn with replacement."""
    values = [each.recall(variant, cut) for each in answers]
    chance = random.Random(seed)
    means = sorted(statistics.fmean(chance.choices(values, k=len(values))) for _ in range(_DRAWS))
    return means[int(0.025 * _DRAWS)], means[int(0.975 * _DRAWS) - 1]
