"""The records that a question reaches at once, from which others are reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp

from retrieval.lanes.lexical import LEXICAL
from retrieval.ranking.look import Look
from retrieval.ranking.prose.settings import ProseRankingSettings
from retrieval.ranking.prose.titles import Mentions, folded_title
from retrieval.record import Record


@dataclass(frozen=True, slots=True)
class Direct:
    """What of the question itself speaks for each record: BM25 over the best one's, cosine, title in the question."""

    lexical: Mapping[int, float]
    cosine: Mapping[int, float]
    named: frozenset[int]


@dataclass(frozen=True, slots=True)
class Seed:
    """A record reached at once. `weight` in (0, 1] is 1 for the best of them."""

    record_id: int
    record: Record
    weight: float


def direct(look: Look, record_ids: Iterable[int], settings: ProseRankingSettings) -> Direct:
    """The question's own features of the records. A cosine that is not known yet counts as the lowest that is."""
    ids = sorted(record_ids)
    scores = look.hits.get(LEXICAL, {})
    best = max(scores.values(), default=0.0)
    known = [look.cosines[i] for i in ids if i in look.cosines]
    lowest = min(known, default=0.0)
    question = Mentions(look.goal.read)
    return Direct(
        {i: scores.get(i, 0.0) / best if best > 0.0 else 0.0 for i in ids},
        {i: look.cosines.get(i, lowest) for i in ids},
        frozenset(i for i in ids if question.hold(folded_title(look.records[i].title), settings.title_letters)),
    )


def seeds(look: Look, found: Direct, settings: ProseRankingSettings) -> tuple[Seed, ...]:
    """The best records by shares of the best BM25 and the best cosine, and by titles in the question; best first."""
    highest = max(found.cosine.values(), default=0.0)

    def score(record_id: int) -> float:
        likeness = found.cosine[record_id] / highest if highest > 0.0 else 0.0
        return found.lexical[record_id] + likeness + settings.seed_named_weight * (record_id in found.named)

    scored = {i: score(i) for i in found.lexical}
    best = sorted(scored, key=lambda i: (-scored[i], look.records[i].ref))[: settings.seeds]
    return tuple(
        Seed(i, look.records[i], exp(settings.seed_sharpness * (scored[i] - scored[best[0]])))
        for i in best
        if scored[i] > 0.0
    )
