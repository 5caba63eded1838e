"""Which ranker orders which class of query: the one registry of rankers."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.ranking.by_ranks import ByRanks
from retrieval.ranking.query_class import QueryClass
from retrieval.ranking.ranker import Ranker
from retrieval.settings import RetrievalSettings


def rankers(settings: RetrievalSettings) -> Mapping[QueryClass, Ranker]:
    """The ranker of every class."""
    by_ranks = ByRanks(settings.fusion)
    return {
        QueryClass.CODE: by_ranks,
        QueryClass.CONVERSATION: by_ranks,
        QueryClass.PROSE: by_ranks,
    }
