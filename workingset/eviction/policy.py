"""What an eviction policy is: it orders the pages that pressure may reach, coldest first.

A policy is pure: everything it may know of a page is in its `Page`. It nominates; packing then decides at which
fidelity the nominated still earn a place, so that under pressure fidelity falls before an entry is evicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Relevance, Tokens


@dataclass(frozen=True, slots=True)
class Page:
    """An evictable entry as a policy sees it.

    `age_references` counts uses of anything since this page's last use or admission; `group_tokens` is the width of
    what it was used together with.
    """

    ref: Ref
    tokens: Tokens
    age_references: int
    uses: int
    group_tokens: Tokens
    relevance: Relevance
    last_use_was_edit: bool


class EvictionPolicy(Protocol):
    """Orders pages by how little would be lost with them."""

    @property
    def name(self) -> str: ...

    def order(self, pages: Sequence[Page], settings: EvictionSettings) -> list[Page]:
        """Return all pages, first to go first; ties end on the ref."""
        ...


def victims(policy: EvictionPolicy, pages: Sequence[Page], needed: Tokens, settings: EvictionSettings) -> list[Ref]:
    """Return the first pages in the policy's order that together free at least `needed` tokens, or all of them."""
    chosen: list[Ref] = []
    freed = 0
    for page in policy.order(pages, settings):
        if freed >= needed:
            break
        chosen.append(page.ref)
        freed += page.tokens
    return chosen
