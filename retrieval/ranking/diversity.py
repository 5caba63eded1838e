"""Diversity: of texts that say the same only the best keeps its place, and no origin fills the front alone.

A near duplicate holds nearly the same terms as a better record: Jaccard similarity, found exactly by prefix filtering
(Bayardo, Ma, Srikant, "Scaling Up All Pairs Similarity Search", WWW 2007): two sets so alike share one of the first few
of their terms in any one order. We take that of the alphabet: counting which are rare costs more than it saves.
Nothing is dropped: what is demoted stands behind all that is not, in its own order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from math import ceil

from retrieval.identities import Identities
from retrieval.origins import Origins
from retrieval.record import Record
from retrieval.stance.otherwise import says_otherwise

_OPENING_WORDS = 6
"""Guess: few texts share so many first words and are not the same."""


@unique
class Demoted(Enum):
    """Why a record stands behind others, the stronger reason last."""

    SAME_ORIGIN = "same_origin"
    SAME_IDENTITY = "same_identity"
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
    compared_characters: int = 2_000
    """Guess: a page; of near duplicates in words so much is looked at for a negation, an opposite, a number or a date
    that sets them apart."""
    origin_records: int = 3
    """Guess: records of one origin that keep their places; mirrors of one article are one voice."""

    def __post_init__(self) -> None:
        if not 0.5 <= self.likeness_share <= 1.0:
            raise ValueError("likeness_share: give 0.5 to 1.0")


_BEHIND = ({Demoted.SAME_ORIGIN}, {Demoted.SAME_IDENTITY}, {Demoted.NEAR_DUPLICATE, Demoted.EQUAL_TEXT})
"""What stands behind what is kept, in this order."""


@dataclass(frozen=True, slots=True)
class Kin:
    """Which records are one thing, and which speak with one voice."""

    identities: Identities
    origins: Origins


NO_KIN = Kin(Identities(), Origins({}))


@dataclass(frozen=True, slots=True)
class Diversified:
    """Record ids in their new order, and why some stand behind where they were. `alike` are pairs, better first, that
    only their texts show to be alike."""

    order: tuple[int, ...]
    demoted: Mapping[int, Demoted]
    alike: tuple[tuple[int, int], ...] = ()


def diversified(
    order: Sequence[int],
    records: Mapping[int, Record],
    terms: Mapping[int, frozenset[str]],
    settings: DiversitySettings,
    kin: Kin = NO_KIN,
) -> Diversified:
    """The order with repeated texts behind all others, further records of one thing before those, and crowded origins
    before these.

    `terms` are the terms of the records' texts, for those of `order` that are looked at.
    """
    looked_at = order[: settings.looked_at]
    demoted, alike = _repeated(looked_at, records, terms, settings, kin.identities)
    things: set[int] = set()
    origins: Counter[str] = Counter()
    for record_id in looked_at:
        record = records[record_id]
        if record_id in demoted:
            continue
        thing = kin.identities.by_ref.get(record.ref)
        if thing in things:
            demoted[record_id] = Demoted.SAME_IDENTITY
            continue
        things.update([] if thing is None else [thing])
        origin = kin.origins.of(record)
        origins[origin] += 1
        if origin and origins[origin] > settings.origin_records:
            demoted[record_id] = Demoted.SAME_ORIGIN
    kept = [i for i in order if i not in demoted]
    behind = [[i for i in order if demoted.get(i) in reasons] for reasons in _BEHIND]
    return Diversified((*kept, *(i for group in behind for i in group)), demoted, alike)


def _repeated(
    order: Sequence[int],
    records: Mapping[int, Record],
    terms: Mapping[int, frozenset[str]],
    settings: DiversitySettings,
    identities: Identities,
) -> tuple[dict[int, Demoted], tuple[tuple[int, int], ...]]:
    """Records whose text a better one has, as it is or nearly, each with that one where no relation says that they are
    one thing. A relation that says they differ outweighs any likeness."""
    repeatable = _repeatable([records[record_id].text for record_id in order])
    texts: dict[str, list[int]] = {}
    by_prefix: dict[str, list[int]] = {}
    found: dict[int, Demoted] = {}
    alike: list[tuple[int, int]] = []
    for record_id in order:
        record, own = records[record_id], terms[record_id]
        whole = " ".join(record.text.split()) if _opening(record.text) in repeatable else ""
        prefix = _prefix(own, settings)
        near = (
            i
            for i in _met(prefix, by_prefix)
            if _alike(own, terms[i], settings) and not _says_otherwise(record, records[i], settings)
        )
        equal = _first_same(record, texts.get(whole, ()), records, identities)
        better = _first_same(record, near, records, identities) if equal is None else equal
        if better is not None:
            found[record_id] = Demoted.NEAR_DUPLICATE if equal is None else Demoted.EQUAL_TEXT
            if not identities.same(record.ref, records[better].ref):
                alike.append((better, record_id))
            continue
        if whole:
            texts.setdefault(whole, []).append(record_id)
        for term in prefix:
            by_prefix.setdefault(term, []).append(record_id)
    return found, tuple(alike)


def _says_otherwise(one: Record, other: Record, settings: DiversitySettings) -> bool:
    """True where two nearly equal texts of words, not of code, say different things."""
    if one.language or other.language:
        return False
    return says_otherwise(one.text, other.text, settings.compared_characters)


def _first_same(
    record: Record, others: Iterable[int], records: Mapping[int, Record], identities: Identities
) -> int | None:
    """The first of the others that no relation says to differ from the record."""
    return next((i for i in others if not identities.differ(record.ref, records[i].ref)), None)


def _opening(text: str) -> tuple[str, ...]:
    """The first words, by which most texts differ, so that few are read whole."""
    return tuple(text.split(None, _OPENING_WORDS)[:_OPENING_WORDS])


def _repeatable(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The beginnings that several of the texts share."""
    counts = Counter(map(_opening, texts))
    return frozenset(opening for opening, count in counts.items() if count > 1)


def _prefix(terms: frozenset[str], settings: DiversitySettings) -> list[str]:
    """The first of the terms, of which any near duplicate shares one; none of a short text."""
    if len(terms) < settings.least_terms:
        return []
    return sorted(terms)[: len(terms) - ceil(settings.likeness_share * len(terms)) + 1]


def _met(prefix: Sequence[str], by_prefix: Mapping[str, Sequence[int]]) -> list[int]:
    return sorted({record_id for term in prefix for record_id in by_prefix.get(term, ())})


def _alike(left: frozenset[str], right: frozenset[str], settings: DiversitySettings) -> bool:
    share = settings.likeness_share
    if min(len(left), len(right)) < share * max(len(left), len(right)):
        return False  # even if one holds all of the other
    shared = len(left & right)
    return shared >= share * (len(left) + len(right) - shared)
