"""Speakers that a question names: known from who has spoken in the scope, not guessed from words alone.

A speaker's name says who to listen to, not what about: it leaves the words that are searched for and embedded, for a
small encoder gives a name more weight than all else (LoCoMo, recall at 10 of the vector lane: 28 with, 60 without).
"""

from __future__ import annotations

import re
from dataclasses import replace

from retrieval.goal import Goal, parse_goal
from retrieval.lanes.lane import Scope
from retrieval.record import NameKind
from retrieval.settings import GoalSettings
from retrieval.store.interface import Snapshot

_WORD = re.compile(r"[^\W\d_][\w-]*")


def named_speakers(txn: Snapshot, scope: Scope, text: str, look_ups: int) -> tuple[tuple[str, ...], int]:
    """Words of the text that begin with a capital and are a speaker's name or the first part of one, in order; and how
    many words the bound of look-ups in all namespaces left out.

    Where the text has no capital at all, any word may be one.
    """
    plain = text == text.lower()
    words = dict.fromkeys(word for word in _WORD.findall(text) if plain or word[0].isupper())
    taken = list(words)[: max(1, look_ups // max(1, len(scope.namespaces)))]
    speakers = tuple(word for word in taken if any(_speaks(txn, namespace, word) for namespace in scope.namespaces))
    return speakers, len(words) - len(taken)


def without_speakers(goal: Goal, speakers: tuple[str, ...], settings: GoalSettings) -> Goal:
    """The goal with its speakers, terms and text to embed as if it did not name them; those as they are where nothing
    would be left."""
    named = "|".join(re.escape(name) for name in speakers)
    if not named:
        return goal
    goal = replace(goal, speakers=speakers)
    rest = parse_goal(re.sub(rf"\b(?:{named})\b(?:['’]s?\b)?", " ", goal.read), settings)
    if not rest.terms:
        return goal
    return replace(goal, terms=rest.terms, embedded=" ".join(rest.embedded.split()))


def _speaks(txn: Snapshot, namespace: str, word: str) -> bool:
    found = txn.find_prefix(namespace, NameKind.SPEAKER, word, 1)  # type: ignore[arg-type]
    return any(name == word or not name[len(word)].isalnum() for name, _ in found)
