"""F37: different_from(A,B) and a high similarity / fuse / stay separate; exact negative not outranked by .98."""

from __future__ import annotations

from retrieval.obligations.profiles import profiles
from retrieval.project import Query
from tests.world import World, edge, record

WORDS = " ".join(f"word{i}" for i in range(60))
GOAL = f"who is Jean Martin {WORDS}"


def test_f37_a_relation_that_says_they_differ_outweighs_any_likeness() -> None:
    world = World()
    one = record("one", f"Jean Martin {WORDS}", title="Jean Martin")
    other = record("other", f"Jean Martin {WORDS} painter", title="Jean Martin")
    others = [record(f"far{i}", f"Jean {i} word{i}") for i in range(3)]
    world.put(one, other, *others, edges=[])
    asked = Query(GOAL, profile=profiles()["identity_merge"])

    alike = world.ask(asked)
    assert [c.ref for c in alike.ranked].index(other.ref) > 1, "near duplicates make way while nothing tells them apart"
    proposed = next(o for o in alike.obligations if o.kind.value == "identity")
    assert proposed.status.value == "partial"
    assert {gap.ref for gap in proposed.gaps} == {one.ref}

    world.link(edge(one, "different_from", other), edge(one, "same_as", other))
    apart = world.ask(asked)
    assert {c.ref for c in apart.ranked[:2]} == {one.ref, other.ref}
    settled = next(o for o in apart.obligations if o.kind.value == "identity")
    assert settled.status.value == "satisfied"
    assert "1 pairs kept apart" in settled.note
