"""Dates in words, resolved against the day on which they were said: "yesterday", "two weeks ago", "next Friday".

A regular expression (`retrieval.ingest.date_phrases`) finds the phrases; a text without one costs nothing else. What a
phrase names has a grain: a day, a weekend, a week, a month, a year. Dates, counts and other languages are read by the
library `dateparser`, which gives one day; the grain widens it to whole days. Weeks begin on Monday, a weekend is
Saturday and Sunday. "Last Friday" is the nearest Friday before, "next Friday" the nearest after, "this Friday" the one
of this week; a day or month without its year is the one nearest in time.
"""

from __future__ import annotations

import importlib
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from typing import cast

from retrieval.ingest.date_phrases import LANGUAGE_OF, MONTHS, NUMBERS, PHRASE, WEEKDAYS, may_name_dates

_DAYS = {"yesterday": -1, "last night": -1, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2}
_WEEKDAYS = {weekday[:3]: at for at, weekday in enumerate(WEEKDAYS)}
_MONTHS = {month.lower(): at for at, month in enumerate(MONTHS, 1)}
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_SIDES = {"last": -1, "past": -1, "next": 1, "coming": 1, "this": 0}
_STRETCH_CHARACTERS = 16_384
"""Measured: some 40 ms at the worst."""
_LONGEST_PHRASE_CHARACTERS = 100
"""More than twice the longest, "a couple of weekends from now"."""
_READING = threading.Lock()
_Reader = Callable[[str, Sequence[str], datetime], datetime | None]


@dataclass(frozen=True, slots=True, order=True)
class Days:
    """Whole days, from the first to the last, both included."""

    first: date
    last: date

    @property
    def iso(self) -> str:
        """The day as ISO 8601 writes it, or the interval: `2023-05-01/2023-05-07`."""
        one = self.first.isoformat()
        return one if self.first == self.last else f"{one}/{self.last.isoformat()}"

    @property
    def words(self) -> str:
        """As people write it: `7 May 2023`, `April 2023`, `2022`, `1 May 2023 to 7 May 2023`."""
        if self.first == self.last:
            return day_words(self.first)
        if self == _year_of(self.first):
            return str(self.first.year)
        if self == _month_of(self.first):
            return f"{MONTHS[self.first.month - 1]} {self.first.year}"
        return f"{day_words(self.first)} to {day_words(self.last)}"


def day_words(day: date) -> str:
    """A day as people write it: `7 May 2023`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


@dataclass(frozen=True, slots=True)
class Named:
    """The dates that a text names, each once, in order of their first naming; `unread` counts the phrases past the
    bound, equal ones once."""

    days: tuple[Days, ...] = ()
    unread: int = 0


def resolve_dates(text: str, said: date, phrases: int = 1_000) -> Named:
    """Resolve the dates that the text names in words or figures; at most so many different phrases are read.

    What names no day of the calendar ("30 February", a year before 1 or after 9999) is left out.
    """
    found: dict[Days, None] = {}
    met: set[str] = set()
    if not may_name_dates(text):
        return Named()
    for match in _phrases(text):
        phrase = match[0].lower()
        if phrase in met:
            continue
        met.add(phrase)
        if len(met) > phrases:
            continue
        try:
            resolved = _resolved(match, said)
        except (OverflowError, ValueError):  # beyond the calendar
            continue
        if resolved is not None:
            found[resolved] = None
    return Named(tuple(found), max(0, len(met) - phrases))


def _phrases(text: str) -> Iterator[re.Match[str]]:
    """The phrases in order. Looked for stretch by stretch: while one is looked through, no other thread goes on."""
    at = 0
    while at < len(text):
        end = at + _STRETCH_CHARACTERS
        after = end
        for match in PHRASE.finditer(text, at, end + _LONGEST_PHRASE_CHARACTERS):
            if match.start() >= end:
                break
            yield match
            after = max(end, match.end())
        at = after


def _resolved(match: re.Match[str], said: date) -> Days | None:
    kind = match.lastgroup or ""
    taken = {name: text for name, text in match.groupdict().items() if text is not None}
    if "iso" in taken:
        return _day(date.fromisoformat(taken["iso"]))
    if "day" in taken:
        return _day(said + timedelta(_DAYS.get(taken["day"].lower().removeprefix("the "), 0)))
    if "turn" in taken:
        return _turned(_SIDES[taken["turn"].lower()], taken["unit"].lower(), said)
    if "counted" in taken:
        return _counted(taken["count"], taken["grain"].lower(), taken["side"].lower() == "ago", said)
    if "ahead" in taken:
        return _counted(taken["many"], taken["awaited"].lower(), False, said)
    if "year" in taken:
        return _year_of(date(int(taken["year"]), 1, 1))
    if "alone" in taken:
        return _nearest_month(MONTHS.index(taken["alone"]) + 1, said)
    if "month" in taken:
        read = _read(taken["month"].replace(" of ", " "), "en", said)
        return None if read is None else _month_of(read)
    if "other" in taken:
        read = _read(taken["other"], LANGUAGE_OF[taken["other"].lower()], said)
        return None if read is None else _day(read)
    return _dated(taken.get("dated") or taken["date"], bool(taken.get("y1") or taken.get("y2")), said) if kind else None


def _turned(side: int, unit: str, said: date) -> Days | None:
    if unit[:3] in _WEEKDAYS and unit != "month":
        weekday = _WEEKDAYS[unit[:3]]
        ahead = (weekday - said.weekday()) % 7
        if side == 0:
            return _day(said + timedelta(weekday - said.weekday()))
        return _day(said + timedelta((ahead or 7) if side > 0 else (ahead - 7)))
    if unit == "week":
        return _week_of(said + timedelta(7 * side))
    if unit == "weekend":
        saturday = said + timedelta(5 - said.weekday() + 7 * side)
        # on a weekend "last weekend" is the one before, "next" the one after: whole weeks already say so
        return Days(saturday, saturday + timedelta(1))
    if unit == "month":
        return _month_of(_month_on(said, side))
    if unit == "year":
        return _year_of(date(said.year + side, 1, 1))
    number = _MONTHS[unit]
    year = said.year + (side if (number - said.month) * side <= 0 else 0)
    return _month_of(date(year, number, 1))


def _counted(count: str, grain: str, ago: bool, said: date) -> Days | None:
    number = int(count) if count.isdigit() else NUMBERS[count.lower()]
    if grain == "weekend":
        saturday = said + timedelta(5 - said.weekday() + 7 * (-number if ago else number))
        return Days(saturday, saturday + timedelta(1))
    phrase = f"{number} {grain}s ago" if ago else f"in {number} {grain}s"
    read = _read(phrase, "en", said)
    return None if read is None else _GRAINS[grain](read)


def _dated(written: str, has_year: bool, said: date) -> Days | None:
    plain = _ORDINAL.sub("", written).replace(" of ", " ")
    if has_year:
        read = _read(plain, "en", said)
        return None if read is None else _day(read)
    near = [read for year in range(said.year - 1, said.year + 2) if (read := _read(f"{plain} {year}", "en", said))]
    return _day(min(near, key=lambda day: (abs(day - said), day))) if near else None


def _nearest_month(number: int, said: date) -> Days:
    middles = [date(said.year + step, number, 15) for step in (-1, 0, 1)]
    return _month_of(min(middles, key=lambda day: (abs(day - said), day)))


def _day(day: date) -> Days:
    return Days(day, day)


def _week_of(day: date) -> Days:
    monday = day - timedelta(day.weekday())
    return Days(monday, monday + timedelta(6))


def _month_of(day: date) -> Days:
    first = day.replace(day=1)
    return Days(first, _month_on(first, 1) - timedelta(1))


def _month_on(day: date, months: int) -> date:
    """The first day of the month so many months later."""
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def _year_of(day: date) -> Days:
    return Days(date(day.year, 1, 1), date(day.year, 12, 31))


_GRAINS: dict[str, Callable[[date], Days]] = {"day": _day, "week": _week_of, "month": _month_of, "year": _year_of}


@lru_cache(maxsize=4_096)
def _read(phrase: str, language: str, said: date) -> date | None:
    """The day that `dateparser` reads, or None where it reads none; some 3 ms, and one at a time, as it keeps the day
    that it reads against in an object of its own."""
    with _READING:
        read = _reader()(phrase, (language,), datetime(said.year, said.month, said.day, 12))
    return None if read is None else read.date()


@cache
def _reader() -> _Reader:
    """Loaded at the first phrase that needs it: a tenth of a second."""
    parse = importlib.import_module("dateparser").parse

    def read(phrase: str, languages: Sequence[str], base: datetime) -> datetime | None:
        with warnings.catch_warnings():
            # its own use of regular expressions and time zones, which no caller can change
            warnings.simplefilter("ignore", DeprecationWarning)
            found = parse(phrase, languages=list(languages), settings={"RELATIVE_BASE": base})
        return cast("datetime | None", found)

    return read
