"""Least frequently used: the page with the fewest uses since it entered goes first, of these the least recently used.

In-cache LFU as in Robinson and Devarakonda (SIGMETRICS 1990), section 1: a page that left starts again, and nothing
ages. No deviation.
"""

from __future__ import annotations

from collections.abc import Sequence

from workingset.eviction.policy import Memory, Page, Victims, lowest_to_free
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Tokens


class LeastFrequentlyUsed:
    """A baseline. It remembers nothing: uses and age are in the pages."""

    name = "lfu"
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
        """Return the pages with the fewest uses, then the oldest, then by ref."""
        del capacity, kept
        return Victims(lowest_to_free(pages, lambda page: (page.uses, -page.age_references), needed), memory)
