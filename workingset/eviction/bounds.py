"""Bounds that no daemon can run: the policy that knows the future, and the one that has all the room there is.

They follow the protocol of policies so that they can be replayed beside them, and are not in the registry.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import inf

from workingset.eviction.policy import Memory, Page, Victims, lowest_to_free
from workingset.vocabulary import Ref, Tokens

USES = "uses"


class Belady:
    """MIN: the page whose next use lies farthest ahead goes first, the larger one of equals, then by ref.

    Belady, "A study of replacement algorithms for a virtual-storage computer" (IBM Systems Journal 5:2, 1966), with
    sizes. It is given the pages of each reference to come, and remembers how many uses it was told of by `admit` and
    `touch`: one for each page of each reference, in any order within one. Optimal for pages of one size, each reference
    of one page; with sizes or groups it is a good bound and not a proven one.
    """

    name = "belady"
    forces_admission = True

    def __init__(self, future: Sequence[Iterable[Ref]]) -> None:
        groups = [frozenset(group) for group in future]
        self._uses_up_to = list(accumulate(len(group) for group in groups))
        self._used_at: dict[Ref, list[int]] = {}
        for place, group in enumerate(groups):
            for ref in group:
                self._used_at.setdefault(ref, []).append(place)

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with one use more."""
        del page, capacity
        return Memory(numbers=((USES, _uses(memory) + 1.0),))

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with one use more."""
        return self.admit(memory, page, capacity)

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        """Return the pages used farthest ahead or never again."""
        del capacity, kept
        references = bisect_right(self._uses_up_to, _uses(memory))

        def rank(page: Page) -> tuple[float, float]:
            return -self._next_use(page.ref, references), -page.tokens

        return Victims(lowest_to_free(pages, rank, needed), memory)

    def _next_use(self, ref: Ref, references: int) -> float:
        places = self._used_at.get(ref, [])
        following = bisect_right(places, references - 1)
        return places[following] if following < len(places) else inf


class Unbounded:
    """Nothing ever goes: what is left are the cold faults."""

    name = "unbounded"
    forces_admission = True

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
        """Return no page, whatever is needed."""
        del pages, needed, capacity, kept
        return Victims((), memory)


def _uses(memory: Memory) -> float:
    return dict(memory.numbers).get(USES, 0.0)
