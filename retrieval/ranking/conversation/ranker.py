"""The ranker of conversations: a linear sum of what a turn says, what is said around it, who says it, and when.

Numbers and their source: `retrieval.ranking.conversation.settings`. The question's terms and vector come without the
names of speakers (`retrieval.ranking.conversation.speakers`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from heapq import nlargest

from retrieval.goal import Goal
from retrieval.index.sensor import FieldWeights, Sieve
from retrieval.lanes.exact import EXACT
from retrieval.lanes.graph import GRAPH
from retrieval.lanes.lane import BRIDGE_KINDS, Scope
from retrieval.lanes.lexical import LEXICAL
from retrieval.ranking.conversation.asked_dates import asked_dates, asks_when, fit
from retrieval.ranking.conversation.sessions import session_means, spread
from retrieval.ranking.conversation.settings import ConversationRankingSettings
from retrieval.ranking.conversation.speakers import named_speakers, without_speakers
from retrieval.ranking.conversation.turns import TurnFacts, asks, speaks_of_time, turn_facts
from retrieval.ranking.look import Look
from retrieval.ranking.ranker import Ranked, Ranker, Ranking
from retrieval.ranking.shares import over_best
from retrieval.record import TURN_KIND
from retrieval.settings import GoalSettings
from retrieval.store.interface import Snapshot

_WINDOW = FieldWeights(beside=1.0)
_SIEVE = Sieve(not_kinds=BRIDGE_KINDS)


class ConversationRanker(Ranker):
    """Orders turns."""

    name = "conversation-1"

    def __init__(self, settings: ConversationRankingSettings, goals: GoalSettings) -> None:
        self._settings = settings
        self._goals = goals

    def read(self, txn: Snapshot, scope: Scope, goal: Goal) -> Goal:
        """The goal with its speakers known and out of its words."""
        speakers, left = named_speakers(txn, scope, goal.read, self._settings.speaker_look_ups)
        return replace(without_speakers(goal, speakers, self._goals), unused_words=left)

    def begin(self) -> Ranking:
        """An ordering that searches the turns' windows once."""
        return _ConversationRanking(self._settings)


class _ConversationRanking(Ranking):
    def __init__(self, settings: ConversationRankingSettings) -> None:
        self._settings = settings
        self._found: Mapping[int, float] | None = None

    def bring(self, look: Look) -> Mapping[int, float]:
        """The turns that say most with their neighbours' words, and those most alike, which pass the floor by that;
        raises IndexUnavailable, DeadlinePassed."""
        s = self._settings
        alike = {i: cosine for i, cosine in look.cosines.items() if cosine >= s.least_cosine}
        windows = self._windows(look)
        brought: dict[int, float] = {}
        for shares, limit in ((windows, s.brought_windows), (over_best(alike), s.brought_alike)):
            for share, negative in nlargest(limit, ((share, -record_id) for record_id, share in shares.items())):
                brought[-negative] = max(brought.get(-negative, 0.0), look.scale.link(share))
        self.left = len((windows.keys() | alike.keys()) - brought.keys())
        return brought

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """Weighted sums of the features, less what turns of one session take from one another; raises
        IndexUnavailable, DeadlinePassed."""
        facts = {i: turn_facts(look.records[i]) for i in sorted(record_ids)}
        measured = self._measured(look, facts)
        weights = self._weights()
        scores = {i: sum(weights[name] * values.get(i, 0.0) for name, values in measured.items()) for i in facts}
        order = sorted(facts, key=lambda i: (-scores[i], look.records[i].ref))
        sessions = {i: known.session for i, known in facts.items()}
        features = {i: tuple((name, values.get(i, 0.0)) for name, values in measured.items()) for i in facts}
        return Ranked(spread(scores, sessions, order, self._settings.session_repeat_weight), features)

    def _measured(self, look: Look, facts: Mapping[int, TurnFacts]) -> Mapping[str, Mapping[int, float]]:
        """Features by name, then by record id. A cosine that is not known yet counts as the lowest that is."""
        windows = self._own_windows(look, facts)
        lowest = min((look.cosines[i] for i in facts if i in look.cosines), default=0.0)
        cosines = {i: look.cosines.get(i, lowest) for i in facts}
        sessions = {i: known.session for i, known in facts.items()}
        best = self._settings.session_best
        asked, when = asked_dates(look.goal.read, look.goal.speakers), asks_when(look.goal.read)
        return {
            "window": windows,
            "vector": cosines,
            "speaker": self._said_by(look, facts),
            "session_window": session_means(windows, sessions, best),
            "session_vector": session_means(cosines, sessions, best),
            "date": {i: fit(asked, known, self._settings) for i, known in facts.items()},
            "exact_names": look.hits.get(EXACT, {}),
            "graph_mass": look.hits.get(GRAPH, {}),
            "asking": {i: float(asks(look.records[i])) for i in facts},
            "time": {i: float(when and speaks_of_time(look.records[i])) for i in facts},
        }

    def _own_windows(self, look: Look, record_ids: Collection[int]) -> Mapping[int, float]:
        """Windows of turns; of records that are none, their share of the lexical lane's best."""
        windows, plain = self._windows(look), over_best(look.hits.get(LEXICAL, {}))
        turns = {i for i in record_ids if look.records[i].kind == TURN_KIND or look.records[i].beside}
        return {i: (windows if i in turns else plain).get(i, 0.0) for i in record_ids}

    def _windows(self, look: Look) -> Mapping[int, float]:
        """BM25 of turns with their neighbours' words, over the best one's; searched for once."""
        if self._found is None:
            self._found = self._searched(look)
        return self._found

    def _searched(self, look: Look) -> Mapping[int, float]:
        look.deadline.check()
        scope, terms = look.scope, look.goal.terms
        hits = look.lexical.search(
            scope.tenant, scope.namespaces, terms, self._settings.window_hits, fields=_WINDOW, sieve=_SIEVE
        )
        return over_best({hit.record_id: hit.score for hit in hits})

    def _said_by(self, look: Look, facts: Mapping[int, TurnFacts]) -> Mapping[int, float]:
        """1 for turns of the speaker that the question names; of several, it does not say whose words are wanted."""
        named = look.goal.speakers
        if len(named) != 1:
            return dict.fromkeys(facts, 0.0)
        return {i: float(named[0] in known.speaker.split() or named[0] == known.speaker) for i, known in facts.items()}

    def _weights(self) -> Mapping[str, float]:
        s = self._settings
        return {
            "window": s.window_weight,
            "vector": s.vector_weight,
            "speaker": s.speaker_weight,
            "session_window": s.session_window_weight,
            "session_vector": s.session_vector_weight,
            "date": s.date_weight,
            "exact_names": s.exact_names_weight,
            "graph_mass": s.graph_mass_weight,
            "asking": -s.asking_weight,
            "time": s.time_weight,
        }
