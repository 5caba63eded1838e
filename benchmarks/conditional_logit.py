"""Weights by likelihood: a softmax over the candidates of one query.

McFadden, "Conditional logit analysis of qualitative choice behavior", 1974. Of several right candidates each is put
against all wrong ones, and the mean over them is taken. Penalty: half of `penalty` times the squared weights, against
the sum over queries. Minimised by L-BFGS from zero, so equal rows give equal weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """One query: features, shape (candidates, features), and which candidates are right."""

    values: Matrix
    right: npt.NDArray[np.bool_]

    @property
    def tells(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self.right.any()) and not bool(self.right.all())


def fitted(choices: Sequence[Choice], penalty: float) -> Matrix:
    """The weights, shape (features,); raises ValueError where no query has anything to choose."""
    telling = [choice for choice in choices if choice.tells]
    if not telling:
        raise ValueError("choices: no query has both right and wrong candidates")

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        total, slope = 0.5 * penalty * float(weights @ weights), penalty * weights
        for choice in telling:
            part, toward = _loss(choice, weights)
            total += part
            slope = slope + toward
        return total, slope

    start = np.zeros(telling[0].values.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1_000})
    return np.asarray(found.x, dtype=np.float64)


def _loss(choice: Choice, weights: Matrix) -> tuple[float, Matrix]:
    scores = choice.values @ weights
    wrong = choice.values[~choice.right]
    base = _log_sum(scores[~choice.right])
    mean_wrong = np.exp(scores[~choice.right] - base) @ wrong
    own = scores[choice.right]
    whole = np.logaddexp(own, base)
    missed = np.exp(base - whole)
    slope = (missed[:, np.newaxis] * (mean_wrong - choice.values[choice.right])).mean(axis=0)
    return float(np.mean(whole - own)), np.asarray(slope, dtype=np.float64)


def _log_sum(scores: Matrix) -> float:
    """The logarithm of the sum of exponentials."""
    top = float(scores.max())
    return top + float(np.log(np.exp(scores - top).sum()))
