"""Adaptive replacement: two least-recently-used queues, pages seen once and pages seen often, whose shares adapt.

Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache" (FAST 2003), figure 4: a fault on a page that
left the once-seen queue too early makes its share grow, one on a page of the often-seen queue makes it shrink. Sized:
T1, T2, B1, B2 and the target p are in tokens, and p moves by the tokens of the page where the paper moves it by pages.
Deviations: the directory is cut back after a page came in instead of before, which for pages of one size is the same;
pages that may not go take no part in the comparison with p, so that the page just paged in does not, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence

from workingset.eviction.policy import Memory, Page, Victims
from workingset.eviction.queues import Queues, drop_oldest, remembered, size_of, total
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Tokens

ONCE, OFTEN, ONCE_GONE, OFTEN_GONE = "once", "often", "once_gone", "often_gone"
"""T1, T2, B1 and B2 of the paper."""
TARGET, BACK_TO_OFTEN = "target", "back_to_often"
"""p of the paper, and 1 where the page that came in last was in B2."""


class AdaptiveReplacement:
    """A baseline without parameters. It remembers what is present, and of what went as much as fits once more."""

    name = "arc"
    forces_admission = True

    def __init__(self, settings: EvictionSettings) -> None:
        del settings

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory after cases II to IV of the paper, room apart."""
        queues = Queues(memory)
        if page.ref in queues[ONCE] or page.ref in queues[OFTEN]:
            return self.touch(memory, page, capacity)
        back = page.ref in queues[ONCE_GONE] or page.ref in queues[OFTEN_GONE]
        queues.numbers[BACK_TO_OFTEN] = page.ref in queues[OFTEN_GONE]
        if back:
            _adapt(queues, page, capacity)
        queues[OFTEN if back else ONCE][page.ref] = remembered(page)
        queues.bound_present((ONCE, OFTEN), capacity)
        _cut_back(queues, capacity)
        return queues.memory()

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with the page the newest of those seen often (case I)."""
        queues = Queues(memory)
        if page.ref not in queues[ONCE] and page.ref not in queues[OFTEN]:
            return self.admit(memory, page, capacity)
        queues[ONCE].pop(page.ref, None)
        queues[OFTEN].pop(page.ref, None)
        queues[OFTEN][page.ref] = remembered(page)
        return queues.memory()

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        """Return pages as REPLACE of the paper names them, one after the other."""
        queues = Queues(memory)
        queues.match((ONCE, OFTEN), pages, kept, (ONCE_GONE, OFTEN_GONE))
        sizes = {page.ref: page.tokens for page in pages}
        once = [ref for ref in reversed(queues[ONCE]) if ref in sizes]
        often = [ref for ref in reversed(queues[OFTEN]) if ref in sizes]
        once_size: int = sum(queues[ONCE][ref].tokens for ref in once)
        target = min(queues.numbers.get(TARGET, 0.0), float(capacity))
        chosen: list[Ref] = []
        while needed > 0 and (once or often):
            over = once_size > target or (once_size == target and bool(queues.numbers.get(BACK_TO_OFTEN)))
            from_once = bool(once) and (over or not often)
            ref = (once if from_once else often).pop()
            one = queues[ONCE if from_once else OFTEN].pop(ref)
            queues[ONCE_GONE if from_once else OFTEN_GONE][ref] = one
            once_size -= one.tokens if from_once else 0
            needed = Tokens(needed - sizes[ref])
            chosen.append(ref)
        queues.numbers[BACK_TO_OFTEN] = 0.0
        _cut_back(queues, capacity)
        return Victims(tuple(chosen), queues.memory())


def _adapt(queues: Queues, page: Page, capacity: Tokens) -> None:
    """Move the target by how much larger the other list of gone pages is, and forget that the page had gone."""
    once_gone, often_gone = queues[ONCE_GONE], queues[OFTEN_GONE]
    target, once_size, often_size = queues.numbers.get(TARGET, 0.0), total(once_gone), total(often_gone)
    if once_gone.pop(page.ref, None):
        target += max(1.0, often_size / once_size) * size_of(page)
    elif often_gone.pop(page.ref, None):
        target -= max(1.0, once_size / often_size) * size_of(page)
    queues.numbers[TARGET] = min(max(0.0, target), float(capacity))


def _cut_back(queues: Queues, capacity: Tokens) -> None:
    """Hold T1 and B1 to the capacity, and all four to twice the capacity, as far as gone pages can."""
    once, often = total(queues[ONCE]), total(queues[OFTEN])
    drop_oldest(queues[ONCE_GONE], once + total(queues[ONCE_GONE]) - capacity)
    excess = once + often + total(queues[ONCE_GONE]) + total(queues[OFTEN_GONE]) - 2 * capacity
    drop_oldest(queues[ONCE_GONE], drop_oldest(queues[OFTEN_GONE], excess))
