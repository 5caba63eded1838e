"""What is known of a record's source: only a validator and a verification within the window make it current."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.errors import BadField
from retrieval.freshness import freshness_check
from retrieval.ingest import RecordInput
from retrieval.ingest.typed_records import prepare_records
from retrieval.obligations.profiles import profiles
from retrieval.project import Query
from retrieval.record import Record
from retrieval.sources import never_checked
from tests.world import CODE, World, edge, record, refs
from workingset.vocabulary import Freshness

NOW = 1_000_000
WINDOW = 3_600


def looked_at(found: Freshness = Freshness.UNKNOWN, **known: int | str) -> Freshness:
    one = replace(record("a", "the port is 8080"), **known)  # type: ignore[arg-type]
    return freshness_check(lambda _: found, NOW, WINDOW)(one)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, Freshness.UNKNOWN),
        ({"retrieved_seconds": NOW}, Freshness.UNKNOWN),
        ({"retrieved_seconds": NOW, "validator": "v1"}, Freshness.UNKNOWN),
        ({"verified_seconds": NOW}, Freshness.UNKNOWN),
        ({"verified_seconds": NOW, "validator": "v1"}, Freshness.CURRENT),
        ({"verified_seconds": NOW - WINDOW, "validator": "v1"}, Freshness.CURRENT),
        ({"verified_seconds": NOW - WINDOW - 1, "validator": "v1"}, Freshness.STALE),
        ({"verified_seconds": NOW - WINDOW - 1}, Freshness.STALE),
        ({"verified_seconds": NOW + 1, "validator": "v1"}, Freshness.UNKNOWN),
    ],
)
def test_what_makes_a_record_current(known: dict[str, int | str], expected: Freshness) -> None:
    assert looked_at(**known) is expected


def test_what_looking_at_the_file_said_outweighs_what_the_record_says() -> None:
    assert looked_at(Freshness.STALE, verified_seconds=NOW, validator="v1") is Freshness.STALE
    assert looked_at(Freshness.CURRENT, verified_seconds=1) is Freshness.CURRENT


def test_without_a_window_a_verification_holds() -> None:
    one = replace(record("a", "the port is 8080"), verified_seconds=1, validator="v1")
    assert freshness_check(never_checked, NOW, 0)(one) is Freshness.CURRENT


def test_attributes_of_the_same_names_say_nothing() -> None:
    attributes = (("validator", "v1"), ("verified_seconds", str(NOW)), ("freshness", "current"))
    assert looked_at(attributes=attributes) is Freshness.UNKNOWN  # type: ignore[arg-type]


def evidence(name: str, text: str, age_seconds: int) -> Record:
    return replace(record(name, text), verified_seconds=NOW - age_seconds, validator=f"etag-{name}")


def test_stale_evidence_stands_behind_all_other_whatever_its_score() -> None:
    world = World()
    best = evidence("best", "the port of the gateway is 8080", 90 * 86_400)
    plain, current = record("plain", "the port of the gateway"), evidence("current", "gateway port moved to 9090", 60)
    world.put(best, plain, current)

    asked = Query("the port of the gateway is 8080", now_seconds=NOW, profile=profiles()["current_facts"])
    found = world.ask(asked)

    assert refs(world.ask(replace(asked, profile=profiles()["default"])))[0] == best.ref
    assert refs(found)[-1] == best.ref
    assert set(refs(found)) == {best.ref, plain.ref, current.ref}, "moved back, not dropped"
    assert "1 moved back as stale" in found.fusion
    by_ref = {c.ref: c.freshness for c in found.ranked}
    assert by_ref == {best.ref: Freshness.STALE, plain.ref: Freshness.UNKNOWN, current.ref: Freshness.CURRENT}
    assert [c.selection_score for c in found.ranked] == sorted((c.selection_score for c in found.ranked), reverse=True)


def test_a_conclusion_is_no_fresher_than_its_premises() -> None:
    world = World()
    result = evidence("result", "the port of the gateway is 8080", 60)
    old, against = evidence("old", "set by the file of march", 90 * 86_400), evidence("against", "no", 90 * 86_400)
    world.put(result, old, against, edges=[edge(old, "premise_of", result), edge(against, "defeats", result)])

    found = world.ask(Query("the port of the gateway", now_seconds=NOW, profile=profiles()["current_facts"]))

    owed = next(one for one in found.obligations if one.kind.value == "freshness")
    assert (owed.status.value, owed.open) == ("partial", True)
    assert owed.note == "1 current, 0 stale, 0 not known; of what they need 1 stale"
    assert [(gap.ref, gap.what) for gap in owed.gaps] == [(old.ref, "stale, and a result needs it")]


def test_a_profile_that_only_tells_freshness_leaves_the_order_alone() -> None:
    world = World()
    world.put(evidence("best", "the port of the gateway is 8080", 90 * 86_400), record("plain", "the gateway"))
    contested = replace(profiles()["contested_claims"], fresh_seconds=WINDOW)
    found = world.ask(Query("the port of the gateway", now_seconds=NOW, profile=contested))
    assert found.ranked[0].freshness is Freshness.STALE
    owed = next(one for one in found.obligations if one.kind.value == "freshness")
    assert (owed.status.value, owed.required) == ("partial", False)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"retrieved_seconds": -1}, "retrieved_seconds"),
        ({"verified_seconds": 2**63}, "verified_seconds"),
        ({"retrieved_seconds": 9, "verified_seconds": 8}, "verified_seconds"),
        ({"validator": "v" * 257}, "validator"),
        ({"validator": "v1\nverified"}, "validator"),
        ({"validator": "\ud800"}, "validator"),
    ],
)
def test_what_no_source_can_have_said_is_refused(given: dict[str, int | str], field: str) -> None:
    with pytest.raises(BadField) as raised:
        prepare_records(CODE, [replace(RecordInput("a", "note", "", "x"), **given)], [], "host")  # type: ignore[arg-type]
    assert raised.value.field == f"records[0].{field}"


def test_what_the_host_knows_of_the_source_is_kept() -> None:
    given = RecordInput("a", "note", "", "x", retrieved_seconds=5, verified_seconds=6, validator='W/"0815"')
    (made,) = prepare_records(CODE, [given], [], "host").records
    assert (made.retrieved_seconds, made.verified_seconds, made.validator) == (5, 6, 'W/"0815"')
