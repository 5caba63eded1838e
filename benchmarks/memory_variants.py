"""Other orders of the same candidates: each lane alone, pairs of lanes by ranks, the profile without one feature."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from itertools import combinations
from typing import Any

from retrieval.fusion import fuse
from retrieval.goal import Goal
from retrieval.lanes.lane import Scope
from retrieval.ranking.conversation.ranker import ConversationRanker
from retrieval.ranking.conversation.settings import ConversationRankingSettings
from retrieval.ranking.look import Look
from retrieval.ranking.prose.ranker import ProseRanker
from retrieval.ranking.prose.settings import ProseRankingSettings
from retrieval.ranking.query_class import QueryClass
from retrieval.ranking.ranker import Ranked, Ranker, Ranking
from retrieval.settings import FusionSettings, RetrievalSettings
from retrieval.store.interface import Snapshot

LANES = ("exact", "lexical", "vector", "graph", "links")
"""Lanes in the order in which they are listed; `links` is what the ranker itself brings."""
ALL = "all"
"""The profile as it ships."""
_WEIGHT = "_weight"
_WITHOUT = "without "


class OnlyLanes(Ranker, Ranking):
    """Fused ranks of some lanes alone; what none of them found has no score."""

    def __init__(self, lanes: Collection[str], settings: FusionSettings) -> None:
        self.name = "+".join(lanes)
        self._lanes = frozenset(lanes)
        self._settings = settings

    def begin(self) -> Ranking:
        """Itself: it keeps nothing."""
        return self

    def bring(self, look: Look) -> Mapping[int, float]:
        """Nothing."""
        del look
        return {}

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """Scores of those records alone that the lanes found, wherever they stand to the relevance floor."""
        del record_ids
        votes = {lane: scores for lane, scores in look.hits.items() if lane in self._lanes}
        return Ranked(fuse(votes, self._settings))


class Recording(Ranker):
    """A ranker that works as the one within, and keeps by name what others would have said of the same candidates."""

    def __init__(self, within: Ranker, others: Mapping[str, Ranker]) -> None:
        self._within = within
        self._others = others
        self.name = within.name
        self.orders: dict[str, list[str]] = {}
        """Refs by variant, best first, of the latest question."""

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the others."""
        return tuple(self._others)

    def read(self, txn: Snapshot, scope: Scope, goal: Goal) -> Goal:
        """As the ranker within reads it."""
        return self._within.read(txn, scope, goal)

    def begin(self) -> Ranking:
        """An ordering as the ranker within gives it."""
        return _Recorded(self._within.begin(), self._others, self.orders)


class _Recorded(Ranking):
    def __init__(self, within: Ranking, others: Mapping[str, Ranker], orders: dict[str, list[str]]) -> None:
        self._within = within
        self._others = others
        self._orders = orders

    def bring(self, look: Look) -> Mapping[int, float]:
        """What the ranker within brings."""
        return self._within.bring(look)

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """What the ranker within says."""
        refs = {record_id: record.ref for record_id, record in look.records.items()}
        for name, other in self._others.items():
            scores = other.begin().rank(look, record_ids).scores
            self._orders[name] = [refs[i] for i in sorted(scores, key=lambda i: (-scores[i], refs[i]))]
        return self._within.rank(look, record_ids)


def recordings(settings: RetrievalSettings, lanes: Collection[str], *, ablate: bool) -> Mapping[QueryClass, Recording]:
    """Recorders for both classes of text, over the lanes given, their pairs and, if wished, the ablations."""
    fused = {only.name: only for only in (OnlyLanes(names, settings.fusion) for names in _subsets(lanes))}
    prose = {f"{_WITHOUT}{name}": ProseRanker(each) for name, each in _prose_without(settings.prose) if ablate}
    turns = {
        f"{_WITHOUT}{name}": ConversationRanker(each, settings.goal)
        for name, each in _turns_without(settings.conversation)
        if ablate
    }
    return {
        QueryClass.PROSE: Recording(ProseRanker(settings.prose), {**fused, **prose}),
        QueryClass.CONVERSATION: Recording(
            ConversationRanker(settings.conversation, settings.goal), {**fused, **turns}
        ),
    }


def _prose_without(settings: ProseRankingSettings) -> list[tuple[str, ProseRankingSettings]]:
    """The settings with one weight at 0, by the name of its feature."""
    return [(name, replace(settings, **zero)) for name, zero in _zeros(settings)]


def _turns_without(settings: ConversationRankingSettings) -> list[tuple[str, ConversationRankingSettings]]:
    """As above."""
    return [(name, replace(settings, **zero)) for name, zero in _zeros(settings)]


def _zeros(settings: ProseRankingSettings | ConversationRankingSettings) -> list[tuple[str, dict[str, Any]]]:
    names = [each.name for each in fields(settings) if each.name.endswith(_WEIGHT)]
    return [(name.removesuffix(_WEIGHT), {name: 0.0}) for name in names]


def _subsets(lanes: Collection[str]) -> list[tuple[str, ...]]:
    ordered = [lane for lane in LANES if lane in lanes]
    return [(lane,) for lane in ordered] + list(combinations(ordered, 2))
