"""Every lane that ships, each over the same small world in which every record matches: what the lanes' contract tests
run on. A lane that is added to `retrieval.lanes` is added to `LANES`; a test holds this to be complete.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

import retrieval.lanes
from retrieval.deadline import Deadline
from retrieval.goal import Goal, parse_goal
from retrieval.hints import Hints, HintSettings
from retrieval.lanes.contract import LaneContract
from retrieval.lanes.exact import ExactLane
from retrieval.lanes.graph import GraphLane
from retrieval.lanes.host import HostLane
from retrieval.lanes.lane import Lane, LaneProposal, Scope
from retrieval.lanes.lexical import LexicalLane
from retrieval.lanes.opposing import OpposingLane
from retrieval.lanes.vector import VectorLane
from retrieval.record import Record
from retrieval.settings import GoalSettings, GraphSettings, LaneSettings
from retrieval.stance.settings import OpposingSettings
from retrieval.store.interface import Snapshot
from tests.model.memory_store import MemoryDisk, MemoryStore
from tests.world import CODE, TENANT, World, edge, record
from workingset.vocabulary import Namespace

RECORDS = 12
CAP = 5
OTHER = Namespace("other")
GOAL = "`lease_end` expires"
STRONG_COSINE = 0.4
STRONG_HINT = 0.36
_FILE = "lib/lease.py"


@dataclass(frozen=True)
class Caps:
    """Settings of all lanes."""

    lanes: LaneSettings
    graph: GraphSettings
    hints: HintSettings
    opposing: OpposingSettings


WIDE = Caps(LaneSettings(), GraphSettings(), HintSettings(), OpposingSettings())
NARROW = Caps(
    LaneSettings(exact_hits_per_name=CAP, lexical_hits=CAP, vector_hits=CAP),
    GraphSettings(hits=CAP),
    HintSettings(hits=CAP),
    OpposingSettings(hits=CAP),
)

LANES: dict[str, Callable[[World, Caps], Lane]] = {
    "exact": lambda world, caps: ExactLane(caps.lanes),
    "lexical": lambda world, caps: LexicalLane(world.lexical, world.progress, caps.lanes),
    "vector": lambda world, caps: VectorLane(world.vector, world.embedder, world.progress, caps.lanes, STRONG_COSINE),
    "graph": lambda world, caps: GraphLane({world.id_of(made(0).ref): 1.0}, caps.graph),
    "host": lambda world, caps: HostLane((Hints(changed=(_FILE,)),), caps.hints, STRONG_HINT),
    "opposing": lambda world, caps: OpposingLane(
        world.lexical, world.vector, world.embedder, world.progress, caps.opposing
    ),
}
INDEXES = {"opposing": ("lexical", "vector")}
"""The indexes that a lane reads, where they are not one of its own name."""


@dataclass
class Asked:
    """A lane over a world, and how to ask it."""

    world: World
    lane: Lane
    disk: MemoryDisk

    def propose(self, deadline: Deadline | None = None) -> LaneProposal:
        with self.world.store.snapshot(TENANT) as txn:
            return self.lane.propose(txn, goal(), scope_of(txn), deadline or self.world.within(9))


def goal() -> Goal:
    """What is asked of every lane."""
    return parse_goal(GOAL, GoalSettings())


def scope_of(txn: Snapshot, *namespaces: Namespace) -> Scope:
    """The namespaces, `code` unless others are named, at the newest cut."""
    named = tuple(sorted(namespaces or (CODE,)))
    return Scope(TENANT, named, txn.cut(named), sum(txn.counts(name).records for name in named))


def made(number: int, namespace: Namespace = CODE) -> Record:
    """The number-th record that matches."""
    text = f"lease_end expires {number}"
    return record(f"r{number:02}", text, symbols=["lease_end"], path=_FILE, namespace=namespace)


def filled(*, vectors: bool = True) -> tuple[World, MemoryDisk]:
    """A world whose records all match, one called by all others, with one more in another namespace."""
    disk = MemoryDisk()
    world = World(MemoryStore(disk))
    records = [made(number) for number in range(RECORDS)]
    calls = [edge(records[0], "calls", other) for other in records[1:]]
    world.put(*records, edges=calls, vectors=vectors)
    world.put(made(0, OTHER), vectors=vectors)
    return world, disk


def asked(name: str, caps: Caps) -> Asked:
    """The lane over a world of its own."""
    world, disk = filled()
    return Asked(world, LANES[name](world, caps), disk)


def shipped() -> dict[str, LaneContract]:
    """The contracts of all lanes in `retrieval.lanes`, by lane."""
    found: dict[str, LaneContract] = {}
    for module in pkgutil.iter_modules(retrieval.lanes.__path__):
        for each in vars(importlib.import_module(f"retrieval.lanes.{module.name}")).values():
            contract = getattr(each, "contract", None)
            if isinstance(each, type) and isinstance(contract, LaneContract):
                found[contract.lane] = contract
    return found
