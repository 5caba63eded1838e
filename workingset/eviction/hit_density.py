"""Hit density: the page with the fewest expected uses per token-turn kept goes first.

After LHD (Beckmann, Chen and Cidon, NSDI 2018), whose age and size classes are replaced by a log-linear score fitted on
real agent traces (design, policy, section 1): what tells is the page's age in references and the width of the *group*
it was used with, not its own size. Deviation from the fitted score: the terms for names in the goal and for test files
are left out (no gain when held out), and the goal term uses our relevance scale in place of BM25 over the best page's.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p

from workingset.eviction.policy import Page
from workingset.settings import EvictionSettings


class HitDensity:
    """The default policy."""

    name = "hit_density"

    def order(self, pages: Sequence[Page], settings: EvictionSettings) -> list[Page]:
        """Return pages by rising score, then ref."""
        return sorted(pages, key=lambda page: (self._score(page, settings), page.ref))

    def _score(self, page: Page, settings: EvictionSettings) -> float:
        return (
            -settings.age_weight * log1p(page.age_references)
            - settings.group_weight * log1p(page.group_tokens)
            + settings.uses_weight * log1p(page.uses)
            - settings.edit_weight * page.last_use_was_edit
            + settings.relevance_weight * page.relevance
        )
