"""Greedy dual size frequency: the page of least uses per token goes first, on top of an inflation that ages the rest.

Cherkasova, "Improving WWW proxies performance with greedy-dual-size-frequency caching policy" (HPL-98-69R1, 1998):
priority = clock at the last use + uses / tokens, and the clock moves on to the priority of each page that goes. Every
page costs 1, which optimises hits and not tokens. As there, a page that just came in competes with the others and may
go at once. Deviations: then what is named before it goes as well and the clock moves for it too, as in libcachesim (the
paper would spare the others and let the clock stand). Ties go by age.
"""

from __future__ import annotations

from collections.abc import Sequence

from workingset.eviction.policy import Memory, Page, Victims, lowest_to_free
from workingset.eviction.queues import Queues, remembered, size_of
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Tokens

PRICED, CLOCK = "priced", "clock"


class GreedyDualSizeFrequency:
    """A baseline that knows sizes. The value it remembers of a page is the clock at its last use."""

    name = "gdsf"
    forces_admission = False

    def __init__(self, settings: EvictionSettings) -> None:
        del settings

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with the page at the present clock."""
        queues = _priced(memory, page)
        queues.bound_present((PRICED,), capacity)
        return queues.memory()

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with the page at the present clock."""
        del capacity
        return _priced(memory, page).memory()

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        """Return the pages of least priority, then the oldest, then by ref."""
        del capacity
        queues = Queues(memory)
        queues.match((PRICED,), pages, kept)
        priced = queues[PRICED]
        priorities = {page.ref: priced[page.ref].value + max(1, page.uses) / size_of(page) for page in pages}
        refs = lowest_to_free(pages, lambda page: (priorities[page.ref], float(-page.age_references)), needed)
        for ref in refs:
            queues.numbers[CLOCK] = max(queues.numbers.get(CLOCK, 0.0), priorities[ref])
            del priced[ref]
        return Victims(refs, queues.memory())


def _priced(memory: Memory, page: Page) -> Queues:
    queues = Queues(memory)
    queues[PRICED].pop(page.ref, None)
    queues[PRICED][page.ref] = remembered(page, queues.numbers.get(CLOCK, 0.0))
    return queues
