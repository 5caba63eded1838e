"""Cosines of admitted records to the goal, from the store's canonical vectors, so that equal text is equally alike.

The vector index proposes; what it says of a record's cosine is used only where the store has no vector of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrieval.store.interface import Snapshot
from workingset.vocabulary import Digest


def cosines(
    txn: Snapshot,
    model: str,
    goal_vector: Sequence[float],
    digests: Mapping[int, Digest],
    proposed: Mapping[int, float],
) -> dict[int, float]:
    """Cosine by record id for all of `digests` that the store or a lane knows one of; others are left out.

    `digests` are the keys of the records' canonical vectors, `proposed` the cosines that lanes reported. Records of one
    digest share the best.
    """
    if not goal_vector:
        return {}
    distinct = sorted(set(digests.values()))
    known = dict(zip(distinct, txn.vectors(model, distinct), strict=True))
    best = _stored(known, goal_vector)
    for record_id, score in proposed.items():
        digest = digests.get(record_id)
        if digest is not None and known.get(digest) is None:
            best[digest] = max(best.get(digest, -1.0), score)
    return {record_id: best[digest] for record_id, digest in digests.items() if digest in best}


def _stored(known: Mapping[Digest, bytes | None], goal_vector: Sequence[float]) -> dict[Digest, float]:
    """Each row is summed by itself: a product of all at once may round a row differently beside other rows."""
    size = len(goal_vector)
    goal = np.asarray(goal_vector, dtype=np.float64)
    held = [(digest, encoded) for digest, encoded in known.items() if encoded is not None and len(encoded) == 2 * size]
    if not held:
        return {}
    rows = np.frombuffer(b"".join(encoded for _, encoded in held), dtype="<f2").reshape(len(held), size)
    scores = (rows.astype(np.float64) * goal).sum(axis=1)
    return {
        digest: max(-1.0, min(1.0, round(float(score), 6))) for (digest, _), score in zip(held, scores, strict=True)
    }
