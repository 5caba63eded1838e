"""What the opposing lane has gathered for one claim: scores of both indexes by record id, and the records' texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

import numpy as np

from retrieval.index.sensor import Hit
from retrieval.lanes.lane import Scope
from retrieval.likeness import cosines
from retrieval.record import Record
from retrieval.stance.settings import OpposingSettings
from retrieval.store.interface import Snapshot
from retrieval.text.embedding import embedding_digest, embedding_text
from retrieval.text.tokens import analysed
from workingset.vocabulary import Digest


class Pool:
    """Candidates of one claim, of which `topic` are the terms that carry no stance. Lives within one proposal.

    Each record is read once. Only what is on the topic counts: what is like it, holds its words, or is near to what is.
    """

    def __init__(
        self, txn: Snapshot, scope: Scope, model: str, topic: frozenset[str], settings: OpposingSettings
    ) -> None:
        self.scope = scope
        self._txn = txn
        self._model = model
        self._topic = topic
        self._settings = settings
        self._words: dict[int, float] = {}
        self._proposed: dict[int, float] = {}
        self._near_best: dict[int, float] = {}
        self._ids: set[int] = set()
        self._records: dict[int, Record] = {}
        self._digests: dict[int, Digest] = {}
        self._vector: tuple[float, ...] = ()
        self.embedding_calls = 0

    def by_words(self, hits: Iterable[Hit]) -> None:
        """Take in hits of the lexical index."""
        self._words.update((hit.record_id, hit.score) for hit in hits)
        self._take(self._words)

    def by_likeness(self, vector: tuple[float, ...], hits: Iterable[Hit]) -> None:
        """Take in the records nearest to the topic's vector."""
        self._vector = vector
        self._proposed.update((hit.record_id, hit.score) for hit in hits)
        self._take(self._proposed)

    def by_feedback(self, hits: Iterable[Hit]) -> None:
        """Take in records near the best so far. They are candidates; how they fit is measured against the topic."""
        self._near_best.update((hit.record_id, hit.score) for hit in hits)
        self._take(self._near_best)

    def feedback(self) -> tuple[float, ...]:
        """The topic's vector moved towards the best so far, of unit length; empty where no vector of these is known.

        Rocchio's feedback (1971) without texts to move away from.
        """
        fits = self.fits()
        best = sorted((i for i in fits if i in self._digests), key=lambda i: (-fits[i], i))
        wanted = [self._digests[i] for i in best[: self._settings.feedback_results]]
        held = [vector for vector in self._txn.vectors(self._model, wanted) if vector is not None]
        rows = [np.frombuffer(each, dtype="<f2").astype(np.float64) for each in held]
        rows = [row for row in rows if len(row) == len(self._vector)]
        if not rows:
            return ()
        centre = [float(sum(column)) / len(rows) for column in zip(*(row.tolist() for row in rows), strict=True)]
        share = self._settings.feedback_share
        moved = [own + share * other for own, other in zip(self._vector, centre, strict=True)]
        length = sqrt(sum(x * x for x in moved))
        return tuple(x / length for x in moved) if length > 0.0 else ()

    def fits(self) -> Mapping[int, float]:
        """How well each candidate on the topic fits it: BM25 over the best one's plus cosine over the best one's,
        weighted. A cosine that nobody knows counts as the lowest that is known."""
        settings = self._settings
        alike = {**self._proposed, **cosines(self._txn, self._model, self._vector, self._digests, self._proposed)}
        most, nearest = max(self._words.values(), default=0.0), max(alike.values(), default=0.0)
        farthest = min(alike.values(), default=0.0)
        return {
            i: settings.lexical_weight * (self._words.get(i, 0.0) / most if most > 0.0 else 0.0)
            + settings.vector_weight * (max(0.0, alike.get(i, farthest)) / nearest if nearest > 0.0 else 0.0)
            for i in sorted(self._ids)
            if self._on_topic(i, alike.get(i, -1.0))
        }

    def texts(self) -> Mapping[int, str]:
        """The candidates' texts, of those that the store shows at the cut."""
        return {i: record.text for i, record in self._records.items()}

    def _on_topic(self, record_id: int, cosine: float) -> bool:
        settings = self._settings
        if cosine >= settings.least_cosine:
            return True
        if self._near_best.get(record_id, -1.0) >= settings.least_feedback_cosine:
            return True
        record = self._records.get(record_id)
        if record_id not in self._words or record is None or not self._topic:
            return record_id in self._words
        held = self._topic.intersection(analysed(f"{record.title}\n{record.text}").split())
        return len(held) >= settings.least_covered_share * len(self._topic)

    def _take(self, record_ids: Iterable[int]) -> None:
        fresh: Sequence[int] = sorted(set(record_ids) - self._ids)
        self._ids.update(fresh)
        for record_id, record in zip(fresh, self._txn.records_by_id(fresh, self.scope.cut), strict=True):
            if record is not None and not record.removed:
                self._records[record_id] = record
                self._digests[record_id] = embedding_digest(embedding_text(record))
