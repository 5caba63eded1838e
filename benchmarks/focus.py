"""How long does a Focus take, and where does the time go?

Over the standard library of the Python that runs this: `--goals` goals made from first sentences of its own records,
each asked three ways: *cold* (a new agent, never asked before), *warm* (an agent that has a set, a goal of another
subject), *repeated* (the same goal again). Prints p50 and p99 as the client sees them, and each step's share of the
daemon's time. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sysconfig
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.daemon import running
from hotset import FocusAnswer, HotsetClient

NAMESPACE = "stdlib"


def main() -> None:
    """Ingest, ask, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(sysconfig.get_path("stdlib")))
    parser.add_argument("--goals", type=int, default=200)
    parser.add_argument("--budget", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--embed", action="store_true", help="let embeddings fill in behind while measuring")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        (home / "hotsetd.toml").write_text(f"[jobs]\nembed_in_background = {str(options.embed).lower()}\n")
        with running(Path(folder)) as daemon, HotsetClient(daemon.address, agent="bench") as client:
            for _ in client.ingest_tree(NAMESPACE, options.root, timeout_seconds=1_800):
                pass
            generation = client.describe_namespace(NAMESPACE).generation
            client.focus("warm up", namespaces=[NAMESPACE], at_least_generation=generation, timeout_seconds=600)
            goals = _goals(client, options.goals, options.seed)
            for kind, answers in _asked(client, goals, options.budget).items():
                _print(kind, answers)
            print(f"memory: {daemon.memory_mib('VmRSS'):.0f} MiB now, {daemon.memory_mib('VmHWM'):.0f} MiB peak")


def _goals(client: HotsetClient, count: int, seed: int) -> list[str]:
    records = [r for r in client.list_records(NAMESPACE, kind="function") if len(r.gist.split()) >= 6]
    return [f"{r.title}: {r.gist}" for r in random.Random(seed).sample(records, count)]


def _asked(client: HotsetClient, goals: list[str], budget: int) -> dict[str, list[tuple[float, FocusAnswer]]]:
    timed: dict[str, list[tuple[float, FocusAnswer]]] = defaultdict(list)
    for place, goal in enumerate(goals):
        timed["cold"].append(_ask(client, goal, f"cold-{place}", budget))
    for goal in goals:
        timed["warm"].append(_ask(client, goal, "worker", budget))
        timed["repeated"].append(_ask(client, goal, "worker", budget))
    return timed


def _ask(client: HotsetClient, goal: str, agent: str, budget: int) -> tuple[float, FocusAnswer]:
    began = time.perf_counter()
    answer = client.focus(goal, agent=agent, budget_tokens=budget)
    return (time.perf_counter() - began) * 1e3, answer


def _print(kind: str, timed: list[tuple[float, FocusAnswer]]) -> None:
    took = sorted(ms for ms, _ in timed)
    p50, p99 = statistics.median(took), took[min(len(took) - 1, int(len(took) * 0.99))]
    steps: dict[str, float] = defaultdict(float)
    for _, answer in timed:
        for step in answer.steps:
            steps[step.name] += step.milliseconds
    top = {name: steps.pop(name) for name in ("retrieval", "decide") if name in steps}
    total = sum(took)
    top["save, encode, transport"] = total - sum(top.values())
    print(f"\n{kind}: n {len(took)}, p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    for name, ms in top.items():
        print(f"  {name:<26} {ms / total:6.1%}")
        if name == "retrieval":
            for part, part_ms in sorted(steps.items(), key=lambda item: -item[1]):
                print(f"    {part:<24} {part_ms / total:6.1%}")
    print(f"RESULT measure=M7 set=stdlib n={len(took)} operation=focus_{kind} p50_ms={p50:.3f} p99_ms={p99:.3f}")


if __name__ == "__main__":
    main()
