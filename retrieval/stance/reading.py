"""A text as stance cues read it: sentences with their words, terms, quantities and dates."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.stance.words import negates
from retrieval.text.stop_words import STOP_WORDS
from retrieval.text.tokens import analyse

WORD = re.compile(r"\w+(?:['’-]\w+)*")
"""A word with its inner apostrophes and hyphens."""

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_MONTHS = "January February March April May June July August September October November December"
_MONTH = {name: at for at, month in enumerate(_MONTHS.split(), 1) for name in (month, month[:3])} | {"Sept": 9}
_COUNTS = "two three four five six seven eight nine ten eleven twelve"
_COUNT = {word: str(at) for at, word in enumerate(_COUNTS.split(), 2)} | {"twice": "2"}
_MONTH_NAME = "|".join(sorted(_MONTH, key=lambda name: (-len(name), name)))
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY = re.compile(rf"\b(?:{_ORDINAL}(?: of)? ({_MONTH_NAME})\b|({_MONTH_NAME})\.? {_ORDINAL}\b(?!\d))")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_YEAR = re.compile(r"(?<![\d.,$€£])(1[0-9]|20)\d\d(?![\d%]|[.,]\d)s?\b")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
_NEXT = re.compile(r"\s*(%|[^\W\d_]+)")


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """A number as plain digits, and the term of the word behind it; a per cent sign is a word too."""

    value: str
    unit: str


@dataclass(frozen=True, slots=True)
class Dates:
    """What a text names of the calendar: years, and days as (month, day)."""

    years: frozenset[int] = frozenset()
    days: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its words in lower case, its terms in order, and whether it is negated."""

    words: frozenset[str]
    terms: tuple[str, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A text: its sentences, all their terms, its figures."""

    sentences: tuple[Sentence, ...]
    terms: frozenset[str]
    quantities: frozenset[Quantity]
    dates: Dates

    def nearest(self, terms: frozenset[str]) -> Sentence | None:
        """The sentence that shares most of the terms; the first of equals; None where there is no sentence."""
        return max(self.sentences, key=lambda s: len(terms.intersection(s.terms)), default=None)


def read(text: str, characters: int) -> Reading:
    """Read the first so many characters of a text."""
    within = text[:characters]
    sentences = tuple(_sentence(part) for part in _SENTENCE_END.split(within) if part.strip())
    terms = frozenset(term for sentence in sentences for term in sentence.terms)
    return Reading(sentences, terms, *_figures(within))


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: `subject` are the terms of what it begins with, `rest` all others; `words` are in lower case."""

    reading: Reading
    subject: frozenset[str]
    rest: frozenset[str]
    words: frozenset[str]
    negated: bool


def read_claim(text: str, characters: int) -> Claim:
    """Read the first so many characters of a claim."""
    reading = read(text, characters)
    subject = subject_of(text[:characters])
    words = frozenset(word for sentence in reading.sentences for word in sentence.words)
    return Claim(reading, subject, reading.terms - subject, words, any(s.negated for s in reading.sentences))


def subject_of(text: str) -> frozenset[str]:
    """Terms of what a claim begins with: its first run of capitalised words where it begins with one, else all words
    before the first stop word that follows one that is none. A heuristic in place of a parser."""
    words = WORD.findall(text)
    while words and words[0].lower() in STOP_WORDS:
        words = words[1:]
    named = bool(words) and words[0][0].isupper() and len(words) > 1 and words[1][0].isupper()
    run: list[str] = []
    for word in words:
        if (named and not word[0].isupper()) or word.lower() in STOP_WORDS or word.lower() == "s":
            break
        run.append(word)
    return frozenset(analyse(" ".join(run if named else run[:2])))


def _sentence(text: str) -> Sentence:
    words = frozenset(word.lower() for word in WORD.findall(text))
    return Sentence(words, tuple(analyse(text)), any(map(negates, words)))


def _figures(text: str) -> tuple[frozenset[Quantity], Dates]:
    """Numbers that are no part of a date, and dates."""
    days: set[tuple[int, int]] = set()
    years: set[int] = set()
    taken: list[tuple[int, int]] = []
    for match in _ISO.finditer(text):
        years.add(int(match[1]))
        days.add((int(match[2]), int(match[3])))
        taken.append(match.span())
    for match in _DAY.finditer(text):
        days.add((_MONTH[match[2] or match[3]], int(match[1] or match[4])))
        taken.append(match.span())
    for match in _YEAR.finditer(text):
        years.add(int(match.group().rstrip("s")))
        taken.append(match.span())
    return _quantities(text, taken), Dates(frozenset(years), frozenset(days))


def _quantities(text: str, taken: list[tuple[int, int]]) -> frozenset[Quantity]:
    found = {
        Quantity(_plain(match.group()), _unit(text, match.end()))
        for match in _NUMBER.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end in taken)
    }
    for match in WORD.finditer(text):
        value = _COUNT.get(match.group().lower())
        if value is not None:
            found.add(Quantity(value, _unit(text, match.end())))
    return frozenset(found)


def _plain(number: str) -> str:
    whole, point, part = number.replace(",", "").partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}{point if part else ''}{part}"


def _unit(text: str, at: int) -> str:
    """The term of the word that follows, empty for a stop word or none."""
    match = _NEXT.match(text, at)
    if match is None:
        return ""
    if match[1] == "%":
        return "%"
    terms = analyse(match[1])
    return terms[0] if terms else ""
