"""The terms of a text, for documents and queries alike: identifier-aware, stemmed, in any script.

`analyse("getUserNames in user_store.py")` gives `getusernam get user name user_store user store py`: an identifier
gives itself in lower case and its parts, English words are stemmed. Scripts written without spaces (Chinese, Japanese,
Korean, Thai and their like) give overlapping pairs of characters. Left out are stop words, one-letter words and all
that is neither letter, mark nor digit. A word longer than `LONGEST_WORD` gives one term, its beginning.

Source: the tokens of our own measurements on code search (stdlib recall@10 .434 plain, .672 with these). We deviate in
that an identifier without underscores is stemmed as a whole too, so that `getusernames`, typed in lower case, finds
`getUserNames`. The stemmer is Snowball English as tantivy ships it; each distinct word is analysed once and remembered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import tantivy

from retrieval.text.mentions import PathMention, identifiers, path_mentions, quoted_strings
from retrieval.text.stop_words import STOP_WORDS

__all__ = [
    "ANALYSIS_VERSION",
    "LONGEST_WORD",
    "PathMention",
    "analyse",
    "analysed",
    "distinct",
    "identifiers",
    "path_mentions",
    "quoted_strings",
]

ANALYSIS_VERSION = 1
"""Raised whenever equal text may give other terms: indexes of another version are rebuilt."""

LONGEST_WORD = 64
"""Characters. Longer words are encoded bytes, hashes or minified code, seldom searched for. A guess."""

_REMEMBERED_WORDS = 400_000
"""Distinct words kept analysed, 65 MB at the most: the standard library has 120,000 in 20 MB. Cleared when full."""

_WORD = re.compile("[0-9A-Za-z_\u0080-\U0010ffff]+")
_SPACED = bytes(byte if _WORD.match(chr(byte)) else 0x20 for byte in range(256))
"""ASCII by byte, with a blank for what is in no word."""
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_CAPITALS_IN_PLURAL = re.compile(r"[A-Z]+s")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)
"""Runs of scripts written without spaces between words (Korean has some, but glues particles to its words)."""

_STEMMER = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("english")).build()


def analyse(text: str) -> list[str]:
    """Return the text's terms in order, repeated as often as they occur."""
    return analysed(text).split()


def analysed(text: str) -> str:
    """Return the text's terms joined by spaces: what the lexical index is fed. May hold runs of spaces."""
    return " ".join(map(_TERMS.__getitem__, _words(text)))


def distinct(text: str) -> set[str]:
    """Return the text's terms, each once: quicker than `analyse`, for most words are one term."""
    terms = set(map(_TERMS.__getitem__, _words(text)))
    compound = [each for each in terms if " " in each]
    if compound:
        terms.difference_update(compound)
        terms.update(" ".join(compound).split())
    terms.discard("")
    return terms


def _words(text: str) -> list[str]:
    """What `_WORD` finds. ASCII is cut by table: a third of the time."""
    if text.isascii():
        return text.encode().translate(_SPACED).decode().split()
    return _WORD.findall(text)


class _Terms(dict[str, str]):
    """Word to its terms, joined by spaces; fills itself. Safe beside other threads: an entry lost is made again."""

    def __missing__(self, word: str) -> str:
        terms = " ".join(_word_terms(word))
        if len(word) <= LONGEST_WORD:
            if len(self) >= _REMEMBERED_WORDS:
                self.clear()
            self[word] = terms
        return terms


_TERMS = _Terms()


def _word_terms(word: str) -> Iterator[str]:
    if word.isascii():
        yield from _ascii_terms(word)
        return
    for piece in _clean(word).split():
        if piece.isascii():
            yield from _ascii_terms(piece)
        else:
            yield from _script_terms(piece)


def _clean(word: str) -> str:
    """Compatibility forms made plain, and everything but letters, marks, digits and connectors made a space."""
    normal = unicodedata.normalize("NFKC", word)
    return "".join(c if unicodedata.category(c)[0] in "LMN" or c == "_" else " " for c in normal)


def _script_terms(piece: str) -> Iterator[str]:
    """Terms of a piece that is not all ASCII: pairs of characters in unspaced runs, words elsewhere."""
    start = 0
    for run in _UNSPACED.finditer(piece):
        yield from _spaced_terms(piece[start : run.start()])
        characters = run.group()
        if len(characters) == 1:
            yield characters
        else:
            yield from map("".join, pairwise(characters))
        start = run.end()
    yield from _spaced_terms(piece[start:])


def _spaced_terms(piece: str) -> Iterator[str]:
    if piece.isascii():
        yield from _ascii_terms(piece)
        return
    whole = piece.strip("_")[:LONGEST_WORD]
    parts = _cased_parts(whole)
    if len(parts) > 1:
        yield whole.casefold()
    for part in parts:
        yield from _ascii_terms(part) if part.isascii() else iter((part.casefold(),))


def _cased_parts(word: str) -> list[str]:
    """Split at underscores and where a lower-case letter meets a capital, in any alphabet."""
    spaced = "".join(f" {c}" if at and c.isupper() and word[at - 1].islower() else c for at, c in enumerate(word))
    return spaced.replace("_", " ").split()


def _ascii_terms(word: str) -> Iterator[str]:
    if len(word) > LONGEST_WORD:
        yield word[:LONGEST_WORD].lower()
    elif "_" in word or (_INNER_CAPITAL.search(word) and not _CAPITALS_IN_PLURAL.fullmatch(word)):
        parts = _PART.findall(word)
        if parts:
            yield word.lower() if "_" in word else _stem(word.lower())
        for part in parts:
            yield from _plain_term(part)
    else:
        yield from _plain_term(word)


def _plain_term(word: str) -> Iterator[str]:
    lower = word.lower()
    if len(lower) > 1 and lower not in STOP_WORDS:
        yield _stem(lower)


def _stem(word: str) -> str:
    stems = _STEMMER.analyze(word)
    return stems[0] if stems else word
