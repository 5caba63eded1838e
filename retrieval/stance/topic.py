"""What a claim is about, without what it says of it: its words that are neither stop words nor words of a stance.

A text against a claim shares its subject and not its verdict. Searching without the verdict's words lets both in on
equal terms (design, recipes, 3: the topic query). Beside another capitalised word such a word is part of a name
("Hot Right Now") and stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.index.sensor import WeightedTerm
from retrieval.stance.reading import WORD
from retrieval.stance.words import POLARITY, POLARITY_TERMS, negates
from retrieval.text.stop_words import STOP_WORDS
from retrieval.text.tokens import analyse


def topic_text(text: str) -> str:
    """The words that tell the topic, in order, one blank between; the text itself where that leaves none."""
    words = WORD.findall(text)
    kept = [word for at, word in enumerate(words) if _in_name(words, at) or _tells_topic(word.lower())]
    return " ".join(kept) or text


def topic_terms(terms: Sequence[WeightedTerm], topic: str) -> tuple[WeightedTerm, ...]:
    """The terms that carry no stance, or that the topic's text holds; all of them where that leaves none."""
    held = frozenset(analyse(topic))
    kept = tuple(term for term in terms if term.term not in POLARITY_TERMS or term.term in held)
    return kept or tuple(terms)


def _in_name(words: Sequence[str], at: int) -> bool:
    """True for a capitalised word beside another."""
    if not words[at][0].isupper():
        return False
    return any(0 <= beside < len(words) and words[beside][0].isupper() for beside in (at - 1, at + 1))


def _tells_topic(word: str) -> bool:
    return len(word) > 1 and word not in STOP_WORDS and word not in POLARITY and not negates(word)
