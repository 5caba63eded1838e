"""F21: equal scores / run / order by stable id; same across processes and hash seeds."""

from __future__ import annotations

import os
import subprocess
import sys

from retrieval.canonical import projection_digest
from tests.world import World, record, refs

_NAMES = ["m", "c", "zeta", "a1", "a10", "a2", "k", "b", "q", "x", "d", "y"]


def answer() -> str:
    """The refs in order and the digest of a projection over records that differ in nothing but their ref."""
    world = World()
    world.put(*(record(name, "the lease expires after nine turns", title="Lease") for name in _NAMES))
    projection = world.ask("when does the lease expire, after which turns")
    return " ".join([*refs(projection), projection_digest(projection)])


def test_f21_equal_scores_are_ordered_by_ref() -> None:
    world = World()
    world.put(*(record(name, "the lease expires after nine turns", title="Lease") for name in _NAMES))

    projection = world.ask("when does the lease expire, after which turns")

    assert refs(projection) == sorted(f"code:{name}" for name in _NAMES)
    assert len({candidate.selection_score for candidate in projection.ranked}) == 1
    assert len({candidate.relevance for candidate in projection.ranked}) == 1


def test_f21_order_and_digest_are_the_same_across_processes_and_hash_seeds() -> None:
    program = "from tests.conformance.test_f21_equal_scores import answer; print(answer())"
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout.strip()
        for seed in ("0", "1", "4242")
    }

    assert said == {answer()}
