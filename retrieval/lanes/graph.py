"""The graph lane: what lies near the seeds, by personalised PageRank with forward push.

Source: Andersen, Chung, Lang, "Local graph partitioning using PageRank vectors", FOCS 2006: push a node while its
residual over its degree is at least a floor, keep `restart_share` of it and spread the rest. Deviations: edges weigh by
relation and direction; nodes are pushed first in, first out from seeds in id order, under a bound of pushes and of edge
visits; a node with more neighbours than a limit spreads nothing and is counted; what a seed keeps of its own weight is
not reported, for being asked about is no link; and the mass reported is divided by degree^`hub_damping`, so that a hub
does not win by being everywhere. Cost follows the neighbourhood, not the store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.deadline import Deadline
from retrieval.goal import Goal
from retrieval.lanes.contract import GraphMass, HardFilter, LaneContract, Reads
from retrieval.lanes.lane import LaneHit, LaneProposal, Scope, nothing
from retrieval.settings import GraphSettings
from retrieval.store.interface import Snapshot
from workingset.candidate import LaneOutcome
from workingset.vocabulary import SearchCoverage

GRAPH = "graph"

_NO_MASS = 1e-9
"""Below what a walk can tell from rounding."""


@dataclass(slots=True)
class _Walk:
    """The state of one walk: residual to spread, mass kept, how much of both is a seed's own, and what it cost."""

    residual: dict[int, float]
    own: dict[int, float]
    mass: dict[int, float] = field(default_factory=dict)
    degree: dict[int, int] = field(default_factory=dict)
    pushes: int = 0
    visits: int = 0
    hubs: int = 0
    bounded: bool = False


class GraphLane:
    """Spreads mass from `seeds` (record id to weight) over live edges. Made anew for each goal."""

    name = GRAPH
    contract = LaneContract(GRAPH, 1, SearchCoverage.HEURISTIC, HardFilter.POSTFILTER, Reads.SNAPSHOT, GraphMass)

    def __init__(self, seeds: Mapping[int, float], settings: GraphSettings) -> None:
        self._seeds = seeds
        self._settings = settings
        self._relation_weights = dict(settings.relation_weights)

    def propose(
        self,
        txn: Snapshot,
        goal: Goal,  # noqa: ARG002  (the seeds already stand for it)
        scope: Scope,  # noqa: ARG002  (admission holds walks to the scope)
        deadline: Deadline,
    ) -> LaneProposal:
        """The nodes of most damped mass, seeds only for what reaches them from others; raises DeadlinePassed."""
        total = sum(weight for _, weight in sorted(self._seeds.items()))
        if total <= 0.0:
            return nothing(GRAPH, "skipped", "no seeds: the other lanes found nothing", covered=1.0)
        weights = {node: weight / total for node, weight in sorted(self._seeds.items())}
        walk = _Walk(residual=dict(weights), own=weights)
        self._run(txn, walk, deadline)
        ranked = self._ranked(walk)
        cap = self._settings.hits
        note = f"{walk.hubs} hubs not spread" if walk.hubs else ""
        outcome = LaneOutcome(
            GRAPH,
            "ok",
            hits=min(len(ranked), cap),
            coverage=SearchCoverage.RESOURCE_LIMITED if walk.bounded else SearchCoverage.HEURISTIC,
            note=note,
            truncated=len(ranked) > cap,
        )
        return LaneProposal(tuple(LaneHit(node, GraphMass(share)) for node, share in ranked[:cap]), outcome)

    def _run(self, txn: Snapshot, walk: _Walk, deadline: Deadline) -> None:
        queue = deque(sorted(walk.residual))
        queued = set(queue)
        while queue:
            if walk.pushes >= self._settings.pushes or walk.visits >= self._settings.edge_visits:
                walk.bounded = True
                return
            deadline.check()
            node = queue.popleft()
            queued.discard(node)
            for reached in self._push(txn, walk, node):
                if reached not in queued and self._worth_a_push(walk, reached):
                    queue.append(reached)
                    queued.add(reached)

    def _worth_a_push(self, walk: _Walk, node: int) -> bool:
        return walk.residual[node] >= self._settings.residual_floor * walk.degree.get(node, 1)

    def _push(self, txn: Snapshot, walk: _Walk, node: int) -> list[int]:
        """Keep the restart share of the node's residual and spread the rest; returns the nodes reached."""
        amount = walk.residual.get(node, 0.0)
        limit = self._settings.hub_neighbours
        neighbours = txn.neighbours(node, limit=limit + 1)
        first = node not in walk.degree
        walk.pushes += 1
        walk.visits += len(neighbours)
        walk.degree[node] = max(1, len(neighbours))
        walk.residual[node] = 0.0
        hub = len(neighbours) > limit
        if hub or not neighbours:
            walk.hubs += hub and first
            walk.mass[node] = walk.mass.get(node, 0.0) + amount
            return []
        walk.mass[node] = walk.mass.get(node, 0.0) + self._settings.restart_share * amount
        if first and node in walk.own:
            walk.own[node] *= self._settings.restart_share
        weights = [self._edge_weight(relation, outgoing) for _, relation, outgoing in neighbours]
        spread = (1.0 - self._settings.restart_share) * amount / (sum(weights) or 1.0)
        for (other, _, _), weight in zip(neighbours, weights, strict=True):
            walk.residual[other] = walk.residual.get(other, 0.0) + spread * weight
        return sorted({other for other, _, _ in neighbours})

    def _edge_weight(self, relation: str, outgoing: bool) -> float:
        weight = self._relation_weights.get(relation, self._settings.other_relation_weight)
        return weight if outgoing else weight * self._settings.backward_weight

    def _ranked(self, walk: _Walk) -> list[tuple[int, float]]:
        """Nodes by damped mass, falling, then id. What is left as residual counts as mass of its node.

        A node that was not pushed is taken to have the mean degree of those that were.
        """
        damping = self._settings.hub_damping
        mean = sum(walk.degree.values()) / max(1, len(walk.degree))
        masses = {
            node: (walk.mass.get(node, 0.0) + walk.residual.get(node, 0.0) - walk.own.get(node, 0.0))
            / walk.degree.get(node, mean) ** damping
            for node in walk.mass.keys() | walk.residual.keys()
        }
        best = max(masses.values(), default=0.0)
        ranked = [(node, mass / best) for node, mass in masses.items() if mass > _NO_MASS]
        return sorted(ranked, key=lambda item: (-item[1], item[0]))
