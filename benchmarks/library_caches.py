"""The eviction policies of libcachesim that we do not have, over the same reference strings, for information.

It knows pages and no groups: each page of a reference is one access of the page's size, in order, and each missed page
is admitted alone, so a wide reference may push out its own pages. A reference is a hit where at least 90 % of its lines
lie in pages that were hits. The room is the budget less the mean goal of the turns with references, since not all of
its caches can be resized while they work.

Hyperbolic, LHD and LeCaR draw from a random state of their process that cannot be seeded: each session is run in a
process made for it, so that a figure does not depend on what ran before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from multiprocessing import get_context
from typing import Any

import libcachesim

from benchmarks.fault_rates import Replayed
from benchmarks.pages import PageUse
from benchmarks.sessions import Session
from workingset.vocabulary import Ref, Tokens

HASH_POWER = 12
"""Log2 of the buckets of a cache's table: the default of 24 takes 128 MiB for each cache."""

CACHES: dict[str, Callable[..., Any]] = {
    "libcachesim-lhd": libcachesim.LHD,
    "libcachesim-sieve": libcachesim.Sieve,
    "libcachesim-hyperbolic": libcachesim.Hyperbolic,
    "libcachesim-lecar": libcachesim.LeCaR,
    "libcachesim-lrb": libcachesim.LRB,
}


def replay_caches(
    session: Session, names: Sequence[str], budgets: Sequence[Tokens], full_share: float
) -> dict[tuple[str, Tokens], Replayed]:
    """Return what each named cache makes of the session under each budget, in a process of their own."""
    with get_context("fork").Pool(1) as pool:
        return pool.apply(_replay_all, (session, tuple(names), tuple(budgets), full_share))


def _replay_all(
    session: Session, names: Sequence[str], budgets: Sequence[Tokens], full_share: float
) -> dict[tuple[str, Tokens], Replayed]:
    goals = [session.goal_tokens[use.turn] for use in session.uses]
    goal = round(sum(goals) / max(1, len(goals)))
    return {
        (name, budget): replay_cache(CACHES[name], session.uses, session.sizes, max(1, budget - goal), full_share)
        for name in names
        for budget in budgets
    }


def replay_cache(
    make: Callable[..., Any], uses: Sequence[PageUse], sizes: dict[Ref, Tokens], room: int, full_share: float
) -> Replayed:
    """Return what one cache of `room` tokens makes of a reference string."""
    cache = make(cache_size=room, hashpower=HASH_POWER)
    numbers = {ref: number for number, ref in enumerate(sizes, 1)}
    hits: list[bool] = []
    delivered = held = clock = 0
    for use in uses:
        shown = wanted = 0
        for ref, lines in use.pages:
            clock += 1
            hit = cache.get(_request(numbers[ref], sizes[ref], clock))
            shown += lines if hit else 0
            wanted += lines
            delivered += 0 if hit else sizes[ref]
        hits.append(shown >= full_share * wanted)
        held += cache.get_occupied_byte()
    return Replayed(tuple(hits), delivered, held / max(1, len(hits)))


def _request(number: int, size: int, clock: int) -> Any:
    request = libcachesim.Request()
    request.obj_id, request.obj_size, request.clock_time = number, size, clock
    return request
