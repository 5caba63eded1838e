"""Which ranker orders which class of query: the one registry of rankers."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.history.reading import Histories
from retrieval.ranking.code.ranker import CodeRanker
from retrieval.ranking.conversation.ranker import ConversationRanker
from retrieval.ranking.prose.ranker import ProseRanker
from retrieval.ranking.query_class import QueryClass
from retrieval.ranking.ranker import Ranker
from retrieval.settings import RetrievalSettings


def rankers(settings: RetrievalSettings, histories: Histories) -> Mapping[QueryClass, Ranker]:
    """The ranker of every class. `histories` are shared with all that asks of a tree's past."""
    return {
        QueryClass.CODE: CodeRanker(settings.code, histories),
        QueryClass.CONVERSATION: ConversationRanker(settings.conversation, settings.goal),
        QueryClass.PROSE: ProseRanker(settings.prose),
    }
