"""What does it cost to close over a result, and does one that needs the world starve the others?

Stores whose first record needs others over `--edges` edges (10 to 100,000), as a chain, a hub, a tree that doubles at
each step (a bomb) and a cycle of all with all; beside it five plain results that need one rule each. Closes over the
first and then over the five, within the shipped bounds, and prints how many edges were looked at, how many records were
read, the milliseconds of the first and of the five, and how many of the five are closed. Work must keep to the bounds
whatever the size. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import xxhash

from benchmarks.results import result_line, table
from retrieval.closure import Closure, Support
from retrieval.links import Links
from retrieval.live_relations import live_relations
from retrieval.record import Edge, Record
from retrieval.relations import Role
from retrieval.settings import ClosureSettings
from retrieval.store.interface import Store, WriteTransaction
from retrieval.store.lmdb import open_store
from workingset.vocabulary import Digest, Namespace, Ref, SupportClosure, TenantId

TENANT, NAMESPACE = TenantId("bench"), Namespace("kb")
PLAIN = 5
REPEATS = 5
_BATCH = 10_000

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Closed:
    """One measured closure, and that of the plain results after it, over the same bounds."""

    state: SupportClosure
    nodes: int
    edge_visits: int
    records_read: int
    milliseconds: float
    plain_closed: int
    plain_milliseconds: float


def chain(edges: int) -> Pairs:
    """Each needs the next."""
    return [(at, at + 1) for at in range(edges)]


def hub(edges: int) -> Pairs:
    """The first needs all others."""
    return [(0, at + 1) for at in range(edges)]


def bomb(edges: int) -> Pairs:
    """Each needs two more."""
    return [((at - 1) // 2, at) for at in range(1, edges + 1)]


def clique(edges: int) -> Pairs:
    """All of a few need all of them."""
    nodes = max(2, int(edges**0.5))
    return [(one, other) for one in range(nodes) for other in range(nodes) if one != other][:edges]


SHAPES: dict[str, Callable[[int], Pairs]] = {"chain": chain, "hub": hub, "bomb": bomb, "clique": clique}


def main() -> None:
    """Fill, close, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--edges", type=_counts, default=(10, 100, 1_000, 10_000, 100_000), help="comma-separated")
    options = parser.parse_args()
    settings = ClosureSettings()
    rows: list[tuple[str, ...]] = []
    for name, shape in SHAPES.items():
        for edges in options.edges:
            found = measured(shape(edges), settings)
            rows.append(_row(name, edges, found, settings))
    head = ("shape", "edges", "state", "nodes", "edge visits", "records read", "ms", "plain closed", "ms of the five")
    print(table(head, rows))


def measured(pairs: Pairs, settings: ClosureSettings) -> Closed:
    """Close over the first record of a store with these needs, then over the plain ones."""
    with tempfile.TemporaryDirectory(prefix="hotset-closure-") as folder:
        store = open_store(Path(folder))
        try:
            _fill(store, pairs)
            runs = [_closed(store, settings) for _ in range(REPEATS)]
        finally:
            store.close()
    middle = sorted(runs, key=lambda run: run.milliseconds)[REPEATS // 2]
    assert all((run.state, run.edge_visits) == (middle.state, middle.edge_visits) for run in runs)
    return middle


def _closed(store: Store, settings: ClosureSettings) -> Closed:
    with store.snapshot(TENANT) as txn:
        cut = txn.cut((NAMESPACE,))
        read = 0

        def reading(ids: Sequence[int]) -> list[Record | None]:
            nonlocal read
            read += len(ids)
            return txn.records_by_id(ids, cut)

        closure = Closure(Links(txn, live_relations(txn), settings.edges_per_node), reading, settings)
        began = time.perf_counter()
        first = closure.of(_id(txn.record_id(Ref(f"{NAMESPACE}:n0"))))
        took = time.perf_counter() - began
        visits, records = closure.edge_visits, read
        began = time.perf_counter()
        plain: list[Support] = [closure.of(_id(txn.record_id(Ref(f"{NAMESPACE}:plain{at}")))) for at in range(PLAIN)]
        beside = time.perf_counter() - began
    closed = sum(one.closure is SupportClosure.CLOSED and len(one.requires) == 1 for one in plain)
    return Closed(first.closure, len(first.requires), visits, records, took * 1e3, closed, beside * 1e3)


def _id(record_id: int | None) -> int:
    assert record_id is not None
    return record_id


def _fill(store: Store, pairs: Pairs) -> None:
    names = [f"n{at}" for at in range(max(max(pair) for pair in pairs) + 1)]
    names += [f"{kind}{at}" for at in range(PLAIN) for kind in ("plain", "rule")]
    edges = [(f"n{one}", f"n{other}") for one, other in pairs]
    edges += [(f"plain{at}", f"rule{at}") for at in range(PLAIN)]
    for at in range(0, len(names), _BATCH):
        store.write(TENANT, _putting([_record(name) for name in names[at : at + _BATCH]]))
    for at in range(0, len(edges), _BATCH):
        needs = [Edge(_ref(one), "depends_on", _ref(other), Role.MANDATORY) for one, other in edges[at : at + _BATCH]]
        store.write(TENANT, _linking(needs))


def _putting(records: Sequence[Record]) -> Callable[[WriteTransaction], None]:
    def job(txn: WriteTransaction) -> None:
        for record in records:
            txn.put_record(record)

    return job


def _linking(edges: Sequence[Edge]) -> Callable[[WriteTransaction], None]:
    def job(txn: WriteTransaction) -> None:
        txn.put_edges(edges)

    return job


def _ref(name: str) -> Ref:
    return Ref(f"{NAMESPACE}:{name}")


def _record(name: str) -> Record:
    text = f"what {name} says"
    digest = Digest(xxhash.xxh3_128_hexdigest(text.encode()))
    return Record(_ref(name), NAMESPACE, "claim", name, text, text, text, digest)


def _row(name: str, edges: int, found: Closed, settings: ClosureSettings) -> tuple[str, ...]:
    bound = settings.edge_visits_per_candidate + settings.edges_per_node
    assert found.edge_visits <= bound, f"{name}, {edges} edges: {found.edge_visits} visits, above {bound}"
    assert found.records_read <= settings.nodes_per_candidate, f"{name}, {edges} edges: read {found.records_read}"
    values = {"shape": name, "edges": edges, "state": found.state.value, "edge_visits": found.edge_visits}
    values |= {"records_read": found.records_read, "ms": found.milliseconds, "plain_closed": found.plain_closed}
    print(result_line("closure", {**values, "plain_ms": found.plain_milliseconds}), flush=True)
    return (
        name,
        f"{edges:,}",
        found.state.value,
        str(found.nodes),
        str(found.edge_visits),
        str(found.records_read),
        f"{found.milliseconds:.2f}",
        f"{found.plain_closed} of {PLAIN}",
        f"{found.plain_milliseconds:.2f}",
    )


def _counts(text: str) -> tuple[int, ...]:
    return tuple(int(part.replace("_", "")) for part in text.split(","))


if __name__ == "__main__":
    main()
