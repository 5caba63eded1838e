"""The vector lane while its index is whole, filling, or down."""

from __future__ import annotations

import struct

import pytest

from retrieval.index.sensor import Hit
from retrieval.settings import LaneSettings, RetrievalSettings
from retrieval.text.embedding import embedding_digest, embedding_text
from tests.fakes import FakeDemand, FakeEmbedder
from tests.world import CODE, TENANT, World, record
from workingset.candidate import LaneOutcome, Projection
from workingset.vocabulary import Generation, SearchCoverage


def _vector(projection: Projection) -> LaneOutcome:
    return next(lane for lane in projection.lanes if lane.lane == "vector")


def test_a_whole_index_is_approximate_and_not_degraded() -> None:
    world = World()
    world.put(record("a", "leases expire"), record("b", "budgets hold"))

    projection = world.ask("leases expire")

    assert (_vector(projection).state, _vector(projection).covered) == ("ok", 1.0)
    assert _vector(projection).coverage is SearchCoverage.APPROXIMATE
    assert projection.embedding_calls == 1
    assert len(projection.goal.vector) == world.embedder.dimensions


def test_a_filling_index_says_how_far_it_is() -> None:
    world = World()
    world.put(record("a", "leases expire"))
    world.put(record("b", "leases renew"), record("c", "budgets hold"), vectors=False)
    world.progress.behind["vector", CODE] = Generation(1)

    outcome = _vector(world.ask("leases"))

    assert (outcome.state, outcome.lag) == ("partial", 2)
    assert outcome.covered == pytest.approx(1 / 3)
    assert outcome.coverage is SearchCoverage.PARTIAL_BACKEND


def test_missing_vectors_of_the_best_lexical_hits_are_made_on_demand() -> None:
    world = World()
    world.put(record("a", "leases expire"), record("b", "leases renew"), vectors=False)
    world.progress.behind["vector", CODE] = Generation(0)

    without = world.ask("leases expire")
    projection = world.ask("leases expire", world.retrieval(demand=FakeDemand(world.embedder)))

    assert "cosine" not in dict(without.ranked[0].features)
    assert "cosine" in dict(projection.ranked[0].features)
    assert "vector" in projection.ranked[0].lanes
    assert projection.embedding_calls == 3
    assert "2 of 2 lexical hits" in _vector(projection).note
    assert _vector(projection).state == "partial"


def test_demand_is_bounded_by_count() -> None:
    world = World()
    world.put(*(record(f"r{i}", f"leases expire {i}") for i in range(8)), vectors=False)
    world.progress.behind["vector", CODE] = Generation(0)
    settings = RetrievalSettings(lanes=LaneSettings(demand_hits=3))

    projection = world.ask("leases", world.retrieval(settings, demand=FakeDemand(world.embedder)))

    assert projection.embedding_calls == 4
    assert "3 of 3 lexical hits" in _vector(projection).note


def test_equal_texts_share_a_vector_made_on_demand() -> None:
    world = World()
    world.put(*(record(f"r{i}", "leases expire in the end", title="lease") for i in range(8)), vectors=False)
    world.progress.behind["vector", CODE] = Generation(0)
    settings = RetrievalSettings(lanes=LaneSettings(demand_hits=3))

    projection = world.ask("when do leases expire", world.retrieval(settings, demand=FakeDemand(world.embedder)))

    assert len(projection.ranked) == 8
    assert len({(c.relevance, c.selection_score) for c in projection.ranked}) == 1
    assert all("cosine" in dict(c.features) for c in projection.ranked)


def test_a_model_that_cannot_be_loaded_leaves_the_other_lanes() -> None:
    world = World()
    world.put(record("a", "leases expire"))
    world.embedder.down = True

    projection = world.ask("leases expire")

    assert (_vector(projection).state, projection.degraded) == ("unavailable", True)
    assert "cannot be loaded" in _vector(projection).note
    assert [c.ref for c in projection.ranked] == ["code:a"]
    assert projection.goal.vector == ()


def test_an_index_that_is_down_is_unavailable() -> None:
    world = World()
    world.put(record("a", "leases expire"))
    world.vector.down = True

    projection = world.ask("leases expire")

    assert _vector(projection).state == "unavailable"
    assert projection.embedding_calls == 1
    assert len(projection.ranked) == 1


def test_the_stored_vector_counts_and_not_what_the_index_says() -> None:
    world = World()
    near = record("near", "leases expire", title="leases")
    world.put(near)
    vector = FakeEmbedder().embed([embedding_text(near)])[0]
    encoded = struct.pack(f"<{len(vector)}e", *vector)
    digest = embedding_digest(embedding_text(near))
    world.store.write(TENANT, lambda txn: txn.put_vector(world.embedder.fingerprint, digest, encoded))
    world.vector.planted = [Hit(world.id_of(near.ref), -0.5)]

    features = dict(world.ask("leases expire").ranked[0].features)

    assert features["cosine"] > 0.5


def test_strong_neighbours_beyond_the_cap_are_counted() -> None:
    world = World()
    world.put(*(record(f"r{i:02}", "leases expire", title=f"number{i}") for i in range(20)))
    settings = RetrievalSettings(lanes=LaneSettings(vector_hits=4, lexical_hits=4))

    projection = world.ask("leases expire", world.retrieval(settings))

    assert _vector(projection).truncated
    assert projection.overflow >= 20 - len(projection.ranked)
