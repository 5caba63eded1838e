"""From features to scores: sums of weighted features, the unbounded ones as shares of the query's largest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Final

import numpy as np
import numpy.typing as npt

from retrieval.ranking.code.settings import FileWeights, RecordWeights

Matrix = npt.NDArray[np.float64]

FILE_FEATURES: Final = tuple(each.name for each in fields(FileWeights))
RECORD_FEATURES: Final = tuple(each.name for each in fields(RecordWeights))
UNBOUNDED_OF_FILES: Final = ("chunk", "chunks", "first_line", "titles", "path", "commits", "together")
"""Divided by their largest value among the candidates of one query."""
UNBOUNDED_OF_RECORDS: Final = ("chunk", "first_line", "title")


def normalised(values: Matrix, names: tuple[str, ...], unbounded: tuple[str, ...]) -> Matrix:
    """The features, shape (candidates, features), unbounded columns divided by their largest value."""
    scaled = values.copy()
    for at, name in enumerate(names):
        if name in unbounded and len(values):
            top = float(scaled[:, at].max())
            if top > 0.0:
                scaled[:, at] /= top
    return scaled


def score(values: Matrix, weights: FileWeights | RecordWeights) -> Matrix:
    """One score a candidate. Summed row by row in the order of the features, so that no row hangs on another."""
    weighing = np.asarray(list(asdict(weights).values()), dtype=np.float64)
    return np.asarray((values * weighing).sum(axis=1), dtype=np.float64)


def table(columns: Mapping[str, Sequence[float]], names: tuple[str, ...], rows: int) -> Matrix:
    """The columns in the order of the names, shape (rows, features)."""
    return np.asarray([columns[name] for name in names], dtype=np.float64).reshape(len(names), rows).T.copy()


def of_parts(files: Matrix, own: Matrix, file_of: Sequence[int]) -> Matrix:
    """Scores of parts: the best of a file has the file's score, the others lie below it by what they lack.

    So files come in the order of their own scores, by their first part. `file_of` is each part's row among the files,
    -1 for a part of none, which ranks with the last file.
    """
    best: dict[int, float] = defaultdict(lambda: -np.inf)
    for file, value in zip(file_of, own.tolist(), strict=True):
        best[file] = max(best[file], value)
    last = float(files.min()) if len(files) else 0.0
    of_files = [float(files[file]) if file >= 0 else last for file in file_of]
    lacking = [value - best[file] for file, value in zip(file_of, own.tolist(), strict=True)]
    return np.asarray([a + b for a, b in zip(of_files, lacking, strict=True)], dtype=np.float64)
