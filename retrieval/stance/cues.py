"""Cues that a text speaks against a claim: named features, each 0 to 1, none of them proof.

Negation, opposites, numbers and dates, and a different object of the same subject are the contradiction types that de
Marneffe, Rafferty and Manning read off texts ("Finding Contradictions in Text", ACL 2008); they align parsed sentences,
we compare words with the one sentence nearest to the claim, without a parser or a model. Words of contrast are the
Comparison connectives of the Penn Discourse Treebank (Prasad et al., LREC 2008) and verbs of denial.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.stance.reading import Claim, Dates, Quantity, Reading, Sentence
from retrieval.stance.settings import CueSettings
from retrieval.stance.words import CONTRASTS, OPPOSITES, PREFIXES

_LEAST_LETTERS = 4
"""Of a word that a prefix turns round."""


@dataclass(frozen=True, slots=True)
class Cues:
    """What of a text speaks against a claim.

    `negation`: one of the claim and its nearest sentence is negated, the other not. `antonym`: a word of one is the
    opposite of a word of the other. `number`, `date`: both have such and they differ. `object`: how much of the claim's
    subject the text has, times how much of what the claim says of it is missing. `contrast`: the nearest sentence has a
    word of contrast or denial that the claim has not.
    """

    negation: float = 0.0
    antonym: float = 0.0
    number: float = 0.0
    date: float = 0.0
    object: float = 0.0
    contrast: float = 0.0

    def named(self) -> tuple[tuple[str, float], ...]:
        """The cues that there are, as receipts show them."""
        every = (
            ("negation", self.negation),
            ("antonym", self.antonym),
            ("number", self.number),
            ("date", self.date),
            ("object", self.object),
            ("contrast", self.contrast),
        )
        return tuple((name, value) for name, value in every if value > 0.0)

    def strength(self, settings: CueSettings) -> float:
        """What they add to an order, by the weights of the settings."""
        return (
            settings.negation_weight * self.negation
            + settings.antonym_weight * self.antonym
            + settings.number_weight * self.number
            + settings.date_weight * self.date
            + settings.object_weight * self.object
            + settings.contrast_weight * self.contrast
        )


def cues(claim: Claim, text: Reading, settings: CueSettings) -> Cues:
    """Cues of a text against a claim; a text that shares no word with it has none."""
    near = text.nearest(claim.reading.terms)
    if near is None or claim.reading.terms.isdisjoint(text.terms):
        return Cues()
    return Cues(
        negation=float(claim.negated != near.negated),
        antonym=float(_opposed(claim.words, near)),
        number=_numbers(claim.reading.quantities, text.quantities, settings),
        date=float(_dates(claim.reading.dates, text.dates)),
        object=_object(claim, text),
        contrast=float(bool(near.words & CONTRASTS - claim.words)),
    )


def _opposed(words: frozenset[str], near: Sentence) -> bool:
    """A word that only the claim has, and its opposite that only the sentence has."""
    ours, theirs = words - near.words, near.words - words
    if any(not theirs.isdisjoint(OPPOSITES.get(word, ())) for word in ours):
        return True
    return _turned(ours, theirs) or _turned(theirs, ours)


def _turned(plain: frozenset[str], prefixed: frozenset[str]) -> bool:
    rests = (word[len(prefix) :].lstrip("-") for word in prefixed for prefix in PREFIXES if word.startswith(prefix))
    return any(len(rest) >= _LEAST_LETTERS and rest in plain for rest in rests)


def _numbers(claim: frozenset[Quantity], text: frozenset[Quantity], settings: CueSettings) -> float:
    """1 where the text counts the same thing otherwise, less where it only has other numbers."""
    values = {quantity.value for quantity in text}
    missing = [quantity for quantity in claim if quantity.value not in values]
    if not missing or not text:
        return 0.0
    units = {quantity.unit for quantity in text} - {""}
    return 1.0 if any(quantity.unit in units for quantity in missing) else settings.other_number_share


def _dates(claim: Dates, text: Dates) -> bool:
    """The claim's years, or its days, and the text's have none in common."""
    years = bool(claim.years and text.years) and claim.years.isdisjoint(text.years)
    days = bool(claim.days and text.days) and claim.days.isdisjoint(text.days)
    return years or days


def _object(claim: Claim, text: Reading) -> float:
    if not claim.subject or not claim.rest:
        return 0.0
    held = len(claim.subject & text.terms) / len(claim.subject)
    missing = len(claim.rest - text.terms) / len(claim.rest)
    return held * missing
