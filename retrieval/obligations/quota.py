"""A quota of places: of every window of the order so many go to a lane, whatever the ranker thinks of its records.

Text against a claim is less like it than text for it, so that one order by likeness lets it fall below the cut
(measured: design, recipes, 3). Nothing is lost: what does not get a place earlier stands behind, in the ranker's order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, nextafter

from workingset.vocabulary import Ref

WINDOW_PLACES = 10
"""Places that a profile's share is counted of."""


@dataclass(frozen=True, slots=True)
class Quota:
    """`lane_places` of every `window` places go to the lane, the others to the ranker. `name` is for receipts."""

    name: str
    lane_places: int
    window: int = WINDOW_PLACES

    def __post_init__(self) -> None:
        if not 0 <= self.lane_places < self.window:
            raise ValueError(f"quota {self.name}: lane_places: give 0 to {self.window - 1} of {self.window}")


@dataclass(frozen=True, slots=True)
class Shared:
    """The order of both, and which of its records have a place of the lane's."""

    order: tuple[int, ...]
    by_lane: frozenset[int]


def shared(base: Sequence[int], lane: Sequence[int], quota: Quota, held_back: Collection[int] = ()) -> Shared:
    """Merge the ranker's order with the lane's; each record stands once, and each of either order is there.

    Each window takes the ranker's next ones, then the lane's next ones that are not placed yet: what both hold counts
    as the ranker's where the ranker would place it in this window. The places of the lane are spread over the window,
    the first is the ranker's. Where one order has ended, the other fills up. Records in `held_back` (repeats of others)
    keep the ranker's place, or the last, and are not brought forward by the lane.
    """
    behind = frozenset(held_back)
    own, theirs = list(dict.fromkeys(base)), [i for i in dict.fromkeys(lane) if i not in behind]
    both = len({*own, *theirs})
    placed: dict[int, None] = {}
    by_lane: set[int] = set()
    while len(placed) < both:
        ranked = list(islice(_left(own, placed), quota.window - quota.lane_places))
        taken = {*placed, *ranked}
        proposed = list(islice(_left(theirs, taken), quota.lane_places))
        missing = quota.window - len(ranked) - len(proposed)
        others = dict.fromkeys(_left([*own, *theirs], {*taken, *proposed}))
        ranked += list(islice(others, missing))
        by_lane.update(proposed)
        placed.update(dict.fromkeys(_spread(ranked, proposed)))
    placed.update(dict.fromkeys(lane))
    return Shared(tuple(placed), frozenset(by_lane))


def falling(together: Shared, scores: Mapping[int, float], refs: Mapping[int, Ref]) -> dict[int, float]:
    """Scores that fall along the order: (score falling, ref) is then the order. `scores` are the ranker's.

    A record with a place of the lane's takes the score of the one before it, having none that would say as much.
    """
    fell: dict[int, float] = {}
    last, before = max(scores.values(), default=0.0), Ref("")
    for record_id in together.order:
        score = last if record_id in together.by_lane else min(last, scores.get(record_id, last))
        if score == last and fell and refs[record_id] < before:
            score = nextafter(last, -inf)
        fell[record_id] = last = score
        before = refs[record_id]
    return fell


def _left(order: Sequence[int], placed: Collection[int]) -> Iterator[int]:
    return (record_id for record_id in order if record_id not in placed)


def _spread(ranked: Sequence[int], proposed: Sequence[int]) -> Iterator[int]:
    """Both in one window, the lane's at even distances and never before the ranker's first."""
    places, lane, own = len(ranked) + len(proposed), iter(proposed), iter(ranked)
    for at in range(places):
        due = (at + 1) * len(proposed) // places > at * len(proposed) // places
        yield next(lane) if due else next(own)
