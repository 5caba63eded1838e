"""Diversity: of texts that say the same only the best keeps its place, and no origin fills the front alone.

A near duplicate holds nearly the same terms as a better record: Jaccard similarity, found exactly by prefix filtering
(Bayardo, Ma, Srikant, "Scaling Up All Pairs Similarity Search", WWW 2007): two sets so alike share one of the first few
of their terms in any one order. Nothing is dropped: what is demoted stands behind all that is not, in its own order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from math import ceil

from retrieval.record import Record


@unique
class Demoted(Enum):
    """Why a record stands behind others, the stronger reason last."""

    SAME_ORIGIN = "same_origin"
    NEAR_DUPLICATE = "near_duplicate"
    EQUAL_TEXT = "equal_text"


@dataclass(frozen=True, slots=True)
class DiversitySettings:
    """When two records say the same, and how many of one origin stand together."""

    looked_at: int = 200
    """As many as the largest window that a caller may ask for: records compared, best first."""
    likeness_share: float = 0.95
    """Guess: shared terms over all terms of two near duplicates; tests of one form in code differ by more."""
    least_terms: int = 12
    """Guess: shorter texts are compared as they are, for a word more is another text."""
    origin_records: int = 3
    """Guess: records of one origin that keep their places; mirrors of one article are one voice."""

    def __post_init__(self) -> None:
        if not 0.5 <= self.likeness_share <= 1.0:
            raise ValueError("likeness_share: give 0.5 to 1.0")


@dataclass(frozen=True, slots=True)
class Diversified:
    """Record ids in their new order, and why some stand behind where they were."""

    order: tuple[int, ...]
    demoted: Mapping[int, Demoted]


def diversified(
    order: Sequence[int],
    records: Mapping[int, Record],
    terms: Mapping[int, frozenset[str]],
    settings: DiversitySettings,
) -> Diversified:
    """The order with repeated texts behind all others and crowded origins before those.

    `terms` are the terms of the records' texts, for those of `order` that are looked at.
    """
    looked_at = order[: settings.looked_at]
    demoted = _repeated(looked_at, records, terms, settings)
    origins: Counter[str] = Counter()
    for record_id in looked_at:
        origin = records[record_id].origin
        if record_id in demoted or not origin:
            continue
        origins[origin] += 1
        if origins[origin] > settings.origin_records:
            demoted[record_id] = Demoted.SAME_ORIGIN
    kept = [i for i in order if i not in demoted]
    crowded = [i for i in order if demoted.get(i) is Demoted.SAME_ORIGIN]
    repeated = [i for i in order if i in demoted and demoted[i] is not Demoted.SAME_ORIGIN]
    return Diversified((*kept, *crowded, *repeated), demoted)


def _repeated(
    order: Sequence[int],
    records: Mapping[int, Record],
    terms: Mapping[int, frozenset[str]],
    settings: DiversitySettings,
) -> dict[int, Demoted]:
    """Records whose text a better one has, as it is or nearly."""
    rarity = Counter(term for record_id in order for term in terms[record_id])
    texts: set[str] = set()
    by_prefix: dict[str, list[int]] = {}
    found: dict[int, Demoted] = {}
    for record_id in order:
        text = " ".join(records[record_id].text.split())
        own = terms[record_id]
        prefix = _prefix(own, rarity, settings)
        if text in texts:
            found[record_id] = Demoted.EQUAL_TEXT
        elif any(_alike(own, terms[i], settings) for i in _met(prefix, by_prefix)):
            found[record_id] = Demoted.NEAR_DUPLICATE
        else:
            texts.add(text)
            for term in prefix:
                by_prefix.setdefault(term, []).append(record_id)
    return found


def _prefix(terms: frozenset[str], rarity: Mapping[str, int], settings: DiversitySettings) -> list[str]:
    """The rarest of the terms, of which any near duplicate shares one; none of a short text."""
    if len(terms) < settings.least_terms:
        return []
    ordered = sorted(terms, key=lambda term: (rarity[term], term))
    return ordered[: len(terms) - ceil(settings.likeness_share * len(terms)) + 1]


def _met(prefix: Sequence[str], by_prefix: Mapping[str, Sequence[int]]) -> list[int]:
    return sorted({record_id for term in prefix for record_id in by_prefix.get(term, ())})


def _alike(left: frozenset[str], right: frozenset[str], settings: DiversitySettings) -> bool:
    shared = len(left & right)
    return shared >= settings.likeness_share * (len(left) + len(right) - shared)
