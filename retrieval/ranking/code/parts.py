"""The features of parts of files: what of a file the goal is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p

import numpy as np

from retrieval.ranking.code.scoring import RECORD_FEATURES, Matrix, row
from retrieval.ranking.code.table import Gathered
from retrieval.record import Record

_WHOLE_KINDS = frozenset({"function"})


def record_table(records: Sequence[tuple[int, Record]], gathered: Gathered, cosines: Mapping[int, float]) -> Matrix:
    """Raw features, shape (records, features), in the order given."""
    rows = [_row(record_id, record, gathered, cosines) for record_id, record in records]
    return np.asarray(rows, dtype=np.float64).reshape(len(rows), len(RECORD_FEATURES))


def _row(record_id: int, record: Record, gathered: Gathered, cosines: Mapping[int, float]) -> list[float]:
    searched = gathered.searched
    cosine = cosines.get(record_id)
    values = {
        "chunk": searched.chunk.records.get(record_id, 0.0),
        "first_line": searched.first_line.records.get(record_id, 0.0),
        "title": searched.title.records.get(record_id, 0.0),
        "likeness": cosine or 0.0,
        "without_likeness": float(cosine is None),
        "line": gathered.named.lines.get(record_id, 0.0),
        "defines": min(1.0, gathered.named.defining.get(record_id, 0.0)),
        "length": log1p(record.lines.count if record.lines else 0) / 5.0,
        "whole": float(record.kind in _WHOLE_KINDS),
    }
    return row(values, RECORD_FEATURES)
