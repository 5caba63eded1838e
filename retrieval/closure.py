"""Mandatory closure: all that a result needs, and what is known to speak against it, within bounds.

Demanded backward from the result, each node once. First its ids alone are walked, which estimates what the closure
costs; only one within bounds is read. Bounds are per candidate, per origin and over all, so that one result that needs
the world, or one source whose results do, does not starve the others. A closure that hits a bound is
`resource_limited`, one that needs a record which is gone, not valid or outside the scope is `partial`; neither is ever
called closed.

What opposes the result or anything that it needs comes with it, and what that needs; what opposes an opposer does not:
that is another question. Opposers do not change whether support is closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.links import Links, LinksOfRecord
from retrieval.record import Record
from retrieval.settings import ClosureSettings
from workingset.vocabulary import SupportClosure

Read = Callable[[Sequence[int]], Sequence[Record | None]]
"""Records by id in order, None for those that may not be used at the cut."""


@dataclass(frozen=True, slots=True)
class Support:
    """Record ids that a record needs, nearest first, then by ref; all of them were read. `unmet` counts those that
    are gone or may not be used.

    `limiting` are guards and rules among them. `opposers` are live records against it, by ref, and `beside` what these
    need; `opposers_unread` is at least how many more there are, `opposers_barred` how many may not be used.
    """

    requires: tuple[int, ...]
    closure: SupportClosure
    unmet: int = 0
    limiting: tuple[int, ...] = ()
    opposers: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()
    opposers_unread: int = 0
    opposers_barred: int = 0


@dataclass(frozen=True, slots=True)
class _Walk:
    """Ids by distance, without the start; None of them was read. `over` says that a bound was met."""

    levels: tuple[tuple[int, ...], ...]
    over: bool


class Closure:
    """Closes over one record after another within shared bounds. Lives within one projection.

    `records` holds every record that was read; `missing` counts needs that were not met, by reason; a need that several
    results share is counted for each. `edge_visits` counts edges that were looked at.
    """

    def __init__(self, links: Links, read: Read, settings: ClosureSettings) -> None:
        self._links = links
        self._read = read
        self._settings = settings
        self._of_origin: Counter[str] = Counter()
        self._unusable: set[int] = set()
        self.edge_visits = 0
        self.records: dict[int, Record] = {}
        self.missing: Counter[str] = Counter()

    def of(self, record_id: int, origin: str = "") -> Support:
        """The closure of one record; records of one `origin` share a bound, where it is not empty."""
        walk = self._walk(record_id, self._room(origin))
        if walk.over:
            return Support((), SupportClosure.RESOURCE_LIMITED)
        support = self._support(record_id, walk)
        if origin:
            self._of_origin[origin] += len(support.requires) + len(support.opposers) + len(support.beside)
        return support

    def _room(self, origin: str) -> int:
        """Nodes that the candidate may still bring."""
        room = min(self._settings.nodes_per_candidate, self._settings.nodes - len(self.records))
        return min(room, self._settings.nodes_per_origin - self._of_origin[origin]) if origin else room

    def _walk(self, start: int, room: int) -> _Walk:
        """The ids that the record needs by distance, within `room` nodes and the bounds of edges."""
        seen, levels, visits = {start}, list[tuple[int, ...]](), 0
        level: tuple[int, ...] = (start,)
        while level:
            found: set[int] = set()
            for node in level:
                links = self._links_within_bounds(node, visits)
                if links is None or links.bounded:
                    return _Walk(tuple(levels), over=True)
                visits += links.edges
                found.update(links.needs)
            level = tuple(sorted(found - seen))
            seen.update(level)
            if len(seen) - 1 > room:
                return _Walk(tuple(levels), over=True)
            if level:
                levels.append(level)
        return _Walk(tuple(levels), over=False)

    def _links_within_bounds(self, node: int, visits: int) -> LinksOfRecord | None:
        """The node's links; None where the bounds of edges, its candidate's or all candidates', are spent."""
        if self._links.held(node):
            return self._links.of(node)
        settings = self._settings
        if self.edge_visits >= settings.edge_visits or visits >= settings.edge_visits_per_candidate:
            return None
        links = self._links.of(node)
        self.edge_visits += links.edges
        return links

    def _support(self, start: int, walk: _Walk) -> Support:
        """Read what was walked, from near to far: what may not be used leads no further."""
        order, unmet = self._usable_of(start, walk)
        whole = (start, *order)
        opposed = self._opposers(whole)
        limiting = {other for node in whole for other in self._links.of(node).limiting}
        return Support(
            tuple(order),
            SupportClosure.PARTIAL if unmet else SupportClosure.CLOSED,
            unmet,
            tuple(node for node in order if node in limiting),
            opposed.opposers,
            opposed.beside,
            opposed.opposers_unread,
            opposed.opposers_barred,
        )

    def _usable_of(self, start: int, walk: _Walk) -> tuple[list[int], int]:
        """Needs that may be used, nearest first, then by ref, and how many are not met."""
        self._fetch([node for level in walk.levels for node in level])
        order: list[int] = []
        unmet, seen, level = 0, {start}, [start]
        while level:
            found: set[int] = set()
            for node in level:
                links = self._links.of(node)
                found.update(links.needs)
                unmet += links.lost
                self._miss("required_gone", links.lost)
            needed = found - seen
            seen |= needed
            level = sorted((node for node in needed if node in self.records), key=lambda node: self.records[node].ref)
            unmet += len(needed) - len(level)
            self._miss("required_unavailable", len(needed) - len(level))
            order += level
        return order, unmet

    def _opposers(self, nodes: Sequence[int]) -> Support:
        """Live records against any of the nodes, as many as the bounds allow, and what they need."""
        ids = sorted({other for node in nodes for other in self._links.of(node).opposers} - set(nodes))
        more = any(self._links.of(node).opposers_bounded for node in nodes)
        if not ids and not more:
            return Support((), SupportClosure.CLOSED)
        self._fetch(ids)
        live = sorted((i for i in ids if i in self.records), key=lambda node: self.records[node].ref)
        taken = live[: self._settings.opposers_per_candidate]
        seen = {*nodes, *taken}
        beside: list[int] = []
        for opposer in taken:
            walk = self._walk(opposer, self._settings.nodes_per_candidate - len(beside))
            needs = [] if walk.over else [node for node in self._usable_of(opposer, walk)[0] if node not in seen]
            seen.update(needs)
            beside += needs
        unread = len(live) - len(taken) + int(more)
        barred = len(ids) - len(live)
        return Support(
            (),
            SupportClosure.CLOSED,
            0,
            (),
            tuple(taken),
            tuple(beside),
            opposers_unread=unread,
            opposers_barred=barred,
        )

    def _fetch(self, ids: Sequence[int]) -> None:
        """Read the records that were not read before."""
        fresh = sorted({i for i in ids if i not in self.records and i not in self._unusable})
        for record_id, record in zip(fresh, self._read(fresh), strict=True):
            if record is None:
                self._unusable.add(record_id)
            else:
                self.records[record_id] = record

    def _miss(self, reason: str, times: int) -> None:
        if times:
            self.missing[reason] += times
