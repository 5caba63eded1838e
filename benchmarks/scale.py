"""How do Focus and each lane grow with the store? Measure M7, the part of retrieval.

Stores of `--records` (10,000, 100,000 and 1,000,000) as `scale_store` makes them. In one process, so that nothing but
the calls is timed: `--goals` goals made from the records' own gists, each asked cold (a new agent), warm (an agent
with a set, another subject) and repeated; every lane alone; and the *floor*, the bare engines' time for the same work:
embed the goal, one lexical search, one vector search, the edges of the best hits, one durable commit of a set's size.
`floor_ratio` is the median over the floor's, `exponent` the growth of the median between the two sizes before it.
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from benchmarks.results import result_line, table
from benchmarks.scale_store import NAMESPACE, TENANT, Material, fill
from hotsetd.build import Parts, build
from hotsetd.calls import Caller, FocusCall
from hotsetd.clock import SystemClock
from hotsetd.config import Home, Settings
from hotsetd.server import prepare_home
from retrieval.deadline import Deadline
from retrieval.goal import parse_goal
from retrieval.index.sensor import Hit
from retrieval.lanes.exact import ExactLane
from retrieval.lanes.graph import GraphLane
from retrieval.lanes.lane import Lane
from retrieval.lanes.lexical import LexicalLane
from retrieval.lanes.vector import VectorLane
from retrieval.relevance import RelevanceScale
from retrieval.scoping import scope_of
from retrieval.store.interface import Claim, WriteTransaction
from retrieval.text.embedding import MiniLmEmbedder
from workingset.vocabulary import AgentId, Epoch, Turn

_SEEDS = 8
_MARGIN_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds of one operation at one size."""

    operation: str
    milliseconds: tuple[float, ...]

    @property
    def p50(self) -> float:
        return statistics.median(self.milliseconds)

    @property
    def p99(self) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def main() -> None:
    """Make each store, ask, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=_counts, default=(10_000, 100_000, 1_000_000), help="sizes, comma-separated")
    parser.add_argument("--goals", type=int, default=100)
    parser.add_argument("--budget", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="keep the stores there and use those that are there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotset-scale-") as folder:
        home = options.home or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        material = Material(home, MiniLmEmbedder(), options.seed)
        before: dict[str, tuple[int, float]] = {}
        rows: list[tuple[str, ...]] = []
        for count in options.records:
            timed, rss = _measured(home / str(count), material, count, options)
            floor = next(one.p50 for one in timed if one.operation == "floor")
            for one in timed:
                rows.append(_row(count, one, floor, rss, before.get(one.operation)))
                before[one.operation] = (count, one.p50)
        print(table(("records", "operation", "p50 ms", "p99 ms", "x floor", "exponent", "RSS MiB"), rows))


def _counts(text: str) -> tuple[int, ...]:
    return tuple(int(part.replace("_", "")) for part in text.split(","))


def _row(count: int, one: Timed, floor: float, rss: float, before: tuple[int, float] | None) -> tuple[str, ...]:
    exponent = math.log(one.p50 / before[1]) / math.log(count / before[0]) if before else math.nan
    ratio = one.p50 / floor
    values = {"records": count, "operation": one.operation, "clients": 1, "p50_ms": one.p50, "p99_ms": one.p99}
    print(result_line("M7", {**values, "floor_ratio": ratio, "exponent": exponent, "rss_mib": rss}), flush=True)
    shown = "" if math.isnan(exponent) else f"{exponent:.2f}"
    return (f"{count:,}", one.operation, f"{one.p50:.2f}", f"{one.p99:.2f}", f"{ratio:.2f}", shown, f"{rss:.0f}")


def _measured(folder: Path, material: Material, count: int, options: argparse.Namespace) -> tuple[list[Timed], float]:
    folder.mkdir(exist_ok=True)
    home = Home(folder)
    prepare_home(home)
    parts = build(home, Settings(), SystemClock(), structlog.get_logger())
    try:
        began = time.perf_counter()
        fill(parts.store, material, count, parts.embedding_model)
        for advance in (parts.follower.advance_lexical, parts.follower.advance_vectors):
            while advance(10_000).left:
                pass
        parts.follower.save()
        print(f"{count:,} records made and indexed in {time.perf_counter() - began:.0f} s", flush=True)
        gc.collect()
        gc.freeze()  # what made the stores is no part of a daemon, and no collection need walk it
        goals = _goals(material, count, options.goals, options.seed)
        timed = [_floor(parts, goals), *_lanes(parts, goals), *_focused(parts, goals, options.budget)]
        return timed, _rss_mib()
    finally:
        parts.close()


def _goals(material: Material, count: int, goals: int, seed: int) -> list[str]:
    records = [r for r in material.records[: min(count, len(material.records))] if len(r.gist.split()) >= 6]
    return [f"{r.title}: {r.gist}" for r in random.Random(seed).sample(records, goals)]


def _deadline() -> Deadline:
    return Deadline(time.monotonic() + _MARGIN_SECONDS, time.monotonic)


def _clocked(operation: str, goals: Sequence[str], work: Callable[[str], object]) -> Timed:
    work(goals[0])
    taken: list[float] = []
    for goal in goals:
        began = time.perf_counter()
        work(goal)
        taken.append((time.perf_counter() - began) * 1e3)
    return Timed(operation, tuple(taken))


def _floor(parts: Parts, goals: Sequence[str]) -> Timed:
    """The bare engines, called once each."""
    settings = parts.settings.retrieval
    state = b"x" * 40_000

    def work(text: str) -> None:
        goal = parse_goal(text, settings.goal)
        vector = parts.engines.embedder.embed([goal.embedded])[0]
        lexical = parts.engines.lexical.search(TENANT, (NAMESPACE,), goal.terms, settings.lanes.lexical_hits)
        parts.engines.vector.search(TENANT, NAMESPACE, vector, settings.lanes.vector_hits)
        with parts.store.snapshot(TENANT) as txn:
            for hit in lexical[:_SEEDS]:
                txn.neighbours(hit.record_id, limit=settings.graph.hub_neighbours)

        def save(txn: WriteTransaction) -> None:
            held = txn.working_set(AgentId("floor"))
            claim = held.claim if held else Claim(AgentId("floor"), Epoch(0), Turn(0), 0)
            txn.save_working_set(claim, Epoch(0), Turn(claim.turn + 1), state)

        parts.store.write(TENANT, save)

    return _clocked("floor", goals, work)


def _lanes(parts: Parts, goals: Sequence[str]) -> list[Timed]:
    """Every lane alone, each with a snapshot of its own; the graph lane from the best lexical hits."""
    s, engines, progress = parts.settings.retrieval, parts.engines, parts.follower
    lexical = LexicalLane(engines.lexical, progress, s.lanes)
    vector = VectorLane(engines.vector, engines.embedder, progress, s.lanes, RelevanceScale(s.relevance).strong_cosine)
    timed = [_lane(parts, lane, goals) for lane in (ExactLane(s.lanes), lexical, vector)]
    seeds = {text: {hit.record_id: 1.0 for hit in _lexical_hits(parts, text)[:_SEEDS]} for text in goals}
    graph = [_asked(parts, GraphLane(seeds[text], s.graph), text) for text in goals]
    return [*timed, Timed("lane_graph", tuple(graph))]


def _lexical_hits(parts: Parts, text: str) -> list[Hit]:
    goal = parse_goal(text, parts.settings.retrieval.goal)
    return parts.engines.lexical.search(TENANT, (NAMESPACE,), goal.terms, _SEEDS)


def _lane(parts: Parts, lane: Lane, goals: Sequence[str]) -> Timed:
    _asked(parts, lane, goals[0])
    return Timed(f"lane_{lane.name}", tuple(_asked(parts, lane, text) for text in goals))


def _asked(parts: Parts, lane: Lane, text: str) -> float:
    began = time.perf_counter()
    with parts.store.snapshot(TENANT) as txn:
        lane.propose(txn, parse_goal(text, parts.settings.retrieval.goal), scope_of(txn, (NAMESPACE,)), _deadline())
    return (time.perf_counter() - began) * 1e3


def _focused(parts: Parts, goals: Sequence[str], budget: int) -> list[Timed]:
    caller, place = Caller(TENANT), iter(range(10**9))

    def focus(agent: str, goal: str) -> None:
        call = FocusCall(agent=agent, goal=goal, budget_tokens=budget, namespaces=(NAMESPACE,))
        parts.turns.focus(caller, call, _deadline())

    cold = _clocked("focus_cold", goals, lambda goal: focus(f"cold-{next(place)}-{time.time_ns()}", goal))
    worker = f"worker-{time.time_ns()}"
    warm, repeated = [], []
    for goal in goals:
        warm.append(_once(partial(focus, worker, goal)))
        repeated.append(_once(partial(focus, worker, goal)))
    return [cold, Timed("focus_warm", tuple(warm)), Timed("focus_repeated", tuple(repeated))]


def _once(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def _rss_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


if __name__ == "__main__":
    main()
