"""Least recently used: the page whose last use lies longest back goes first (Denning, CACM 1968)."""

from __future__ import annotations

from collections.abc import Sequence

from workingset.eviction.policy import Memory, Page, Victims, lowest_to_free
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Tokens


class LeastRecentlyUsed:
    """The baseline that every other policy is compared with. It remembers nothing."""

    name = "lru"
    forces_admission = True

    def __init__(self, settings: EvictionSettings) -> None:
        del settings

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory as it is."""
        del page, capacity
        return memory

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory as it is."""
        del page, capacity
        return memory

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        """Return the oldest pages, then by ref."""
        del capacity, kept
        return Victims(lowest_to_free(pages, lambda page: -page.age_references, needed), memory)
