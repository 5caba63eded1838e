"""W-TinyLFU: a window of the newest pages, and a main part that a page enters only if it is used more than what it
would replace.

Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy" (ACM Transactions on Storage 13:4,
2017), section 4: the window is least recently used; the main part is segmented, pages used again there are protected.
When there is no room, the window's oldest page and the main part's next one to go are compared by their counts, and the
one used less goes, the window's on a tie. Deviations: exact counts instead of a sketch (`counts.py`); sizes are in
tokens, and a page from the window is compared with one page of the main part after the other; the page just paged in
does not compete until another one comes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from workingset.eviction.counts import count_of, counted, halved
from workingset.eviction.policy import Memory, Page, Victims
from workingset.eviction.queues import Queue, Queues, drop_oldest, remembered, total
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Tokens

WINDOW, PROBATION, PROTECTED = "window", "probation", "protected"
PRESENT = (WINDOW, PROBATION, PROTECTED)
COUNTS, SAMPLED = "counts", "sampled"


class WTinyLfu:
    """A baseline; the share of its window is a setting."""

    name = "wtinylfu"
    forces_admission = True

    def __init__(self, settings: EvictionSettings) -> None:
        self._settings = settings

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with the page the newest of the window, and one use more."""
        queues = Queues(memory)
        if any(page.ref in queues[name] for name in PRESENT):
            return self.touch(memory, page, capacity)
        queues[WINDOW][page.ref] = remembered(page)
        queues.bound_present(PRESENT, capacity)
        return self._counted(queues, page.ref)

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        """Return the memory with one use more and the page the newest of its part; on probation, it is protected."""
        queues = Queues(memory)
        if queues[WINDOW].pop(page.ref, None):
            queues[WINDOW][page.ref] = remembered(page)
        elif queues[PROBATION].pop(page.ref, None) or queues[PROTECTED].pop(page.ref, None):
            queues[PROTECTED][page.ref] = remembered(page)
            self._hold_protected(queues, capacity)
        else:
            return self.admit(memory, page, capacity)
        return self._counted(queues, page.ref)

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        """Return the loser of each comparison between the window and the main part."""
        queues = Queues(memory)
        queues.match(PRESENT, pages, kept)
        sizes = {page.ref: page.tokens for page in pages}
        contest = _Contest(queues, sizes, self._window(capacity), capacity)
        chosen: list[Ref] = []
        contest.overflow()
        while needed > 0 and (ref := contest.loser()) is not None:
            contest.drop(ref)
            contest.overflow()
            chosen.append(ref)
            needed = Tokens(needed - sizes[ref])
        return Victims(tuple(chosen), queues.memory())

    def _hold_protected(self, queues: Queues, capacity: Tokens) -> None:
        """Put the oldest of the protected pages back on probation while they are above their share."""
        share = (capacity - self._window(capacity)) * self._settings.wtinylfu_protected_share
        protected, probation = queues[PROTECTED], queues[PROBATION]
        before = dict(protected)
        drop_oldest(protected, total(protected) - share)
        probation.update((ref, one) for ref, one in before.items() if ref not in protected)

    def _window(self, capacity: Tokens) -> float:
        return capacity * self._settings.wtinylfu_window_share

    def _counted(self, queues: Queues, ref: Ref) -> Memory:
        counts = counted(queues.closed(COUNTS), ref)
        queues.numbers[SAMPLED] = queues.numbers.get(SAMPLED, 0.0) + 1
        if queues.numbers[SAMPLED] >= self._settings.wtinylfu_sample_uses:
            counts = halved(counts)
            queues.numbers[SAMPLED] //= 2
        queues.set_closed(COUNTS, counts)
        return queues.memory()


class _Contest:
    """The window against the main part while room is made; only pages that may go are moved."""

    def __init__(self, queues: Queues, may_go: Container[Ref], window_share: float, capacity: Tokens) -> None:
        self._window, self._probation, self._protected = (queues[name] for name in PRESENT)
        self._counts = queues.closed(COUNTS)
        self._may_go = may_go
        self._window_excess = total(self._window) - window_share
        self._main_room = capacity - window_share - total(self._probation) - total(self._protected)

    def overflow(self) -> None:
        """Move the oldest of the window on while it is above its share and the main part has room for it."""
        while self._window_excess > 0 and (ref := _oldest(self._window, self._may_go)) is not None:
            one = self._window[ref]
            if one.tokens > self._main_room:
                return
            self._probation[ref] = self._window.pop(ref)
            self._window_excess -= one.tokens
            self._main_room -= one.tokens

    def loser(self) -> Ref | None:
        """Return the next page to go, None where none may."""
        newcomer = _oldest(self._window, self._may_go)
        resident = _oldest(self._probation, self._may_go) or _oldest(self._protected, self._may_go)
        if newcomer is None or resident is None:
            return newcomer or resident
        if self._window_excess <= 0:
            return resident
        return resident if count_of(self._counts, newcomer) > count_of(self._counts, resident) else newcomer

    def drop(self, ref: Ref) -> None:
        """Take a page out."""
        if one := self._window.pop(ref, None):
            self._window_excess -= one.tokens
        elif one := self._probation.pop(ref, None) or self._protected.pop(ref, None):
            self._main_room += one.tokens


def _oldest(queue: Queue, of: Container[Ref]) -> Ref | None:
    refs: Iterable[Ref] = queue
    return next((ref for ref in refs if ref in of), None)
