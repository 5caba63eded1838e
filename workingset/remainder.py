"""The honest remainder: what is relevant and not in the block, how much of it, and why.

`count` is an upper bound: it holds every ranked record whose text is not in the block, every match that a lane's cap
kept from being ranked, and every hit that was relevant to a lane and failed revalidation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workingset.candidate import Candidate, Projection
from workingset.vocabulary import Ref, Relevance

BUDGET = "budget"
WINDOW = "window"
DUPLICATE_ORIGIN = "duplicate_origin"
LANE_CAP = "lane_cap"
CLOSURE = "closure"
PAGE_IN_OFF = "page_in_off"


@dataclass(frozen=True, slots=True)
class Omission:
    """One relevant record that was left out."""

    ref: Ref
    why: str
    relevance: Relevance
    title: str = ""


@dataclass(frozen=True, slots=True)
class Ignored:
    """The remainder: an upper-bound count, its reasons (sorted by name), and the best of it.

    `reduced` counts ranked records that are in the block as an outline or one line; they are not in `count`.
    """

    count: int
    reasons: tuple[tuple[str, int], ...]
    best: tuple[Omission, ...]
    truncated: bool
    near_misses: int
    reduced: int = 0


def remainder(
    projection: Projection, with_text: frozenset[Ref], whole: frozenset[Ref], why: Mapping[Ref, str], named: int
) -> tuple[Ignored, list[Candidate]]:
    """Return what was left out, and those of it that were ranked, best first.

    `with_text` are the refs whose text is in the block, `whole` those of them at full fidelity; `why` gives the reason
    for each ranked record that is not in it.
    """
    out = [candidate for candidate in projection.ranked if candidate.ref not in with_text]
    reasons = Counter(why.get(candidate.ref, WINDOW) for candidate in out)
    reasons.update(dict(projection.rejected))
    if projection.overflow:
        reasons[LANE_CAP] += projection.overflow
    ordered = by_relevance(out)
    best = tuple(Omission(c.ref, why.get(c.ref, WINDOW), c.relevance, c.title) for c in ordered[:named])
    counted = tuple(sorted((reason, count) for reason, count in reasons.items() if count))
    total = sum(count for _, count in counted)
    shortened = with_text - whole
    reduced = sum(candidate.ref in shortened for candidate in projection.ranked)
    return Ignored(total, counted, best, total > len(best), projection.near_misses, reduced), ordered


def captured(projection: Projection, with_text: frozenset[Ref]) -> float:
    """Return the relevance mass in the block over all that was ranked, before any de-duplication; 0 if none was."""
    total = sum(candidate.relevance for candidate in projection.ranked)
    kept = sum(candidate.relevance for candidate in projection.ranked if candidate.ref in with_text)
    return kept / total if total else 0.0


def by_relevance(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates by falling relevance, then selection score, then ref."""
    return sorted(candidates, key=lambda c: (-c.relevance, -c.selection_score, c.ref))
