"""Candidates against a claim in one order: how well they fit its topic, their cues, and a judge's word where there is
one. Nothing is left out, and no number here is a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from retrieval.deadline import Deadline
from retrieval.stance.cues import cues
from retrieval.stance.judge import StanceJudge
from retrieval.stance.reading import read, read_claim
from retrieval.stance.settings import OpposingSettings

JUDGED = "judged"
"""The name under which a judge's score stands among the cues."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate: what orders it, and the cues behind that by name."""

    record_id: int
    score: float
    cues: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Ordering:
    """Candidates, best first, and what is to be said of how they were ordered."""

    scored: tuple[Scored, ...]
    notes: tuple[str, ...] = ()


def by_stance(
    claim: str,
    fits: Mapping[int, float],
    texts: Mapping[int, str],
    settings: OpposingSettings,
    judge: StanceJudge | None,
    deadline: Deadline,
) -> Ordering:
    """Order candidates; `fits` says by record id how well each fits the topic, `texts` are those of the ones that could
    be read. Of the best, so many as the settings say, cues are read and judged. Raises DeadlinePassed."""
    best = sorted(fits, key=lambda i: (-fits[i], i))
    scored = {i: Scored(i, fits[i]) for i in best}
    read_as = read_claim(claim, settings.cues.read_characters)
    for record_id in [i for i in best if i in texts][: settings.cued_texts]:
        deadline.check()
        found = cues(read_as, read(texts[record_id], settings.cues.read_characters), settings.cues)
        scored[record_id] = Scored(record_id, fits[record_id] + found.strength(settings.cues), found.named())
    notes: tuple[str, ...] = ()
    if judge is not None:
        notes = _judged(claim, scored, texts, settings, judge)
        deadline.check()
    return Ordering(tuple(sorted(scored.values(), key=_place)), notes)


def _judged(
    claim: str, scored: dict[int, Scored], texts: Mapping[int, str], settings: OpposingSettings, judge: StanceJudge
) -> tuple[str, ...]:
    """Add the judge's word to the best; what it did, in words."""
    asked = [each for each in sorted(scored.values(), key=_place) if each.record_id in texts][: settings.judged_texts]
    if not asked:
        return ()
    try:
        answer = tuple(float(score) for score in judge.judge(claim, [texts[each.record_id] for each in asked]))
    except Exception as failure:  # the judge is the user's own code; its failure is told and costs its word alone
        return (f"the judge {judge.name} failed, cues order: {type(failure).__name__}: {failure}",)
    if fault := _fault(answer, len(asked)):
        return (f"the judge {judge.name} was not heard, cues order: {fault}",)
    for each, judgement in zip(asked, answer, strict=True):
        score = each.score + settings.judged_weight * judgement
        scored[each.record_id] = Scored(each.record_id, score, (*each.cues, (JUDGED, judgement)))
    return (f"{len(asked)} judged by {judge.name}",)


def _fault(answer: Sequence[float], wanted: int) -> str:
    if len(answer) != wanted:
        return f"{len(answer)} scores for {wanted} texts"
    if not all(isfinite(score) and 0.0 <= score <= 1.0 for score in answer):
        return "a score outside of 0 to 1"
    return ""


def _place(each: Scored) -> tuple[float, int]:
    return (-each.score, each.record_id)
