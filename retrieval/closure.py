"""Mandatory closure, in its plain form: all that a result needs, breadth first, each node once, within bounds.

Bounds are per candidate and over all, so that one result that needs the world does not starve the others. A closure
that hits a bound is `resource_limited`, one that needs a record which is gone, not valid or outside the scope is
`partial`; neither is ever called closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.links import Links
from retrieval.record import Record
from retrieval.settings import ClosureSettings
from workingset.vocabulary import SupportClosure

Read = Callable[[Sequence[int]], Sequence[Record | None]]
"""Records by id in order, None for those that may not be used at the cut."""


@dataclass(frozen=True, slots=True)
class Support:
    """Record ids that a record needs, nearest first, then by ref; all of them were read. `unmet` counts those that
    are gone or may not be used."""

    requires: tuple[int, ...]
    closure: SupportClosure
    unmet: int = 0


class Closure:
    """Closes over one record after another within shared bounds. Lives within one projection.

    `records` holds every record that was read; `missing` counts needs that were not met, by reason; a need that several
    results share is counted for each.
    """

    def __init__(self, links: Links, read: Read, settings: ClosureSettings) -> None:
        self._links = links
        self._read = read
        self._settings = settings
        self._edge_visits = 0
        self.records: dict[int, Record] = {}
        self._unusable: set[int] = set()
        self.missing: Counter[str] = Counter()

    def of(self, record_id: int, record: Record) -> Support:
        """The closure of one record."""
        seen = {record_id}
        order: list[int] = []
        level = [(record_id, record)]
        state, unmet = SupportClosure.CLOSED, 0
        while level:
            needed: list[int] = []
            for node_id, node in level:
                links = self._links_within_bounds(node_id, node)
                if links is None:
                    return Support(tuple(order), _worse(state, SupportClosure.RESOURCE_LIMITED), unmet)
                needs, bounded, lost = links
                unmet += lost
                if lost:
                    self.missing["required_gone"] += lost
                    state = SupportClosure.PARTIAL
                if bounded:
                    state = _worse(state, SupportClosure.RESOURCE_LIMITED)
                needed += [need for need in needs if need not in seen]
                seen.update(needs)
            level = self._level(needed)
            if len(level) < len(needed):
                unmet += len(needed) - len(level)
                self.missing["required_unavailable"] += len(needed) - len(level)
                state = SupportClosure.PARTIAL
            room = self._settings.nodes_per_candidate - len(order)
            order += [node_id for node_id, _ in level[:room]]
            if len(level) > room:
                return Support(tuple(order), _worse(state, SupportClosure.RESOURCE_LIMITED), unmet)
        return Support(tuple(order), state, unmet)

    def _links_within_bounds(self, node_id: int, node: Record) -> tuple[tuple[int, ...], bool, int] | None:
        """The node's needs, whether there are more, and how many were lost; None where the shared bounds are spent."""
        spent = self._edge_visits >= self._settings.edge_visits or len(self.records) >= self._settings.nodes
        if spent and not self._links.held(node_id):
            return None
        held = self._links.held(node_id)
        links = self._links.of(node_id, node)
        self._edge_visits += 0 if held else links.edges
        return links.needs, links.bounded, links.lost

    def _level(self, needed: Sequence[int]) -> list[tuple[int, Record]]:
        """The usable records among the needed, by ref."""
        fresh = sorted({i for i in needed if i not in self.records and i not in self._unusable})
        for record_id, record in zip(fresh, self._read(fresh), strict=True):
            if record is None:
                self._unusable.add(record_id)
            else:
                self.records[record_id] = record
        found = {i: self.records[i] for i in needed if i in self.records}
        return sorted(found.items(), key=lambda item: item[1].ref)


def _worse(state: SupportClosure, other: SupportClosure) -> SupportClosure:
    """A need known to be unmet outweighs one not looked at."""
    return state if state is SupportClosure.PARTIAL else other
