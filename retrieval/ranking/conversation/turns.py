"""What is known of a turn beside its words, as ingest keeps it in the record's attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

from retrieval.record import Record

_LATEST_SECONDS = 253_402_300_799
_TIME_WORD = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|ago|next|recently|days?|weeks?|weekends?|months?|years?|mondays?"
    r"|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|january|february|march|april|june|july|august"
    r"|september|october|november|december)\b",
    re.IGNORECASE,
)

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
"""Of Latin and most scripts, Chinese and Japanese, Arabic, and Greek."""


@dataclass(frozen=True, slots=True)
class Days:
    """Whole days, both ends included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """Who said a turn, in which session, on which day, and which days its words name.

    `session` is empty and `said` None where the host did not know.
    """

    speaker: str
    session: tuple[str, ...]
    said: date | None
    named: tuple[Days, ...]


def turn_facts(record: Record) -> TurnFacts:
    """Read the attributes; what is not of their form is as good as not there."""
    known = dict(record.attributes)
    session = known.get("session", "")
    return TurnFacts(
        speaker=known.get("speaker", ""),
        session=(record.namespace, known.get("conversation", ""), session) if session else (),
        said=_day(known.get("time", "")),
        named=tuple(_named(known.get("dates", ""))),
    )


def speaks_of_time(record: Record) -> bool:
    """True where the turn has a word for a time: yesterday, last week, in June."""
    return _TIME_WORD.search(record.text) is not None


def asks(record: Record) -> bool:
    """True where the turn asks something, in any script."""
    return any(mark in record.text for mark in _QUESTION_MARKS)


def _day(seconds: str) -> date | None:
    if not seconds.isdecimal() or not 0 < int(seconds) <= _LATEST_SECONDS:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).date()


def _named(dates: str) -> Iterator[Days]:
    for iso in filter(None, dates.split(",")):
        first, _, last = iso.partition("/")
        try:
            yield Days(date.fromisoformat(first), date.fromisoformat(last or first))
        except ValueError:
            continue
