"""F33: cyclic dependencies / close / terminates; each node once."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.world import World, edge, record
from workingset.vocabulary import SupportClosure


@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_f33_any_graph_of_needs_is_closed_with_each_node_once(nodes: int, seed: int) -> None:
    chance = random.Random(seed)
    made = [record("result", "the lease lasts nine turns"), *(record(f"n{i}", f"premise {i}") for i in range(nodes))]
    pairs = {(chance.randrange(nodes + 1), chance.randrange(nodes + 1)) for _ in range(3 * nodes)}
    pairs |= {(0, 1), (1, 2 % (nodes + 1)), (2 % (nodes + 1), 0)}
    world = World()
    world.put(*made, edges=[edge(made[a], "depends_on", made[b]) for a, b in sorted(pairs)])

    ranked = {c.ref: c for c in world.ask("how long does the lease last").ranked}
    answer = ranked[made[0].ref]

    reached, waiting = {0}, [0]
    while waiting:
        node = waiting.pop()
        fresh = {b for a, b in pairs if a == node} - reached
        reached |= fresh
        waiting += fresh
    assert answer.closure is SupportClosure.CLOSED
    assert len(answer.requires) == len(set(answer.requires))
    assert set(answer.requires) == {made[i].ref for i in reached} - {made[0].ref}
