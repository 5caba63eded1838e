"""What an eviction policy is: it sees pages come and being used, and names the ones to go when there is no room.

A policy is pure. What it may know of a page is in its `Page`; what it has to remember beyond that, such as a queue or
the refs it evicted, is a `Memory`, a value that the working set keeps for it. A policy that needs none returns the
memory it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop
from typing import Protocol, TypeAlias

from workingset.vocabulary import Ref, Relevance, Tokens


@dataclass(frozen=True, slots=True)
class Page:
    """An evictable entry as a policy sees it.

    `tokens` is the size of its segment. `age_references` counts uses of anything since this page's last use or
    admission, `uses` its uses since it entered; `group_tokens` is the width of what it was last used together with.
    `uses_ever` counts those of earlier stays too. `order` rises with the place in the block.
    `wide_share`, 0 to 1, says how much of what the agent uses it uses as whole files; equal for all pages of a set.
    """

    ref: Ref
    tokens: Tokens
    age_references: int
    uses: int
    group_tokens: Tokens
    relevance: Relevance
    last_use_was_edit: bool
    wide_share: float = 0.0
    uses_ever: int = 0
    order: int = 0


@dataclass(frozen=True, slots=True)
class Remembered:
    """One page in a queue of a policy's memory: its size, and a number whose meaning is the policy's own."""

    ref: Ref
    tokens: Tokens
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Memory:
    """What a policy remembers beside the pages it is shown: queues, oldest first, and numbers, each by name."""

    queues: tuple[tuple[str, tuple[Remembered, ...]], ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Victims:
    """The pages to go, first to go first, and what the policy remembers once they went."""

    refs: tuple[Ref, ...]
    memory: Memory


class EvictionPolicy(Protocol):
    """Decides by how little would be lost with a page. `capacity` is the room for all pages of the set, in tokens."""

    @property
    def name(self) -> str: ...

    @property
    def forces_admission(self) -> bool:
        """True where what was just used is to stay while other pages can make the room, as textbook caches do."""
        ...

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory after a page came in by a fault or by selection; called before room is made for it."""
        ...

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory after a page that was there was used."""
        ...

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        """Return pages that together free at least `needed` tokens, or all of them; no more than it takes.

        `pages` are those that may go; `kept` are refs that are there and may not. What the memory holds beside both
        left for another reason. Ties end on the ref; the order of `pages` does not count.
        """
        ...


Rank: TypeAlias = float | tuple[float, ...]
"""What a policy orders pages by: the lowest goes first. One policy uses one shape."""


def lowest_to_free(pages: Sequence[Page], rank: Callable[[Page], Rank], needed: Tokens) -> tuple[Ref, ...]:
    """Return the refs of the pages of lowest rank, then ref, that free at least `needed` tokens, or of all of them.

    A heap, since few of many go: no more of the order is made than is used.
    """
    heap = [(rank(page), page.ref, page.tokens) for page in pages]
    heapify(heap)
    chosen: list[Ref] = []
    freed = 0
    while heap and freed < needed:
        _, ref, tokens = heappop(heap)
        chosen.append(ref)
        freed += tokens
    return tuple(chosen)


def oldest_first(pages: Iterable[Page]) -> list[Page]:
    """Return pages by falling age, then by ref."""
    return sorted(pages, key=lambda page: (-page.age_references, page.ref))
