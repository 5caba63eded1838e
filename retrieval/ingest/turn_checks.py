"""What a turn may hold, checked field by field before anything is written."""

from __future__ import annotations

import re

from retrieval.errors import BadField
from retrieval.ingest.settings import TypedSettings
from retrieval.ingest.turn_records import RESERVED, TurnInput

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LATEST_SECONDS = 253_402_300_799
"""The end of the year 9999: later days have no date."""


def check_turn(turn: TurnInput, field: str, settings: TypedSettings) -> None:
    """Raise BadField naming what is wrong."""
    _check_names(turn, field, settings)
    _check_unicode(turn.text, f"{field}.text")
    if not turn.text or turn.text.isspace():
        raise BadField(f"{field}.text", "is empty: a turn needs words; leave out turns that have none")
    if len(turn.text.encode()) > settings.text_bytes:
        raise BadField(f"{field}.text", f"is longer than {settings.text_bytes} bytes: send it as a document")
    if not 0 <= turn.seconds <= _LATEST_SECONDS:
        raise BadField(f"{field}.seconds", "give seconds since 1970, up to the year 9999, or 0 where it is not known")
    _check_attributes(turn, field, settings)


def _check_names(turn: TurnInput, field: str, settings: TypedSettings) -> None:
    names = {"conversation": turn.conversation, "turn": turn.turn, "speaker": turn.speaker, "session": turn.session}
    for name, text in names.items():
        _check_unicode(text, f"{field}.{name}")
        if name != "session" and not text.strip():
            raise BadField(f"{field}.{name}", "is empty")
        if len(text) > settings.title_characters or _CONTROL.search(text):
            raise BadField(f"{field}.{name}", f"give one line of at most {settings.title_characters} characters")


def _check_attributes(turn: TurnInput, field: str, settings: TypedSettings) -> None:
    keys = [key for key, _ in turn.attributes]
    for key, value in turn.attributes:
        _check_unicode(key + value, f"{field}.attributes")
    if len(keys) > settings.attributes:
        raise BadField(f"{field}.attributes", f"has {len(keys)} of at most {settings.attributes}")
    if len(set(keys)) < len(keys) or "" in keys:
        raise BadField(f"{field}.attributes", "a key is empty or there twice")
    taken = sum(len(key.encode()) + len(value.encode()) for key, value in turn.attributes)
    if taken > settings.attribute_bytes:
        raise BadField(f"{field}.attributes", f"take {taken} bytes of at most {settings.attribute_bytes}")
    reserved = sorted(RESERVED.intersection(keys))
    if reserved:
        raise BadField(f"{field}.attributes", f"{reserved[0]!r} is set by ingest: use the field, or another key")


def _check_unicode(text: str, field: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadField(field, "holds a lone surrogate: send valid Unicode") from error
