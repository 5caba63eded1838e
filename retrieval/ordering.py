"""The order of results: the ranker's scores, what the host's hints add, and repeated texts behind all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.architecture.bias import nudged
from retrieval.architecture.verdict import Judged
from retrieval.errors import DeadlinePassed, IndexUnavailable
from retrieval.hinting import lifted, pointing_weight
from retrieval.notes import joined
from retrieval.obligations.quota import Quota, Shared, falling, shared
from retrieval.ranking.diversity import Demoted, Kin, diversified
from retrieval.ranking.look import Look
from retrieval.ranking.ranker import Features, Ranked, Ranker, Ranking
from retrieval.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class Ordered:
    """Record ids, best first, with scores that fall along them, and what is to be said of how they came about."""

    ids: tuple[int, ...]
    scores: Mapping[int, float]
    features: Mapping[int, Features]
    note: str = ""
    alike: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Bearing:
    """What bears on the order beside the ranker's scores.

    `hints` are strengths by record id; `kin` says which records are one thing or one voice, `verdicts` how they stand
    to the manifests of their trees. `opposing` are records for the places that `quota` keeps for them, best first.
    Those in `stale` stand behind all others, whatever their scores.
    """

    hints: Mapping[int, float]
    kin: Kin
    verdicts: Mapping[int, Judged]
    quota: Quota
    opposing: Sequence[int]
    stale: Collection[int]


def ordered(
    look: Look,
    record_ids: Sequence[int],
    ranking: Ranking,
    by_ranks: Ranker,
    bearing: Bearing,
    settings: RetrievalSettings,
) -> Ordered:
    """Order admitted records; fused ranks order where the ranker cannot work."""
    ranked, note = _ranked(look, record_ids, ranking, by_ranks)
    scores = ranked.scores
    if bearing.hints:
        pointing = pointing_weight(look.goal, settings.hints)
        scores = lifted(scores, record_ids, bearing.hints, pointing, settings.fusion)
    if bearing.verdicts:
        scores = nudged({i: scores.get(i, 0.0) for i in record_ids}, bearing.verdicts, settings.architecture)
    records = look.records
    ids = sorted(record_ids, key=lambda i: (-scores.get(i, 0.0), records[i].ref))
    terms = {i: look.terms.of(records[i]).terms for i in ids[: settings.diversity.looked_at]}
    diverse = diversified(ids, records, terms, settings.diversity, bearing.kin)
    held = set(diverse.order)
    # What is nearly the same text may still say the opposite: it may have a place of the opposing lane's.
    repeats = {i for i, why in diverse.demoted.items() if why is not Demoted.NEAR_DUPLICATE}
    together = shared(diverse.order, [i for i in bearing.opposing if i in held], bearing.quota, repeats)
    together = replace(together, order=tuple(sorted(together.order, key=lambda i: i in bearing.stale)))
    falls = falling(together, scores, {i: records[i].ref for i in together.order})
    told = joined(note, _told(diverse.demoted), _placed(together, bearing.quota), _gated(bearing.stale))
    return Ordered(together.order, falls, ranked.features, told, diverse.alike)


def _ranked(look: Look, record_ids: Sequence[int], ranking: Ranking, by_ranks: Ranker) -> tuple[Ranked, str]:
    try:
        return ranking.rank(look, record_ids), ""
    except (IndexUnavailable, DeadlinePassed) as failure:
        return by_ranks.begin().rank(look, record_ids), f"by ranks, for the ranker could not work: {failure}"


def _placed(together: Shared, quota: Quota) -> str:
    return f"{len(together.by_lane)} placed by the quota of {quota.name}" if together.by_lane else ""


def _gated(stale: Collection[int]) -> str:
    return f"{len(stale)} moved back as stale" if stale else ""


def _told(demoted: Mapping[int, Demoted]) -> str:
    counts = Counter(reason.value for reason in demoted.values())
    return ", ".join(f"{count} moved back as {reason}" for reason, count in sorted(counts.items()))
