"""The phrases that name a date: one regular expression, and what its parts say.

English phrases, numeric dates of ISO 8601, and the plainest words for the days around today in some other languages.
"Recently", "some time ago" and bare weekdays ("on Friday") name no date that could be relied upon and are left alone;
so are numeric dates whose order depends on the country ("5/7/2023").
"""

from __future__ import annotations

import re

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""In order; written with a capital, for "may" and "march" are verbs too."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""From Monday, as `date.weekday` counts."""

_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {**{word: at for at, word in enumerate(_COUNTED, 1)}, "a": 1, "an": 1, "couple of": 2, "a couple of": 2}
"""Counts in words."""

_OTHER = {
    "de": "vorgestern gestern heute übermorgen",
    "fr": "avant-hier aujourd'hui demain",
    "es": "anteayer ayer",
    "it": "ieri oggi domani",
    "pt": "ontem amanhã",
    "pl": "wczoraj dzisiaj jutro",
    "ru": "позавчера вчера сегодня завтра послезавтра",
    "zh": "昨天 今天 明天 前天",
    "ja": "昨日 今日 明日",
    "ko": "어제 오늘 내일",
}
LANGUAGE_OF = {word: language for language, words in _OTHER.items() for word in words.split()}
"""Words for days, and the language that `dateparser` shall read them in. Words that mean something else in another
language that is written with the same letters ("hier", "morgen") are not here."""

_FULL = "|".join(MONTHS)
_SHORT = "|".join([_FULL, *(month[:3] + r"\b\.?" for month in MONTHS if month != "May"), r"Sept\b\.?"])
_WEEKDAYS = "Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun"
_COUNT = r"\d{1,3}|" + "|".join(word.replace(" ", "[ ]") for word in sorted(NUMBERS, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_OTHERS = "|".join(
    rf"\b{re.escape(word)}\b" if ord(word[0]) < 0x3000 else re.escape(word)
    for word in sorted(LANGUAGE_OF, key=lambda word: (-len(word), word))
)

PHRASE = re.compile(
    rf"""
      \b(?P<iso>\d{{4}}-\d\d-\d\d)\b
    | \b(?P<day>(?:the[ ])?day[ ]before[ ]yesterday|(?:the[ ])?day[ ]after[ ]tomorrow|yesterday|tomorrow|today|tonight
        |last[ ]night|this[ ](?:morning|afternoon|evening))\b
    | \b(?P<turn>last|next|this|past|coming)[ ](?:past[ ]|coming[ ])?
        (?P<unit>weekend|week|month|year|{"|".join(WEEKDAYS)}|(?-i:{_WEEKDAYS})|(?-i:{_FULL}))\b
    | \b(?P<counted>(?P<count>{_COUNT})[ ](?P<grain>day|weekend|week|month|year)s?[ ](?P<side>ago|from[ ]now))\b
    | \bin[ ](?P<ahead>(?P<many>{_COUNT})[ ](?P<awaited>day|week|month|year)s?)(?!['’\w])
    | \b(?P<dated>{_ORDINAL}[ ](?:of[ ])?(?-i:{_SHORT})(?:,?[ ](?P<y1>{_YEAR}))?)\b
    | \b(?P<date>(?-i:{_SHORT})[ ]{_ORDINAL}(?!\d)(?:,?[ ](?P<y2>{_YEAR}))?)\b
    | \b(?P<month>(?-i:{_SHORT})(?:[ ]of)?,?[ ]{_YEAR})\b
    | \b(?:in|since|during|until|by)[ ](?:(?:early|late|mid)[ -])?(?P<alone>(?-i:{_FULL}))\b(?!,?[ ](?:of[ ])?\d)
    | \b(?:in|since|during|until|by)[ ](?:(?:early|late|mid)[ -])?(?P<year>{_YEAR})\b(?![-/])
    | (?P<other>{_OTHERS})
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""One phrase. Which of its groups took part says what kind it is."""

_STEMS = ("day", "week", "month", "year", "tomorrow", "night", "morning", "afternoon", "evening", *LANGUAGE_OF)
_MARKS = (*_WEEKDAYS.replace("?", "").split("|"), *(month[:3] for month in MONTHS), " 19", " 20", "-0", "-1")


def may_name_dates(text: str) -> bool:
    """False where no phrase can be there; a hundred times faster than looking for one."""
    lowered = text.lower()
    return any(stem in lowered for stem in _STEMS) or any(mark in text for mark in _MARKS)
