"""Whether two texts that are nearly one text say different things: a negation, an opposite, a number or a date apart.

Terms leave negations out as stop words, so that likeness of terms alone takes "it is" and "it is not" for repeats.
"""

from __future__ import annotations

from collections import Counter

from retrieval.stance.reading import WORD, read
from retrieval.stance.words import OPPOSITES, negates


def says_otherwise(one: str, other: str, characters: int) -> bool:
    """True where the first so many characters of two near duplicates differ in what they say, by these marks alone."""
    ours, theirs = one[:characters], other[:characters]
    if ours == theirs:
        return False
    left, right = _words(ours), _words(theirs)
    if _negations(left) != _negations(right):
        return True
    only_right = (right - left).keys()
    if any(not only_right.isdisjoint(OPPOSITES.get(word, ())) for word in (left - right)):
        return True
    first, second = read(ours, characters), read(theirs, characters)
    values = ({quantity.value for quantity in each.quantities} for each in (first, second))
    return first.dates != second.dates or next(values) != next(values)


def _words(text: str) -> Counter[str]:
    return Counter(word.lower() for word in WORD.findall(text))


def _negations(words: Counter[str]) -> int:
    return sum(times for word, times in words.items() if negates(word))
