"""Order by fused ranks: what is used where nothing is fitted, and where a fitted ranker cannot work."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from retrieval.fusion import fuse
from retrieval.ranking.look import Look
from retrieval.ranking.ranker import Ranked, Ranker, Ranking
from retrieval.settings import FusionSettings


class ByRanks(Ranker):
    """Reciprocal rank fusion of the lanes' votes."""

    def __init__(self, settings: FusionSettings) -> None:
        self._settings = settings
        self.name = settings.name

    def begin(self) -> Ranking:
        """An ordering that keeps nothing."""
        return _Fused(self._settings)


class _Fused(Ranking):
    def __init__(self, settings: FusionSettings) -> None:
        self._settings = settings

    def bring(self, look: Look) -> Mapping[int, float]:
        """Nothing: ranks lead nowhere."""
        del look
        return {}

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """Fused ranks over all admitted records, whichever are asked for."""
        del record_ids
        return Ranked(fuse(look.hits, self._settings))
