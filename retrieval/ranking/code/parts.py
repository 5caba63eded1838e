"""The features of parts of files: what of a file the goal is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p

from retrieval.ranking.code.scoring import RECORD_FEATURES, Matrix, table
from retrieval.ranking.code.table import Gathered
from retrieval.record import Record

_WHOLE_KINDS = frozenset({"function"})


def record_table(records: Sequence[tuple[int, Record]], gathered: Gathered, cosines: Mapping[int, float]) -> Matrix:
    """Raw features, shape (records, features), in the order given."""
    searched, named = gathered.searched, gathered.named
    ids = [record_id for record_id, _ in records]
    likeness = [cosines.get(i) for i in ids]
    columns: dict[str, list[float]] = {
        "chunk": [searched.chunk.records.get(i, 0.0) for i in ids],
        "first_line": [searched.first_line.records.get(i, 0.0) for i in ids],
        "title": [searched.title.records.get(i, 0.0) for i in ids],
        "likeness": [cosine or 0.0 for cosine in likeness],
        "without_likeness": [float(cosine is None) for cosine in likeness],
        "line": [named.lines.get(i, 0.0) for i in ids],
        "defines": [min(1.0, named.defining.get(i, 0.0)) for i in ids],
        "length": [log1p(record.lines.count if record.lines else 0) / 5.0 for _, record in records],
        "whole": [float(record.kind in _WHOLE_KINDS) for _, record in records],
    }
    return table(columns, RECORD_FEATURES, len(ids))
