"""F38: reversible mapping withdrawn / requery / results split again."""

from __future__ import annotations

from tests.world import World, edge, record

GOAL = "when does the lease of the mill expire"


def test_f38_withdrawing_same_as_splits_the_results() -> None:
    world = World()
    mill, works = (
        record("mill", "the lease of the mill expires in may"),
        record("works", "the mill: lease expires soon"),
    )
    garden = record("garden", "when does the lease of the garden expire")
    world.put(mill, works, garden)
    before = [c.ref for c in world.ask(GOAL).ranked]
    assert before.index(garden.ref) == 2

    mapping = edge(mill, "same_as", works)
    world.link(mapping)
    mapped = [c.ref for c in world.ask(GOAL).ranked]
    assert mapped.index(garden.ref) == 1, "two records of one thing take one place"
    assert set(mapped) == set(before), "and nothing is dropped"

    world.unlink(mapping)
    assert [c.ref for c in world.ask(GOAL).ranked] == before
