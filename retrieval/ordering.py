"""The order of results: the ranker's scores, what the host's hints add, and repeated texts behind all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nextafter

from retrieval.architecture.bias import nudged
from retrieval.architecture.verdict import Judged
from retrieval.errors import DeadlinePassed, IndexUnavailable
from retrieval.hinting import lifted, pointing_weight
from retrieval.ranking.diversity import Demoted, Kin, diversified
from retrieval.ranking.look import Look
from retrieval.ranking.ranker import Features, Ranked, Ranker, Ranking
from retrieval.record import Record
from retrieval.settings import RetrievalSettings
from workingset.vocabulary import Ref


@dataclass(frozen=True, slots=True)
class Ordered:
    """Record ids, best first, with scores that fall along them, and what is to be said of how they came about."""

    ids: tuple[int, ...]
    scores: Mapping[int, float]
    features: Mapping[int, Features]
    note: str = ""
    alike: tuple[tuple[int, int], ...] = ()


def ordered(
    look: Look,
    record_ids: Sequence[int],
    hints: Mapping[int, float],
    ranking: Ranking,
    by_ranks: Ranker,
    settings: RetrievalSettings,
    kin: Kin,
    verdicts: Mapping[int, Judged],
) -> Ordered:
    """Order admitted records; `hints` are strengths by record id. Fused ranks order where the ranker cannot work.

    `kin` says which are one thing or one voice, `verdicts` how records stand to the manifests of their trees.
    """
    ranked, note = _ranked(look, record_ids, ranking, by_ranks)
    scores = ranked.scores
    if hints:
        scores = lifted(scores, record_ids, hints, pointing_weight(look.goal, settings.hints), settings.fusion)
    if verdicts:
        scores = nudged({i: scores.get(i, 0.0) for i in record_ids}, verdicts, settings.architecture)
    records = look.records
    ids = sorted(record_ids, key=lambda i: (-scores.get(i, 0.0), records[i].ref))
    terms = {i: look.terms.of(records[i]).terms for i in ids[: settings.diversity.looked_at]}
    diverse = diversified(ids, records, terms, settings.diversity, kin)
    falling = _falling(diverse.order, scores, records)
    told = "; ".join(filter(None, (note, _told(diverse.demoted))))
    return Ordered(diverse.order, falling, ranked.features, told, diverse.alike)


def _ranked(look: Look, record_ids: Sequence[int], ranking: Ranking, by_ranks: Ranker) -> tuple[Ranked, str]:
    try:
        return ranking.rank(look, record_ids), ""
    except (IndexUnavailable, DeadlinePassed) as failure:
        return by_ranks.begin().rank(look, record_ids), f"by ranks, for the ranker could not work: {failure}"


def _falling(order: Sequence[int], scores: Mapping[int, float], records: Mapping[int, Record]) -> dict[int, float]:
    """The scores, cut where a record stands behind one of a lower score: (score falling, ref) is then the order."""
    falling: dict[int, float] = {}
    last, ref = inf, Ref("")
    for record_id in order:
        score, own = min(last, scores.get(record_id, 0.0)), records[record_id].ref
        if score == last and own < ref:
            score = nextafter(last, -inf)
        falling[record_id] = last = score
        ref = own
    return falling


def _told(demoted: Mapping[int, Demoted]) -> str:
    counts = Counter(reason.value for reason in demoted.values())
    return ", ".join(f"{count} moved back as {reason}" for reason, count in sorted(counts.items()))
