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


def rankers(settings: RetrievalSettings) -> Mapping[QueryClass, Ranker]:
    """The ranker of every class."""
    return {
        QueryClass.CODE: CodeRanker(settings.code, Histories(), settings.goal.read_characters),
        QueryClass.CONVERSATION: ConversationRanker(settings.conversation, settings.goal),
        QueryClass.PROSE: ProseRanker(settings.prose),
    }
