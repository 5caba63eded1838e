"""What a text names: runs of capitalised words, and years. Guesses by form, in scripts that have capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.text.stop_words import STOP_WORDS

_PIECE = re.compile(r"\w[\w'’.&-]*|[^\s\w]")
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_INNER_WORDS = "of the de du la le and for van von del di da in on al"
_INNER = frozenset(_INNER_WORDS.split())
"""Words in small letters that stand inside names: `Bank of America`."""
_OPENING_WORDS = """
    according additionally although among another despite during first however many one second several since three two
    upon within without
"""
_OPENERS = STOP_WORDS.union(_OPENING_WORDS.split())
"""Words that have a capital only because a sentence begins with them."""


def names(text: str, words: int) -> tuple[str, ...]:
    """The names in order of first mention, each once; runs of more than `words` words are none."""
    return tuple(dict.fromkeys(_names(text, words)))


def _names(text: str, words: int) -> Iterator[str]:
    run: list[str] = []
    for match in _PIECE.finditer(text):
        piece = match.group().rstrip(".'’-") or match.group()
        if piece[0].isupper() or (run and piece in _INNER):
            run.append(piece)
        else:
            yield from _name(run, words)
            run = []
        if _YEAR.fullmatch(piece):
            yield piece
    yield from _name(run, words)


def _name(run: list[str], words: int) -> Iterator[str]:
    """The run without the function words at its ends, if anything is left."""
    start, end = 0, len(run)
    while end and run[end - 1] in _INNER:
        end -= 1
    while start < end and run[start].lower() in _OPENERS:
        start += 1
    name = " ".join(run[start:end])
    if len(name) > 2 and end - start <= words:
        yield name
