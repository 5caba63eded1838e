"""S3-FIFO: a small queue that most pages leave unused, a main queue for the rest, and a list of those that went.

Yang et al., "FIFO queues are all you need for cache eviction" (SOSP 2023), algorithm 1: a page enters the small queue,
or the main one where the small one dropped it lately; at the end of the small queue it moves on to the main one if it
was used often enough, with its uses cleared; at the end of the main queue it goes round again for each use, of which
three are counted. Deviations: sizes are in tokens; a main queue above its share is taken from at the next eviction, as
in the authors' simulator, instead of at once, since no more may go than there is need for; pages that may not go take
no part in the comparison with the share, so that the page just paged in does not, as in the paper.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from dataclasses import replace

from workingset.eviction.policy import Memory, Page, Remembered, Victims
from workingset.eviction.queues import Queue, Queues, drop_oldest, remembered, total
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Tokens

SMALL, MAIN, GONE = "small", "main", "gone"


class S3Fifo:
    """A baseline. The value it remembers of a page is its uses since it entered its queue, up to a limit."""

    name = "s3fifo"
    forces_admission = True

    def __init__(self, settings: EvictionSettings) -> None:
        self._settings = settings

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with the page in the main queue where it went lately, else in the small one."""
        queues = Queues(memory)
        if page.ref in queues[SMALL] or page.ref in queues[MAIN]:
            return self.touch(memory, page, capacity)
        went_lately = queues[GONE].pop(page.ref, None) is not None
        queues[MAIN if went_lately else SMALL][page.ref] = remembered(page)
        queues.bound_present((SMALL, MAIN), capacity)
        self._cut_back(queues, capacity)
        return queues.memory()

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with one use more; no page changes its place."""
        queues = Queues(memory)
        for queue in (queues[SMALL], queues[MAIN]):
            if page.ref in queue:
                queue[page.ref] = remembered(page, min(queue[page.ref].value + 1, self._settings.s3fifo_uses_limit))
                return queues.memory()
        return self.admit(memory, page, capacity)

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        """Return pages off the small queue while the main one keeps to its share, else off the main one."""
        queues = Queues(memory)
        queues.match((SMALL, MAIN), pages, kept, (GONE,))
        sizes = {page.ref: page.tokens for page in pages}
        small = deque(ref for ref in queues[SMALL] if ref in sizes)
        main = deque(ref for ref in queues[MAIN] if ref in sizes)
        newest = _newest_kept(queues[MAIN], sizes)
        main_share = capacity - int(capacity * self._settings.s3fifo_small_share)
        chosen: list[Ref] = []
        while needed > 0 and (small or main):
            main_size = sum(queues[MAIN][ref].tokens for ref in main)
            from_small = small and (main_size <= main_share or not main)
            ref = self._off_small(queues, small, main) if from_small else _off_main(queues, main)
            if ref is not None:
                chosen.append(ref)
                needed = Tokens(needed - sizes[ref])
        queues[MAIN].update(newest)
        self._cut_back(queues, capacity)
        return Victims(tuple(chosen), queues.memory())

    def _off_small(self, queues: Queues, small: deque[Ref], main: deque[Ref]) -> Ref | None:
        """Move used pages on to the main queue up to the first that goes; None where all of them moved on."""
        while small:
            ref = small.popleft()
            one = queues[SMALL].pop(ref)
            if one.value < self._settings.s3fifo_promotion_uses:
                queues[GONE][ref] = one
                return ref
            queues[MAIN][ref] = replace(one, value=0.0)
            main.append(ref)
        return None

    def _cut_back(self, queues: Queues, capacity: Tokens) -> None:
        drop_oldest(queues[GONE], total(queues[GONE]) - int(capacity * self._settings.s3fifo_gone_share))


def _newest_kept(main: Queue, may_go: Container[Ref]) -> Queue:
    """Take off the newest pages that may not go: what is put into the queue while room is made comes before them."""
    newest: list[Remembered] = []
    while main and next(reversed(main)) not in may_go:
        newest.append(main.popitem()[1])
    return {one.ref: one for one in reversed(newest)}


def _off_main(queues: Queues, main: deque[Ref]) -> Ref:
    """Send used pages round again up to the first that goes."""
    while True:
        ref = main.popleft()
        one = queues[MAIN].pop(ref)
        if one.value < 1:
            return ref
        queues[MAIN][ref] = replace(one, value=one.value - 1)
        main.append(ref)
