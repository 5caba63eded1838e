"""Deterministic stand-ins for the indexes and the embedder, over records given to them by hand.

They keep the contracts of `retrieval.index.sensor` and nothing else: no file, no thread, no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

import xxhash

from retrieval.deadline import Deadline
from retrieval.errors import IndexUnavailable
from retrieval.goal import Goal
from retrieval.index.sensor import ALL_KINDS, FieldWeights, Hit, Sieve, VectorAnswer, WeightedTerm
from retrieval.lanes.contract import GraphMass, HardFilter, LaneContract, Reads
from retrieval.lanes.lane import LaneHit, LaneProposal, Scope
from retrieval.record import TURN_KIND, Record
from retrieval.store.interface import Snapshot
from retrieval.text.embedding import embedding_text
from retrieval.text.tokens import analyse
from workingset.candidate import LaneOutcome
from workingset.vocabulary import Generation, Namespace, SearchCoverage, TenantId

DIMENSIONS = 512


class FakeEmbedder:
    """A bag of terms hashed into a few dimensions: texts that share words are alike, others are not."""

    fingerprint = "fake:512"
    dimensions = DIMENSIONS

    def __init__(self, *, down: bool = False) -> None:
        self.down = down
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        if self.down:
            raise IndexUnavailable("the model cannot be loaded")
        self.calls += len(texts)
        return [self._embedded(text) for text in texts]

    def _embedded(self, text: str) -> tuple[float, ...]:
        vector = [0.0] * DIMENSIONS
        for term in analyse(text):
            vector[xxhash.xxh3_64_intdigest(term.encode()) % DIMENSIONS] += 1.0
        length = sqrt(sum(x * x for x in vector))
        if length == 0.0:
            return (1.0, *vector[1:])
        return tuple(x / length for x in vector)


ALL_FIELDS = FieldWeights(1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class _Document:
    kind: str
    title: Counter[str]
    path: Counter[str]
    body: Counter[str]
    beside: Counter[str]

    def held(self, term: str, weights: FieldWeights = ALL_FIELDS) -> float:
        counts = (self.title[term], self.path[term], self.body[term], self.beside[term])
        shares = (weights.title, weights.path, weights.body, weights.beside)
        return sum(count * share for count, share in zip(counts, shares, strict=True))

    def passes(self, sieve: Sieve) -> bool:
        return self.kind not in sieve.not_kinds and (not sieve.kinds or self.kind in sieve.kinds)


class FakeLexical:
    """BM25 with k1 1.2 and no length normalisation over all fields of the records it was given."""

    def __init__(self) -> None:
        self.down = False
        self._documents: dict[tuple[TenantId, Namespace], dict[int, _Document]] = {}

    def put(self, tenant: TenantId, record_id: int, record: Record) -> None:
        window = f"{record.text} {record.text} {record.beside}" if record.kind == TURN_KIND or record.beside else ""
        texts = (record.title, record.path, record.text, window)
        document = _Document(record.kind, *(Counter(analyse(text)) for text in texts))
        self._documents.setdefault((tenant, record.namespace), {})[record_id] = document

    def drop(self, tenant: TenantId, namespace: Namespace, record_id: int) -> None:
        self._documents.get((tenant, namespace), {}).pop(record_id, None)

    def search(
        self,
        tenant: TenantId,
        namespaces: Sequence[Namespace],
        terms: Sequence[WeightedTerm],
        limit: int,
        *,
        fields: FieldWeights | None = None,
        sieve: Sieve = ALL_KINDS,
    ) -> list[Hit]:
        self._check()
        documents = self._within(tenant, namespaces)
        hits: list[Hit] = []
        for record_id, document in documents.items():
            if not document.passes(sieve):
                continue
            score = 0.0
            for term in terms:
                held = document.held(term.term, fields or ALL_FIELDS)
                if held:
                    having = sum(1 for other in documents.values() if other.held(term.term))
                    idf = log(1.0 + (len(documents) - having + 0.5) / (having + 0.5))
                    score += term.weight * idf * held * 2.2 / (held + 1.2)
            if score > 0.0:
                hits.append(Hit(record_id, score))
        return sorted(hits, key=lambda hit: (-hit.score, hit.record_id))[:limit]

    def document_frequency(self, tenant: TenantId, namespaces: Sequence[Namespace], term: str) -> int:
        self._check()
        return sum(1 for document in self._within(tenant, namespaces).values() if document.held(term))

    def documents(self) -> int:
        self._check()
        return sum(len(documents) for documents in self._documents.values())

    def _within(self, tenant: TenantId, namespaces: Sequence[Namespace]) -> dict[int, _Document]:
        found: dict[int, _Document] = {}
        for namespace in namespaces:
            found.update(self._documents.get((tenant, namespace), {}))
        return found

    def _check(self) -> None:
        if self.down:
            raise IndexUnavailable("the lexical index is down")


class FakeVector:
    """Exact cosine search over the vectors it was given; `planted` hits are answered to every search, first.

    It says that all vectors were compared where `exhaustive`.
    """

    def __init__(self) -> None:
        self.down = False
        self.exhaustive = False
        self.planted: list[Hit] = []
        self._vectors: dict[tuple[TenantId, Namespace], dict[int, tuple[float, ...]]] = {}

    def put(self, tenant: TenantId, namespace: Namespace, record_id: int, vector: tuple[float, ...]) -> None:
        self._vectors.setdefault((tenant, namespace), {})[record_id] = vector

    def drop(self, tenant: TenantId, namespace: Namespace, record_id: int) -> None:
        self._vectors.get((tenant, namespace), {}).pop(record_id, None)

    def search(self, tenant: TenantId, namespace: Namespace, vector: Sequence[float], limit: int) -> list[Hit]:
        if self.down:
            raise IndexUnavailable("the vector index is down")
        held = self._vectors.get((tenant, namespace), {})
        scored = [
            Hit(record_id, round(sum(a * b for a, b in zip(vector, other, strict=True)), 6))
            for record_id, other in held.items()
        ]
        found = {hit.record_id: hit for hit in [*scored, *self.planted]}
        return sorted(found.values(), key=lambda hit: (-hit.score, hit.record_id))[:limit]

    def answer(self, tenant: TenantId, namespace: Namespace, vector: Sequence[float], limit: int) -> VectorAnswer:
        return VectorAnswer(tuple(self.search(tenant, namespace, vector, limit)), self.exhaustive)

    def count(self, tenant: TenantId, namespace: Namespace) -> int:
        return len(self._vectors.get((tenant, namespace), {}))


@dataclass(slots=True)
class FakeProgress:
    """Caught up with everything, except where `behind` says which generation an index has reached."""

    behind: dict[tuple[str, Namespace], Generation] = field(default_factory=dict)
    notes: dict[tuple[str, Namespace], str] = field(default_factory=dict)

    def generation(self, index: str, tenant: TenantId, namespace: Namespace) -> Generation:
        return self.behind.get((index, namespace), Generation(2**62))

    def note(self, index: str, tenant: TenantId, namespace: Namespace) -> str:
        return self.notes.get((index, namespace), "")


@dataclass(frozen=True, slots=True)
class FakeDemanded:
    """What `FakeDemand` made."""

    vectors: tuple[tuple[float, ...] | None, ...]
    computed: int


class FakeDemand:
    """Embeds records on the spot, as the follower's `embed_now` does."""

    def __init__(self, embedder: FakeEmbedder) -> None:
        self._embedder = embedder

    def __call__(
        self,
        tenant: TenantId,
        records: Sequence[Record],
        limit: int | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> FakeDemanded:
        vectors: list[tuple[float, ...] | None] = []
        for record in records:
            stop = cancelled() or (limit is not None and len(vectors) >= limit)
            vectors.append(None if stop else self._embedder.embed([embedding_text(record)])[0])
        return FakeDemanded(tuple(vectors), sum(vector is not None for vector in vectors))


class FakeClock:
    """A monotonic clock that moves by `step_seconds` whenever it is read, and when told."""

    def __init__(self, step_seconds: float = 0.0) -> None:
        self.seconds = 0.0
        self._step_seconds = step_seconds

    def __call__(self) -> float:
        self.seconds += self._step_seconds
        return self.seconds


def counted(pairs: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Counts by reason, to be asked for any reason."""
    return Counter(dict(pairs))


class CannedLane:
    """A lane that answers the same hits to every goal; `before` runs first and may raise."""

    contract = LaneContract(
        "canned", 1, SearchCoverage.HEURISTIC, HardFilter.NATIVE, Reads.SNAPSHOT, GraphMass, deterministic=True
    )

    def __init__(self, name: str, hits: Iterable[LaneHit], before: Callable[[], None] = lambda: None) -> None:
        self.name = name
        self.asked = 0
        self._hits = tuple(hits)
        self._before = before

    def propose(self, txn: Snapshot, goal: Goal, scope: Scope, deadline: Deadline) -> LaneProposal:
        self.asked += 1
        self._before()
        return LaneProposal(self._hits, LaneOutcome(self.name, "ok", hits=len(self._hits)))
