"""What a projection says of what it did not rank."""

from __future__ import annotations

from retrieval.project import Query
from retrieval.settings import RetrievalSettings
from tests.world import CODE, TENANT, World, record, refs
from workingset.candidate import Projection
from workingset.vocabulary import Namespace


def _entities(projection: Projection) -> dict[str, bool]:
    return {entity.name: entity.found for entity in projection.entities}


def test_eighty_equal_matches_are_all_ranked_and_nothing_overflows() -> None:
    world = World()
    world.put(*(record(f"r{i:02}", f"worker {i:02} retries the upload with backoff") for i in range(80)))

    projection = world.ask("upload retries with backoff")

    assert len(projection.ranked) == 80
    assert (projection.overflow, projection.near_misses) == (0, 0)
    assert projection.records_in_scope == 80


def test_a_goal_whose_words_occur_nowhere_gives_nothing() -> None:
    world = World()
    world.put(*(record(f"r{i}", f"leases and budgets number {i}") for i in range(30)))

    projection = world.ask("quantum chromodynamics lattice")

    assert projection.ranked == ()
    assert projection.overflow == 0
    assert not projection.degraded


def test_same_named_symbols_stay_separate() -> None:
    world = World()
    world.put(
        *(record(f"load{i}", "reads the file", title="load", path=f"m{i}.py", symbols=["load_it"]) for i in range(10)),
        *(record(f"other{i}", f"load_it is called here {i}") for i in range(10)),
    )

    projection = world.ask("what does load_it do")

    assert set(refs(projection)) == {f"code:{kind}{i}" for kind in ("load", "other") for i in range(10)}


def test_an_empty_scope_has_no_records_and_no_results() -> None:
    projection = World().ask("anything at all")

    assert (projection.records_in_scope, projection.ranked, projection.near_misses) == (0, (), 0)
    assert projection.cut.at(CODE) == 0
    assert not projection.degraded


def test_no_namespaces_means_all_of_the_tenants() -> None:
    world = World()
    world.put(record("a", "leases expire"))
    world.put(record("b", "leases expire", namespace=Namespace("notes")))

    with world.store.snapshot(TENANT) as txn:
        projection = world.retrieval().project(txn, Query("leases expire"), world.within(9))

    assert set(refs(projection)) == {"code:a", "notes:b"}
    assert [namespace for namespace, _ in projection.cut.generations] == ["code", "notes"]


def test_named_things_are_found_or_said_to_occur_nowhere() -> None:
    world = World()
    world.put(
        record("a", "the Redis client keeps one connection", symbols=["open_pool"], path="net/pool.py"),
        record("b", "leases expire"),
    )

    projection = world.ask(
        "does the Redis client use `open_pool` in net/pool.py or the Kafka one, `close_pool`, in net/gone.py"
    )

    assert _entities(projection) == {
        "Redis": True,
        "open_pool": True,
        "net/pool.py": True,
        "Kafka": False,
        "close_pool": False,
        "net/gone.py": False,
    }


def test_a_thing_named_only_in_another_namespace_does_not_occur() -> None:
    world = World()
    world.put(record("a", "leases expire"))
    world.put(record("b", "the Redis client", namespace=Namespace("notes")))

    assert _entities(world.ask("which leases use the Redis client")) == {"Redis": False}


def test_named_things_beyond_the_look_ups_are_told() -> None:
    world = World()
    world.put(*(record(f"r{i}", f"alpha beta part{i}") for i in range(4)))

    projection = world.ask('where is "alpha part0 part1"', world.retrieval(RetrievalSettings(entity_probes=0)))

    lexical = next(lane for lane in projection.lanes if lane.lane == "lexical")
    assert "1 named things not looked for" in lexical.note
    assert projection.entities == ()


def test_with_the_lexical_index_down_the_other_lanes_answer() -> None:
    world = World()
    world.put(record("a", "the lease expires", symbols=["lease_end"]), record("b", "budgets"))
    world.lexical.down = True

    projection = world.ask("`lease_end` expires")

    assert refs(projection) == ["code:a"]
    assert [lane.lane for lane in projection.lanes if lane.degraded] == ["lexical", "links"]
