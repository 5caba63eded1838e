"""What relations say against a result comes with it; what does not fit, or may not be used, is said."""

from __future__ import annotations

import pytest

from retrieval.project import Query
from retrieval.record import Record
from retrieval.relations import Role
from retrieval.settings import ClosureSettings, RetrievalSettings
from tests.world import World, edge, record
from workingset.obligation import ObligationOutcome
from workingset.vocabulary import Namespace, OppositionCoverage, SupportClosure

GOAL = "how long does the lease last"


def claim() -> Record:
    return record("claim", "the lease lasts long, nine turns")


@pytest.fixture
def world() -> World:
    return World()


def owed(world: World, kind: str, settings: RetrievalSettings | None = None) -> ObligationOutcome:
    found = world.ask(GOAL, world.retrieval(settings))
    return next(one for one in found.obligations if one.kind.value == kind)


def test_a_live_defeater_comes_with_what_it_defeats_and_with_what_it_needs(world: World) -> None:
    result, against, premise = claim(), record("against", "it was cut short"), record("premise", "since march")
    world.put(result, against, premise, edges=[edge(against, "defeats", result), edge(against, "depends_on", premise)])

    found = world.ask(GOAL)

    assert found.ranked[0].opposed_by == (against.ref,)
    assert found.ranked[0].requires == (against.ref, premise.ref)
    assert found.ranked[0].closure is SupportClosure.CLOSED
    assert {c.ref for c in found.support} == {against.ref, premise.ref}
    assert found.opposition is OppositionCoverage.RELATIONS
    assert owed(world, "defeater").status.value == "satisfied"


def test_what_defeats_a_premise_comes_too(world: World) -> None:
    result, premise, against = claim(), record("premise", "by contract"), record("against", "void")
    world.put(result, premise, against, edges=[edge(result, "depends_on", premise), edge(against, "defeats", premise)])
    assert world.ask(GOAL).ranked[0].requires == (premise.ref, against.ref)


@pytest.mark.parametrize(("relation", "role", "brought"), [("defeats", None, False), ("opposes", None, True),
                                                           ("rebuts", Role.OPPOSING, False)])  # fmt: skip
def test_opposes_holds_both_ways_and_the_others_do_not(
    world: World, relation: str, role: Role | None, brought: bool
) -> None:
    result, other = claim(), record("other", "elsewhere")
    world.put(result, other, edges=[edge(result, relation, other, role)])
    assert world.ask(GOAL).ranked[0].opposed_by == ((other.ref,) if brought else ())


def test_an_opposer_that_is_not_valid_now_or_out_of_scope_is_counted(world: World) -> None:
    result = claim()
    over = record("over", "it was so", valid_until=5)
    away = record("away", "elsewhere", namespace=Namespace("other"))
    world.put(result, over, away, edges=[edge(over, "defeats", result), edge(away, "defeats", result)])

    found = world.ask(Query(GOAL, now_seconds=10))
    defeater = next(one for one in found.obligations if one.kind.value == "defeater")

    assert found.ranked[0].opposed_by == ()
    assert defeater.status.value == "exhausted_no_hit"
    assert found.ranked[0].closure is SupportClosure.CLOSED


def test_more_opposers_than_fit_are_a_gap_that_says_how_many(world: World) -> None:
    result = claim()
    against = [record(f"against{i}", f"counter {i}") for i in range(6)]
    world.put(result, *against, edges=[edge(one, "defeats", result) for one in against])
    settings = RetrievalSettings(closure=ClosureSettings(opposers_per_candidate=2))

    found = owed(world, "defeater", settings)

    assert found.status.value == "resource_limited"
    assert found.open
    assert [(gap.ref, gap.what) for gap in found.gaps] == [(result.ref, "4 records that oppose it were not read")]
    assert world.ask(GOAL, world.retrieval(settings)).opposition is OppositionCoverage.RESOURCE_LIMITED


def test_what_opposes_an_opposer_is_another_question(world: World) -> None:
    result, against, rebuttal = claim(), record("against", "cut short"), record("rebuttal", "it was not")
    world.put(result, against, rebuttal, edges=[edge(against, "defeats", result), edge(rebuttal, "defeats", against)])
    assert world.ask(GOAL).ranked[0].requires == (against.ref,)


def test_without_relations_nothing_is_read_and_none_is_claimed(world: World) -> None:
    world.put(claim())
    found = owed(world, "defeater")
    assert found.status.value == "exhausted_no_hit"
    assert "no relation opposes" in found.note
