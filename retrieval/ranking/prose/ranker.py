"""The ranker of titled prose: a linear sum of what the question says and of where its best answers lead.

A question that one text does not answer names something whose text names the answer. So from the best few records
(seeds) it follows titles that they mention and names that they share, and weighs the records found there by how much of
what the seed leaves open of the question they hold. Weights and their source: `retrieval.ranking.prose.settings`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from heapq import nlargest

from retrieval.goal import Goal
from retrieval.lanes.exact import EXACT
from retrieval.lanes.graph import GRAPH
from retrieval.lanes.lane import Scope
from retrieval.ranking.look import Look
from retrieval.ranking.prose.links import Links, Shared, question_terms
from retrieval.ranking.prose.open_question import OpenQuestion
from retrieval.ranking.prose.seeds import Direct, direct, seeds
from retrieval.ranking.prose.settings import ProseRankingSettings
from retrieval.ranking.ranker import Features, Ranked, Ranker, Ranking
from retrieval.store.interface import Snapshot

FITTED = ("lexical", "vector", "named", "mentioned", "shared", "answering")
"""Names of the features whose weights are fitted, in the order of these."""
FEATURES = (*FITTED, "exact_names", "graph_mass")
"""Names of all features."""


class ProseRanker(Ranker):
    """Orders titled prose."""

    name = "prose-1"

    def __init__(self, settings: ProseRankingSettings) -> None:
        self._settings = settings

    def read(self, txn: Snapshot, scope: Scope, goal: Goal) -> Goal:
        """The goal, with how many of its terms no title is searched for by."""
        del txn, scope
        return replace(goal, unused_words=max(0, len(question_terms(goal)) - self._settings.question_terms))

    def begin(self) -> Ranking:
        """An ordering that searches once for what each seed leads to."""
        return _ProseRanking(self._settings)


class _ProseRanking(Ranking):
    def __init__(self, settings: ProseRankingSettings) -> None:
        self._settings = settings
        self._shared: Shared = {}

    def bring(self, look: Look) -> Mapping[int, float]:
        """Records whose title the question holds, and what the seeds lead to, which passes the floor by that and is
        ordered with all others; raises IndexUnavailable, DeadlinePassed."""
        links, left = Links(look, self._settings, self._shared), OpenQuestion(look)
        strengths: dict[int, float] = dict.fromkeys(links.named_in_question(), 1.0)
        led: set[int] = set()
        for seed in seeds(look, direct(look, look.records, self._settings), self._settings):
            found = dict.fromkeys(links.named_in(seed), 1.0)
            shared, answering = links.sharing(seed), links.answering(left.after(seed.record_id))
            both = {i: share * answering[i] for i, share in shared.items() if i in answering}
            led.update(shared)
            for by in (shared, both):
                for _, negative in nlargest(self._settings.brought_hits, ((score, -i) for i, score in by.items())):
                    found[-negative] = max(found.get(-negative, 0.0), shared[-negative])
            for record_id, strength in found.items():
                strengths[record_id] = max(strengths.get(record_id, 0.0), strength * seed.weight)
        self.left = len(led - strengths.keys())
        return {record_id: look.scale.link(strength) for record_id, strength in strengths.items()}

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """Weighted sums of the features; raises IndexUnavailable, DeadlinePassed."""
        found = direct(look, record_ids, self._settings)
        linked = self._linked(look, found, record_ids)
        exact, graph = look.hits.get(EXACT, {}), look.hits.get(GRAPH, {})
        weights = dict(zip(FEATURES, self._weights(), strict=True))
        scores: dict[int, float] = {}
        features: dict[int, Features] = {}
        for record_id in record_ids:
            mentioned, shared, answering = linked[record_id]
            own = (found.lexical[record_id], found.cosine[record_id], float(record_id in found.named))
            lanes = (exact.get(record_id, 0.0), graph.get(record_id, 0.0))
            measured = tuple(zip(FEATURES, (*own, mentioned, shared, answering, *lanes), strict=True))
            scores[record_id] = sum(weights[name] * value for name, value in measured)
            features[record_id] = measured
        return Ranked(scores, features)

    def _linked(
        self, look: Look, found: Direct, record_ids: Collection[int]
    ) -> Mapping[int, tuple[float, float, float]]:
        """By record, the best over all seeds: title mentioned, names shared, both with what the seed leaves open."""
        links, question = Links(look, self._settings, self._shared), OpenQuestion(look)
        best = dict.fromkeys(record_ids, (0.0, 0.0, 0.0))
        for seed in seeds(look, found, self._settings):
            mentioned = links.mentioned(seed, record_ids)
            sharing = links.sharing(seed)
            answering = question.answering(question.after(seed.record_id), record_ids)
            for record_id in record_ids:
                share = seed.weight * sharing.get(record_id, 0.0)
                held = best[record_id]
                best[record_id] = (
                    max(held[0], seed.weight * mentioned.get(record_id, 0.0)),
                    max(held[1], share),
                    max(held[2], share * answering.get(record_id, 0.0)),
                )
        return best

    def _weights(self) -> tuple[float, ...]:
        s = self._settings
        return (
            s.lexical_weight,
            s.vector_weight,
            s.named_weight,
            s.mentioned_weight,
            s.shared_weight,
            s.answering_weight,
            s.exact_names_weight,
            s.graph_mass_weight,
        )
