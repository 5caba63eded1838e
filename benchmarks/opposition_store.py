"""Texts about claims in a store, asked by plain BM25, by the default profile and by that for contested claims.

The last is put together here from the product's parts: the default order, the opposing lane over the same indexes and
snapshot, and the quota of places that the profile names.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.kept_vectors import KeptEmbedder
from benchmarks.memory_rows import Passage, QuestionSet
from benchmarks.memory_store import TENANT, MemoryStore
from benchmarks.opposition_rows import ClaimSet
from benchmarks.plain_bm25 import PlainBm25, plain_words
from retrieval.deadline import Deadline
from retrieval.goal import parse_goal
from retrieval.lanes.contract import Opposing
from retrieval.lanes.opposing import OpposingLane
from retrieval.obligations.profiles import DEFAULT, profiles
from retrieval.obligations.quota import Quota, shared
from retrieval.project import Retrieval
from retrieval.scoping import scope_of
from retrieval.settings import RetrievalSettings
from retrieval.stance.judge import StanceJudge
from retrieval.stance.settings import OpposingSettings
from workingset.vocabulary import Namespace, Ref

PLAIN = "bm25"
CONTESTED = "contested_claims"
PROFILES = (PLAIN, DEFAULT, CONTESTED)
_POOL = "claims"
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Found:
    """What one claim found: ids of texts by profile, best first.

    `cues` are the texts that the lane proposes, best first, with the names of their cues; `by_lane` are those of them
    that have a place of the lane's. `milliseconds` are of the default projection, and of the lane with the quota.
    """

    orders: Mapping[str, tuple[str, ...]]
    cues: Mapping[str, frozenset[str]]
    by_lane: frozenset[str]
    model_calls: int
    milliseconds: tuple[float, float]


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
        self._settings = RetrievalSettings()
        self._retrieval: Retrieval = self.retrieval(self._settings, {})
        self._lane = OpposingLane(self._lexical, self._vector, self._embedder, self._follower, settings, judge)
        self._quota = Quota(CONTESTED, profiles()[CONTESTED].opposing_places)
        self._plain = PlainBm25({i: Counter(plain_words(text)) for i, text in claims.texts.items()})

    def find(self, claim: str, limit: int) -> Found:
        """The first texts for one claim, by all profiles."""
        projection, asking = self.ask(self._retrieval, _POOL, claim)
        began = time.perf_counter()
        base = [candidate.ref for candidate in projection.ranked]
        cues = self._opposing(claim)
        numbers = {ref: number for number, ref in enumerate(dict.fromkeys([*base, *cues]))}
        refs = list(numbers)
        both = shared([numbers[ref] for ref in base], [numbers[ref] for ref in cues], self._quota)
        searching = (time.perf_counter() - began) * 1e3
        ids = partial(map, self.ids.__getitem__)
        return Found(
            {
                PLAIN: self._plain.best(plain_words(claim), limit),
                DEFAULT: tuple(ids(base[:limit])),
                CONTESTED: tuple(ids(refs[number] for number in both.order[:limit])),
            },
            {self.ids[ref]: names for ref, names in cues.items()},
            frozenset(ids(refs[number] for number in both.order[:limit] if number in both.by_lane)),
            projection.model_calls,
            (asking, searching),
        )

    def _opposing(self, claim: str) -> dict[Ref, frozenset[str]]:
        """What the lane proposes, best first, with the names of its cues."""
        goal = parse_goal(claim, self._settings.goal)
        with self.store.snapshot(TENANT) as txn:
            scope = scope_of(txn, (Namespace(_POOL),))
            deadline = Deadline(time.monotonic() + _PATIENCE_SECONDS, time.monotonic)
            found: dict[Ref, frozenset[str]] = {}
            for hit in self._lane.propose(txn, goal, scope, deadline).hits:
                ref = txn.ref_of(hit.record_id)
                if ref is not None and isinstance(hit.rank, Opposing):
                    found[ref] = frozenset(name for name, _ in hit.rank.cues)
            return found


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
