"""A policy's memory opened for the length of one call: queues that can be worked on, and back into a value.

Sizes are in tokens; a page of none counts as one, so that what is bounded in tokens is bounded in pages too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from workingset.eviction.policy import Memory, Page, Remembered, oldest_first
from workingset.vocabulary import Ref, Tokens

Queue: TypeAlias = dict[Ref, Remembered]
"""Pages by ref, oldest first."""

STALE_SHARE = 2
"""Pages remembered as present may fill the capacity so many times; beyond it some must have left unnoticed."""


class Queues:
    """A memory's queues by name, each made a dict when it is asked for, and its numbers."""

    def __init__(self, memory: Memory) -> None:
        self._closed = dict(memory.queues)
        self._open: dict[str, Queue] = {}
        self.numbers: dict[str, float] = dict(memory.numbers)

    def __getitem__(self, name: str) -> Queue:
        if name not in self._open:
            self._open[name] = {one.ref: one for one in self._closed.get(name, ())}
        return self._open[name]

    def closed(self, name: str) -> tuple[Remembered, ...]:
        """Return a queue as it was remembered or set; it is not one that is worked on."""
        return self._closed.get(name, ())

    def set_closed(self, name: str, queue: tuple[Remembered, ...]) -> None:
        """Replace a queue that is not worked on."""
        self._closed[name] = queue

    def memory(self) -> Memory:
        """Return the value: queues and numbers by name, empty queues and zeros left out."""
        queues = self._closed | {name: tuple(queue.values()) for name, queue in self._open.items()}
        return Memory(
            tuple((name, queues[name]) for name in sorted(queues) if queues[name]),
            tuple((name, float(self.numbers[name])) for name in sorted(self.numbers) if self.numbers[name]),
        )

    def match(
        self, present: Sequence[str], pages: Sequence[Page], kept: Collection[Ref], gone: Sequence[str] = ()
    ) -> None:
        """Make the queues of what is present hold just what is there, with its sizes.

        What left for another reason is forgotten. Pages that the policy was not told of, or believes gone, become the
        newest of the first queue, by age; they can be such when the policy was changed, or when not all went that it
        named.
        """
        given = {page.ref: page for page in pages}
        unknown = dict(given)
        for name in present:
            queue = self[name]
            for ref, one in list(queue.items()):
                page = given.get(ref)
                if page is None and ref not in kept:
                    del queue[ref]
                elif page is not None:
                    unknown.pop(ref, None)
                    if one.tokens != size_of(page):
                        queue[ref] = remembered(page, one.value)
        for page in oldest_first(unknown.values()):
            for name in gone:
                self[name].pop(page.ref, None)
            self[present[0]][page.ref] = remembered(page)

    def bound_present(self, names: Sequence[str], capacity: Tokens) -> None:
        """Forget the oldest of these queues, the first named first, while they hold more than can be present."""
        excess: float = sum(total(self[name]) for name in names) - STALE_SHARE * capacity
        for name in names:
            excess = drop_oldest(self[name], excess)


def size_of(page: Page) -> Tokens:
    """Return what a page counts in a queue."""
    return Tokens(max(1, page.tokens))


def remembered(page: Page, value: float = 0.0) -> Remembered:
    """Return what a queue holds of a page."""
    return Remembered(page.ref, size_of(page), float(value))


def total(queue: Mapping[Ref, Remembered]) -> int:
    """Return the tokens of a queue."""
    return sum(one.tokens for one in queue.values())


def drop_oldest(queue: Queue, excess: float) -> float:
    """Take the oldest out of a queue until it is smaller by the excess, or empty; return the excess that is left."""
    while excess > 0 and queue:
        excess -= queue.pop(next(iter(queue))).tokens
    return excess
