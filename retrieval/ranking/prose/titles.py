"""Titles as texts mention them: without case, accents, punctuation and what stands in brackets behind."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w+")
_BRACKETED = re.compile(r"\s*\([^()]*\)\s*\Z")


def folded(text: str) -> str:
    """The words of a text in lower case without accents, one blank between: what mentions are compared by."""
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(_WORD.findall(text.lower()))


def folded_title(title: str) -> str:
    """A title as `folded`, but for a bracket at its end: `Brother (Pearl Jam song)` is mentioned as `brother`."""
    return folded(_BRACKETED.sub("", title))


class Mentions:
    """Whether a text mentions titles, word by word."""

    def __init__(self, text: str) -> None:
        self._text = f" {folded(text)} "

    def hold(self, folded_title: str, letters: int) -> bool:
        """True where the title has so many letters and stands in the text as whole words."""
        return len(folded_title) >= letters and f" {folded_title} " in self._text
