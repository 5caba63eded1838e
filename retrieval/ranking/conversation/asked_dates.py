"""Dates that a question names, and how well a turn's days fit them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from retrieval.ranking.conversation.settings import ConversationRankingSettings
from retrieval.ranking.conversation.turns import Days, TurnFacts

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHORT = (*(month[:3] for month in _MONTHS), "sept")
_NAMES = "|".join([*(rf"{month.capitalize()}\b" for month in _MONTHS), *(rf"{s.capitalize()}\b\.?" for s in _SHORT)])
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_WRITTEN = re.compile(
    rf"(?:\b{_DAY}\s+(?:of\s+)?)?\b({_NAMES})(?:\s+{_DAY}\b(?!\d))?(?:,?\s+(?:of\s+)?((?:19|20)\d\d))?"
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_WHEN = re.compile(
    r"\s*(?:when|how long|how many (?:days|weeks|months|years)"
    r"|(?:on |in |at )?(?:what|which) (?:date|day|month|year|time))\b",
    re.IGNORECASE,
)
_VERBS = frozenset({"may"})


@dataclass(frozen=True, slots=True)
class AskedDate:
    """A month, with its day and its year where they were named, else 0."""

    month: int
    day: int = 0
    year: int = 0


def asks_when(question: str) -> bool:
    """True where the question begins with when, how long, or which day."""
    return _WHEN.match(question) is not None


def asked_dates(question: str, people: Iterable[str] = ()) -> tuple[AskedDate, ...]:
    """The dates that the question names by month. "May", and June where one of the `people` is called so, count only
    with a day or a year."""
    return tuple(dict.fromkeys(_asked(question, _VERBS.union(name.lower() for name in people))))


def fit(asked: Iterable[AskedDate], facts: TurnFacts, settings: ConversationRankingSettings) -> float:
    """How well the day on which it was said, or a day that it names, fits: 0, or up to 1 + the share of a day's."""
    said = [Days(facts.said, facts.said)] if facts.said is not None else []
    own = (_fit(date_, days, settings, told=True) for date_ in asked for days in said)
    named = (_fit(date_, days, settings, told=False) for date_ in asked for days in facts.named)
    return max((*own, *named), default=0.0)


def _asked(question: str, unsure: Collection[str]) -> Iterator[AskedDate]:
    for match in _ISO.finditer(question):
        if 1 <= int(match[2]) <= 12:
            yield AskedDate(int(match[2]), int(match[3] or 0), int(match[1]))
    for match in _WRITTEN.finditer(question):
        month = next(at for at, name in enumerate(_MONTHS, 1) if name.startswith(match[2].lower().rstrip(".")))
        day, year = int(match[1] or match[3] or 0), int(match[4] or 0)
        if day or year or match[2].lower() not in unsure:
            yield AskedDate(month, day, year)


def _fit(asked: AskedDate, days: Days, settings: ConversationRankingSettings, *, told: bool) -> float:
    """`told` is True for the day of telling, which comes after what is told."""
    if (days.last - days.first).days > 31:
        return 0.0
    if asked.month in {days.first.month, days.last.month}:
        year = days.first.year if days.first.month == asked.month else days.last.year
        score = 1.0 + _day_fit(asked, year, days, settings, told=told)
    elif told and days.first.day <= settings.days_after and days.first.month == asked.month % 12 + 1:
        year = days.first.year - (asked.month == 12)
        score = settings.month_after_share
    else:
        return 0.0
    return score * (settings.other_year_share if asked.year not in {0, year} else 1.0)


def _day_fit(asked: AskedDate, year: int, days: Days, settings: ConversationRankingSettings, *, told: bool) -> float:
    try:
        day = date(year, asked.month, asked.day)
    except ValueError:  # no day was named, or one that the month does not have
        return 0.0
    if days.first <= day <= days.last:
        return settings.same_day_share
    after = timedelta(0) < days.first - day <= timedelta(settings.days_after)
    return settings.days_after_share if told and after else 0.0
