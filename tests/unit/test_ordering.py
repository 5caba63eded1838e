"""Where repeated texts and hosts' hints end up in the order that a projection gives."""

from __future__ import annotations

from dataclasses import replace

from retrieval.hints import Hints
from retrieval.query import Query
from tests.world import World, record, refs

WORDS = "the lease of a worker expires when its owner has not renewed it for nine turns of the clock in a row"


def test_a_repeated_text_stands_behind_everything_else_and_the_receipt_counts_it() -> None:
    world = World()
    first, copy = record("first", WORDS, title="lease"), record("second", WORDS, title="lease")
    other = record("third", "leases are renewed by their owners")
    world.put(first, copy, other)

    projection = world.ask("when does the lease of a worker expire, and who renewed it")

    assert refs(projection) == [first.ref, other.ref, copy.ref]
    scores = [candidate.selection_score for candidate in projection.ranked]
    assert scores == sorted(scores, reverse=True)
    assert "1 moved back as equal_text" in projection.fusion


def test_no_origin_fills_the_front_alone() -> None:
    world = World()
    mirrors = [
        replace(record(f"m{at}", f"the lease expires after turn {at} of the paper's own clock"), origin="paper")
        for at in range(6)
    ]
    own = record("own", "a note: the lease expires")
    world.put(*mirrors, own)

    ranked = refs(world.ask("when does the lease expire after a turn of the clock"))

    assert len(ranked) == 7
    assert own.ref in ranked[:4]


def test_what_the_host_points_at_comes_first_where_the_goal_says_nothing_else() -> None:
    world = World()
    named, changed = record("named", "commit and review"), record("changed", "def refund(): ...", path="src/refund.py")
    world.put(named, changed)

    projection = world.ask(Query("review my changes", hints=(Hints(changed=("src/refund.py",)),)))

    assert refs(projection)[0] == changed.ref
