"""The English words that say nothing of what a text is about: left out of documents and queries alike."""

from __future__ import annotations

_WORDS = """
    a about after all also am an and any are as at be because been before being both but by can could did do does
    doing don down each few for from further had has have having he her here hers him his how i if in into is it its
    just me more most my no nor not now of off on once only or other our out over own s same she should so some such
    t than that the their them then there these they this those through to too under until up very was we were what
    when where which while who whom why will with would you your
"""

STOP_WORDS: frozenset[str] = frozenset(_WORDS.split())
"""Pronouns, articles, prepositions, auxiliaries. A guess at the 101 of the measured prototype; words with a meaning of
their own in code that are not function words (`return`, `class`, `None`) stay."""
