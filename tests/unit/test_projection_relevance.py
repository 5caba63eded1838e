"""The relevance scale: features of the match, never ranks."""

from __future__ import annotations

import pytest

from retrieval.index.sensor import WeightedTerm
from retrieval.relevance import Features, RelevanceScale, TermWeights
from retrieval.settings import RelevanceSettings
from tests.world import World, edge, record

_SETTINGS = RelevanceSettings()
_SCALE = RelevanceScale(_SETTINGS)


def _of(**features: float) -> float:
    return _SCALE.of(Features(**features), grounded=True)


def test_unknown_terms_weigh_fully_and_common_ones_little() -> None:
    terms = [WeightedTerm(term, 1.0) for term in ("common", "rare", "unknown")]
    weights = TermWeights.of(terms, {"common": 900, "rare": 3, "unknown": 0}, 1000, _SETTINGS)

    masses = dict(weights.masses)
    assert masses["unknown"] == 1.0
    assert masses["common"] == _SETTINGS.term_weight_floor
    assert masses["common"] < masses["rare"] < 1.0
    assert weights.coverage(frozenset({"common"})) < 0.1
    assert weights.coverage(frozenset({"common", "rare", "unknown", "else"})) == 1.0


def test_without_frequencies_all_terms_weigh_the_same() -> None:
    weights = TermWeights.of([WeightedTerm("a", 1.0), WeightedTerm("b", 1.0)], {}, 1000, _SETTINGS)

    assert weights.coverage(frozenset({"a"})) == 0.5


def test_one_stray_word_of_six_is_below_the_floor() -> None:
    world = World()
    world.put(
        record("stray", "the invoice is paid in March"),
        *(record(f"r{i}", f"leases and budgets number {i}") for i in range(20)),
    )

    projection = world.ask("how can we invoice zebras riding purple submarines tomorrow")

    assert projection.ranked == ()
    assert projection.near_misses > 0


@pytest.mark.parametrize("feature", ["coverage", "exact", "cosine", "title", "graph"])
def test_more_of_any_feature_is_never_worse(feature: str) -> None:
    base = {"coverage": 0.4, "title": 0.2, "exact": 0.3, "cosine": 0.5, "graph": 0.1}
    values = [_of(**{**base, feature: step / 20}) for step in range(21)]

    assert values == sorted(values)
    assert all(0.0 <= value <= 1.0 for value in values)


def test_graph_mass_never_lifts_over_the_floor_and_adds_little_above() -> None:
    below = {"coverage": 0.3}
    assert _of(**below) < _SCALE.floor
    assert _of(**below, graph=1.0) == _of(**below)
    above = {"coverage": 0.6}
    assert 0.0 < _of(**above, graph=1.0) - _of(**above) <= _SETTINGS.graph_weight


def test_where_no_word_occurs_nothing_reaches_the_floor() -> None:
    assert _SCALE.of(Features(cosine=0.99), grounded=False) < _SCALE.floor


def test_strong_cosine_and_needed_coverage_are_where_the_floor_is() -> None:
    assert _of(cosine=_SCALE.strong_cosine + 1e-6) >= _SCALE.floor > _of(cosine=_SCALE.strong_cosine - 1e-3)
    needed = _SCALE.coverage_needed
    assert _of(coverage=needed + 1e-6, title=needed + 1e-6) >= _SCALE.floor
    assert _of(coverage=needed - 1e-3, title=needed - 1e-3) < _SCALE.floor


def test_equal_texts_are_equally_relevant_whatever_the_caps_saw_of_them() -> None:
    world = World()
    world.put(*(record(f"r{i:02}", "the lease expires after nine turns", title="Lease") for i in range(60)))

    projection = world.ask("when does a lease expire")

    assert len(projection.ranked) == 60
    assert len({candidate.relevance for candidate in projection.ranked}) == 1
    assert len({candidate.selection_score for candidate in projection.ranked}) == 1


def test_features_can_be_inspected() -> None:
    world = World()
    lease = record("lease", "the lease expires", title="lease_end", symbols=["lease_end"])
    turn = record("turn", "one turn of an agent")
    world.put(lease, turn, edges=[edge(lease, "calls", turn)])

    projection = world.ask("when does `lease_end` run")

    features = dict(projection.ranked[0].features)
    of_the_ranker = {"lexical", "vector", "named", "mentioned", "shared", "answering", "exact_names", "graph_mass"}
    assert set(features) == {"coverage", "title", "exact", "cosine", "graph", "linked"} | of_the_ranker
    assert features["exact"] == 0.85
    assert projection.fusion == "prose; prose-1; features-1 (uncalibrated)"


def test_a_floor_that_nothing_ungrounded_can_pass_is_demanded() -> None:
    with pytest.raises(ValueError, match="ungrounded_cap"):
        RelevanceSettings(floor=0.1)
    with pytest.raises(ValueError, match="cosine_full"):
        RelevanceSettings(cosine_full=0.2)
