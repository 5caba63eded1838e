"""Hit density: the page with the fewest expected uses per token-turn kept goes first.

After LHD (Beckmann, Chen and Cidon, NSDI 2018), whose age and size classes are replaced by a log-linear score fitted on
real agent traces (design, policy, section 1): what tells is the page's age in references and the width of the *group*
it was used with, not its own size. Agents that use whole files get near to least recently used.

Deviations from the fitted score. The terms for names in the goal and for test files are left out (no gain when held
out); the goal term uses our relevance scale in place of BM25 over the best page's; uses of earlier stays count, by the
ghosts. And of pages with nearly the lowest score the one that stands latest in the block goes, since what stands before
it keeps its bytes: fewer faults at 16k tokens and more of the prefix in place, at no cost (ours, measured).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from math import log1p

from workingset.eviction.policy import Memory, Page, Victims
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Tokens


class HitDensity:
    """The default policy. It remembers nothing: all it needs is in the pages."""

    name = "hit_density"
    forces_admission = False

    def __init__(self, settings: EvictionSettings) -> None:
        self._settings = settings

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
        """Return the pages with the lowest scores; of those nearly as low the one latest in the block, then by ref."""
        del capacity, kept
        scored = sorted((self.score(page), page.ref, page) for page in pages)
        return Victims(tuple(self._late_first(scored, int(needed))), memory)

    def score(self, page: Page) -> float:
        """Return how much a page is worth keeping; only the order of scores means anything."""
        settings = self._settings
        beside_age = (
            -settings.group_weight * log1p(page.group_tokens)
            + settings.uses_weight * log1p(page.uses_ever)
            - settings.edit_weight * page.last_use_was_edit
            + settings.relevance_weight * page.relevance
        )
        return -settings.age_weight * log1p(page.age_references) + (1.0 - page.wide_share) * beside_age

    def _late_first(self, scored: Sequence[tuple[float, Ref, Page]], needed: int) -> Iterator[Ref]:
        """Yield refs until enough is freed: of all within the margin of the lowest left, the latest in the block."""
        near: list[tuple[int, Ref, int]] = []
        gone: set[Ref] = set()
        low = high = freed = 0
        while freed < needed and low < len(scored):
            lowest, ref, page = scored[low]
            if ref in gone:
                low += 1
                continue
            margin = self._settings.late_margin * (1.0 - page.wide_share)
            while high < len(scored) and scored[high][0] <= lowest + margin:
                heappush(near, (-scored[high][2].order, scored[high][1], int(scored[high][2].tokens)))
                high += 1
            _, latest, tokens = heappop(near)
            gone.add(latest)
            freed += tokens
            yield latest
