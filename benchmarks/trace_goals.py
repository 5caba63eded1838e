"""What a host would say the goal of a turn is, and how relevant pages are to it.

The goal is the latest user text so far (the session's first one before any) and the text of the last action, which is
the agent's words and query of the turn *before*: nothing of the turn itself is known to a host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.data import Trace
from retrieval.goal import parse_goal
from retrieval.record import Record
from retrieval.record_terms import RecordTerms
from retrieval.relevance import Features, RelevanceScale, TermWeights
from retrieval.settings import RetrievalSettings
from workingset.candidate import GoalView
from workingset.vocabulary import Ref, Relevance


def goals_of(trace: Trace) -> tuple[str, ...]:
    """Return the goal of each turn."""
    goals: list[str] = []
    user, last = trace.goal, ""
    for turn in trace.turns:
        user = turn.user or user
        goals.append("\n".join(part for part in (user, last) if part))
        last = "\n".join(part for part in (turn.text, turn.query) if part)
    return tuple(goals)


class GoalRelevance:
    """Relevance on the product's own scale, from words alone; rarity is counted over the given records."""

    def __init__(self, records: Sequence[Record], settings: RetrievalSettings) -> None:
        self._settings = settings
        self._scale = RelevanceScale(settings.relevance)
        terms = RecordTerms(len(records))
        self._terms = {record.ref: terms.of(record) for record in records}
        self._frequencies = Counter(term for held in self._terms.values() for term in held.terms)

    def of(self, goal: str, refs: Iterable[Ref]) -> tuple[GoalView, dict[Ref, Relevance]]:
        """Return the goal as the core sees it, and the relevance of each ref that has any."""
        parsed = parse_goal(goal, self._settings.goal)
        frequencies = {term.term: self._frequencies[term.term] for term in parsed.terms}
        weights = TermWeights.of(parsed.terms, frequencies, len(self._terms), self._settings.relevance)
        known = frozenset(term for term, _ in weights.masses)
        found: dict[Ref, Relevance] = {}
        for ref in refs:
            held = self._terms[ref]
            coverage = weights.coverage(held.terms & known)
            if coverage > 0.0:
                features = Features(coverage, weights.coverage(held.head & known))
                found[ref] = self._scale.of(features, grounded=True)
        return GoalView(goal, known), found
