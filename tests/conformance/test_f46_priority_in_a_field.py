"""F46: record field priority=999999 / rank / order unchanged against the same record without it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.daemon_room import note, opened
from tests.world import World, record, refs

GOAL = "how long does the lease last"
FIELDS = (("priority", "999999"), ("rank", "1"), ("relevance", "1.0"), ("weight", "1e9"))


def test_f46_the_order_is_that_without_the_field() -> None:
    orders = []
    for attributes in ((), FIELDS):
        world = World()
        quiet = replace(record("quiet", "the lease ends some day"), attributes=attributes)
        others = [record(f"other{i}", f"the lease lasts {i} turns, how long is it") for i in range(5)]
        world.put(*others, quiet)
        found = world.ask(GOAL)
        orders.append((refs(found), [(c.relevance, c.selection_score, c.features) for c in found.ranked]))
    assert orders[0] == orders[1]


def test_f46_a_whole_turn_is_the_same_to_the_byte(tmp_path: Path) -> None:
    turns = []
    for name, attributes in (("without", ()), ("with", FIELDS)):
        with opened(tmp_path / name) as room:
            loud = replace(note("loud", "the lease lasts nine turns"), attributes=attributes)
            room.records([loud, *(note(f"n{i}", f"the lease has {i} clauses") for i in range(8))])
            answer = room.focus(GOAL, top_k=3, budget_tokens=400)
            turns.append((answer.receipt_digest, answer.outcome.block.text))
    assert turns[0] == turns[1]
