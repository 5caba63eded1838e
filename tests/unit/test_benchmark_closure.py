"""The benchmark of closure: its shapes, and that work keeps to the bounds beside five that are served."""

from __future__ import annotations

import pytest

from benchmarks.closure import PLAIN, SHAPES, measured
from retrieval.settings import ClosureSettings
from workingset.vocabulary import SupportClosure


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_the_edges_asked_for_and_starts_at_the_first(shape: str) -> None:
    pairs = SHAPES[shape](100)
    assert 90 <= len(pairs) <= 100
    assert pairs[0][0] == 0
    assert all(one != other for one, other in pairs)


@pytest.mark.parametrize("shape", ["chain", "hub", "bomb"])
def test_work_keeps_to_the_bounds_and_the_plain_ones_are_served(shape: str) -> None:
    settings = ClosureSettings()
    found = measured(SHAPES[shape](2_000), settings)
    assert found.state is SupportClosure.RESOURCE_LIMITED
    assert found.edge_visits <= settings.edge_visits_per_candidate + settings.edges_per_node
    assert found.records_read == 0
    assert found.plain_closed == PLAIN
