"""Least recently used: the page whose last use lies longest back goes first (Denning, CACM 1968)."""

from __future__ import annotations

from collections.abc import Sequence

from workingset.eviction.policy import Page
from workingset.settings import EvictionSettings


class LeastRecentlyUsed:
    """The baseline that every other policy is compared with."""

    name = "lru"

    def order(self, pages: Sequence[Page], settings: EvictionSettings) -> list[Page]:
        """Return pages by falling age, then ref."""
        del settings
        return sorted(pages, key=lambda page: (-page.age_references, page.ref))
