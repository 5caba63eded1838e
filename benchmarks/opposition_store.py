"""Texts about claims in a store, asked by plain BM25, by the default profile and by that for contested claims.

Both profiles are the product's own projections. The opposing lane is asked once more by itself, over the same indexes,
for what it proposes in which order and by which cues.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.kept_vectors import KeptEmbedder
from benchmarks.memory_rows import Passage, QuestionSet
from benchmarks.memory_store import TENANT, MemoryStore
from benchmarks.opposition_rows import ClaimSet
from benchmarks.plain_bm25 import PlainBm25, plain_words
from retrieval.deadline import Deadline
from retrieval.goal import parse_goal
from retrieval.lanes.contract import Opposing
from retrieval.lanes.opposing import OpposingLane, best_first
from retrieval.obligations.profiles import DEFAULT, profiles
from retrieval.project import Query, Retrieval
from retrieval.scoping import scope_of
from retrieval.settings import RetrievalSettings
from retrieval.stance.judge import StanceJudge
from retrieval.stance.settings import OpposingSettings
from workingset.candidate import Projection
from workingset.vocabulary import Namespace, Ref

PLAIN = "bm25"
CONTESTED = "contested_claims"
PROFILES = (PLAIN, DEFAULT, CONTESTED)
_POOL = "claims"
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Found:
    """What one claim found: ids of texts by profile, best first.

    `cues` are the texts that the lane proposes, best first, with the names of their cues. `milliseconds` are those of
    the projections by profile.
    """

    orders: Mapping[str, tuple[str, ...]]
    cues: Mapping[str, frozenset[str]]
    model_calls: int
    milliseconds: Mapping[str, float]


class ClaimStore(MemoryStore):
    """All texts of a set in one namespace, with caught-up indexes."""

    def __init__(
        self,
        folder: Path,
        embedder: KeptEmbedder,
        claims: ClaimSet,
        settings: OpposingSettings,
        judge: StanceJudge | None,
    ) -> None:
        super().__init__(folder, embedder)
        passages = tuple(Passage(identifier, "", text) for identifier, text in sorted(claims.texts.items()))
        self.fill(QuestionSet(claims.name, (), {_POOL: passages}, {}, 0))
        self._settings = replace(RetrievalSettings(), opposing=settings)
        self._retrieval = Retrieval(
            self._lexical,
            self._vector,
            embedder,
            self._follower,
            self._follower.embed_now,
            self._settings,
            judge=judge,
        )
        self._lane = OpposingLane(self._lexical, self._vector, embedder, self._follower, settings, judge)
        self._plain = PlainBm25({i: Counter(plain_words(text)) for i, text in claims.texts.items()})

    def find(self, claim: str, limit: int) -> Found:
        """The first texts for one claim, by all profiles."""
        orders = {PLAIN: self._plain.best(plain_words(claim), limit)}
        times: dict[str, float] = {}
        calls = 0
        for name in (DEFAULT, CONTESTED):
            began = time.perf_counter()
            projection = self._project(claim, name)
            times[name] = (time.perf_counter() - began) * 1e3
            orders[name] = tuple(self.ids[candidate.ref] for candidate in projection.ranked[:limit])
            calls += projection.model_calls
        cues = {self.ids[ref]: names for ref, names in self._opposing(claim).items()}
        return Found(orders, cues, calls, times)

    def _project(self, claim: str, profile: str) -> Projection:
        query = Query(claim, (Namespace(_POOL),), now_seconds=int(time.time()), profile=profiles()[profile])
        with self.store.snapshot(TENANT) as txn:
            return self._retrieval.project(txn, query, Deadline(time.monotonic() + _PATIENCE_SECONDS, time.monotonic))

    def _opposing(self, claim: str) -> dict[Ref, frozenset[str]]:
        """What the lane proposes, best first, with the names of its cues."""
        goal = parse_goal(claim, self._settings.goal)
        with self.store.snapshot(TENANT) as txn:
            scope = scope_of(txn, (Namespace(_POOL),))
            deadline = Deadline(time.monotonic() + _PATIENCE_SECONDS, time.monotonic)
            hits = self._lane.propose(txn, goal, scope, deadline).hits
            ranks = {hit.record_id: hit.rank for hit in hits if isinstance(hit.rank, Opposing)}
            refs = {record_id: txn.ref_of(record_id) for record_id in best_first(hits)}
        return {ref: frozenset(name for name, _ in ranks[i].cues) for i, ref in refs.items() if ref is not None}


@contextmanager
def opened(
    folder: Path,
    embedder: KeptEmbedder,
    claims: ClaimSet,
    settings: OpposingSettings,
    judge: StanceJudge | None = None,
) -> Generator[ClaimStore]:
    """A filled store, closed on leaving."""
    store = ClaimStore(folder, embedder, claims, settings, judge)
    try:
        yield store
    finally:
        store.close()
