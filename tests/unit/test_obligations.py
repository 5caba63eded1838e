"""What became of each kind of obligation: when it is met, when it stays open, and in which words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.goal import Goal
from retrieval.identities import Identities
from retrieval.lanes.lane import Scope
from retrieval.obligations.coverage import robustness
from retrieval.obligations.obligation import Obligation
from retrieval.obligations.profile import AttentionProfile
from retrieval.obligations.profiles import OPPOSING, SHIPPED, profiles
from retrieval.obligations.registry import DISCHARGES, discharged
from retrieval.obligations.view import Opposed, View
from workingset.candidate import Candidate, Entity, LaneOutcome, Renderings
from workingset.obligation import ObligationKind, ObligationOutcome, ObligationStatus
from workingset.vocabulary import (
    Cut,
    Digest,
    Freshness,
    Generation,
    Namespace,
    Ref,
    Robustness,
    SupportClosure,
    TenantId,
    Translation,
)

NS = Namespace("kb")


def result(name: str, **changes: object) -> Candidate:
    plain = Candidate(
        Ref(f"kb:{name}"), NS, "claim", name, Generation(1), Digest(name), Renderings(name, name, name),
        closure=SupportClosure.CLOSED,
    )  # fmt: skip
    return replace(plain, **changes)  # type: ignore[arg-type]


def view(*ranked: Candidate, **changes: object) -> View:
    plain = View(
        goal=Goal("is it so", ()),
        scope=Scope(TenantId("local"), (NS,), Cut(), 10),
        ranked=ranked,
        lanes={"lexical": LaneOutcome("lexical", "ok", hits=2)},
        rejected={},
        unsearched=0,
        entities=(),
        opposed={},
        identities=Identities(),
        proposed=(),
        guarded={},
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def outcome(kind: ObligationKind, seen: View, **changes: object) -> ObligationOutcome:
    return DISCHARGES[kind](seen, replace(Obligation(kind), **changes))  # type: ignore[arg-type]


def test_every_kind_has_its_discharge_and_every_shipped_profile_runs() -> None:
    assert set(DISCHARGES) == set(ObligationKind)
    for profile in SHIPPED:
        found = discharged(profile, view(result("a")))
        assert [one.kind for one in found] == [one.kind for one in profile.obligations]
        assert profile.summary.endswith(".")


def test_support_is_open_where_a_result_lacks_what_it_needs() -> None:
    kind = ObligationKind.SUPPORT
    assert outcome(kind, view(result("a"))).status is ObligationStatus.SATISFIED
    bound = result("b", closure=SupportClosure.RESOURCE_LIMITED)
    assert outcome(kind, view(bound)).status is ObligationStatus.RESOURCE_LIMITED
    both = outcome(kind, view(bound, result("c", closure=SupportClosure.PARTIAL, unmet=2)))
    assert both.status is ObligationStatus.PARTIAL
    assert {gap.ref for gap in both.gaps} == {"kb:b", "kb:c"}
    assert both.open


def test_what_was_not_closed_over_is_not_counted_as_closed() -> None:
    found = outcome(ObligationKind.SUPPORT, view(result("a", closure=SupportClosure.NOT_REQUESTED)))
    assert found.note == "0 results closed"


def test_defeaters_that_were_not_read_are_gaps() -> None:
    kind, ref = ObligationKind.DEFEATER, Ref("kb:a")
    none = outcome(kind, view(result("a")))
    assert none.status is ObligationStatus.EXHAUSTED_NO_HIT
    assert "no relation opposes" in none.note
    some = outcome(kind, view(result("a"), opposed={ref: Opposed((Ref("kb:d"),), barred=1)}))
    assert some.status is ObligationStatus.SATISFIED
    assert "1 more are not valid now or out of scope" in some.note
    many = outcome(kind, view(result("a"), opposed={ref: Opposed((Ref("kb:d"),), unread=40)}))
    assert many.status is ObligationStatus.RESOURCE_LIMITED
    assert many.gaps[0].ref == ref
    assert "40 records" in many.gaps[0].what


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("ok", ObligationStatus.EXHAUSTED_NO_HIT),
        ("cancelled", ObligationStatus.CANCELLED),
        ("unavailable", ObligationStatus.UNAVAILABLE),
        ("timed_out", ObligationStatus.PARTIAL),
    ],
)
def test_opposition_that_found_nothing_never_says_that_there_is_none(state: str, status: ObligationStatus) -> None:
    lanes = {OPPOSING: LaneOutcome(OPPOSING, state)}
    found = outcome(ObligationKind.OPPOSITION, view(result("a"), lanes=lanes), lanes=(OPPOSING,))
    assert found.status is status
    words = " ".join([found.note, *(f"{gap.what} {gap.fill}" for gap in found.gaps)])
    assert "no defeater" not in words
    assert "exists" not in words


def test_opposition_is_met_by_candidates_in_the_window() -> None:
    lanes = {OPPOSING: LaneOutcome(OPPOSING, "ok", hits=3)}
    ranked = (result("a"), result("b", lanes=("lexical", OPPOSING)))
    found = outcome(ObligationKind.OPPOSITION, view(*ranked, lanes=lanes), lanes=(OPPOSING,))
    assert found.status is ObligationStatus.SATISFIED
    assert found.spent == 3
    behind = outcome(ObligationKind.OPPOSITION, view(*ranked, lanes=lanes), lanes=(OPPOSING,), results=1)
    assert behind.status is ObligationStatus.EXHAUSTED_NO_HIT


def test_what_opposes_records_that_are_no_results_is_not_counted() -> None:
    lanes = {OPPOSING: LaneOutcome(OPPOSING, "ok")}
    seen = view(result("a"), lanes=lanes, opposed={Ref("kb:held"): Opposed((Ref("kb:d"),))})
    found = outcome(ObligationKind.OPPOSITION, seen, lanes=(OPPOSING,))
    assert found.status is ObligationStatus.EXHAUSTED_NO_HIT


def test_stale_text_is_no_current_evidence_whatever_its_score() -> None:
    kind = ObligationKind.FRESHNESS
    stale = result("a", freshness=Freshness.STALE, relevance=1.0)
    found = outcome(kind, view(stale), current_only=True)
    assert found.status is ObligationStatus.UNSATISFIED
    assert found.note.startswith("no current evidence")
    assert found.open
    current = result("b", freshness=Freshness.CURRENT)
    assert outcome(kind, view(current), current_only=True).status is ObligationStatus.SATISFIED
    assert outcome(kind, view(current, stale), current_only=True).status is ObligationStatus.PARTIAL
    assert outcome(kind, view(result("c"))).gaps[0].what == "not known to be current"


def test_pairs_that_may_be_one_are_proposed_and_not_merged() -> None:
    pair = (Ref("kb:a"), Ref("kb:b"))
    kind = ObligationKind.IDENTITY
    assert outcome(kind, view(proposed=(pair,))).status is ObligationStatus.PARTIAL
    assert outcome(kind, view(identities=Identities(groups=(pair,)))).status is ObligationStatus.SATISFIED
    assert outcome(kind, view(identities=Identities(bounded=True))).status is ObligationStatus.RESOURCE_LIMITED


def test_mirrors_are_one_origin() -> None:
    kind = ObligationKind.INDEPENDENT_ORIGIN
    mirrors = [result(f"m{at}", origin="wire") for at in range(10)]
    found = outcome(kind, view(*mirrors), least=2)
    assert found.status is ObligationStatus.UNSATISFIED
    assert found.note == "10 results of 1 origins"
    assert outcome(kind, view(*mirrors, result("own")), least=2).status is ObligationStatus.SATISFIED


def test_origins_that_were_not_all_read_are_not_taken_for_independent() -> None:
    two = (result("a"), result("b"))
    found = outcome(ObligationKind.INDEPENDENT_ORIGIN, view(*two, origins_bounded=True), least=2)
    assert found.status is ObligationStatus.RESOURCE_LIMITED
    assert found.open
    few = outcome(ObligationKind.INDEPENDENT_ORIGIN, view(*two, origins_bounded=True), least=3)
    assert few.status is ObligationStatus.UNSATISFIED


def test_a_lane_that_did_not_search_leaves_the_scope_partial() -> None:
    kind = ObligationKind.SCOPE
    assert outcome(kind, view(result("a"))).status is ObligationStatus.SATISFIED
    down = {"vector": LaneOutcome("vector", "unavailable", note="its index is gone")}
    found = outcome(kind, view(result("a"), lanes=down, unsearched=5))
    assert found.status is ObligationStatus.PARTIAL
    assert found.gap_count == 2


def test_all_that_matched_being_expired_is_said() -> None:
    kind = ObligationKind.TEMPORAL_VALIDITY
    found = outcome(kind, view(rejected={"expired": 2}))
    assert found.status is ObligationStatus.UNSATISFIED
    assert outcome(kind, view(result("a"), rejected={"expired": 2})).status is ObligationStatus.SATISFIED


def test_guards_of_results_meet_exceptions() -> None:
    kind = ObligationKind.EXCEPTION
    assert outcome(kind, view(result("a"))).status is ObligationStatus.EXHAUSTED_NO_HIT
    guarded = {Ref("kb:a"): (Ref("kb:g"),)}
    assert outcome(kind, view(result("a"), guarded=guarded)).status is ObligationStatus.SATISFIED


def test_named_things_that_do_not_occur_are_gaps() -> None:
    kind = ObligationKind.DEFINITION
    found = outcome(kind, view(entities=(Entity("Redis", found=False), Entity("lease", found=True))))
    assert found.status is ObligationStatus.PARTIAL
    assert "'Redis'" in found.gaps[0].what
    assert outcome(kind, view(entities=(Entity("Redis", found=False),))).status is ObligationStatus.UNSATISFIED


def test_many_gaps_are_counted_and_the_first_are_named() -> None:
    missing = tuple(Entity(f"name{at}", found=False) for at in range(30))
    found = outcome(ObligationKind.DEFINITION, view(entities=missing))
    assert found.gap_count == 30
    assert len(found.gaps) == 8


def test_a_name_of_a_shipped_profile_cannot_be_taken() -> None:
    with pytest.raises(ValueError, match=r"profiles\.default"):
        profiles([AttentionProfile("default", 9, "Mine.", ())])
    own = AttentionProfile("mine", 1, "Mine.", (Obligation(ObligationKind.SUPPORT),))
    assert profiles([own])["mine"].label == "mine-1"


def test_what_cannot_be_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="listed twice"):
        AttentionProfile("mine", 1, "Mine.", (Obligation(ObligationKind.SCOPE), Obligation(ObligationKind.SCOPE)))
    with pytest.raises(ValueError, match="results"):
        Obligation(ObligationKind.SCOPE, results=0)
    with pytest.raises(ValueError, match="lower-case"):
        AttentionProfile("Mine", 1, "Mine.", ())


@pytest.mark.parametrize(
    ("origins", "status", "degraded", "said"),
    [
        (None, ObligationStatus.SATISFIED, False, Robustness.NOT_REQUESTED),
        (False, ObligationStatus.SATISFIED, False, Robustness.NOT_REQUESTED),
        (True, ObligationStatus.SATISFIED, False, Robustness.RESOURCE_LIMITED),
        (True, ObligationStatus.SATISFIED, True, Robustness.DEGRADED),
        (True, ObligationStatus.PARTIAL, False, Robustness.DEGRADED),
    ],
)
def test_the_most_that_is_said_of_robustness(
    origins: bool | None, status: ObligationStatus, degraded: bool, said: Robustness
) -> None:
    found = [ObligationOutcome(ObligationKind.OPPOSITION, status, required=True)]
    if origins is not None:
        found.append(ObligationOutcome(ObligationKind.INDEPENDENT_ORIGIN, ObligationStatus.SATISFIED, required=origins))
    assert robustness(found, degraded=degraded) is said


def test_a_lane_that_knows_no_scope_satisfies_nothing_within_it() -> None:
    blind = LaneOutcome("opposing", "ok", hits=2, filtering=Translation.UNSUPPORTED)
    found = outcome(ObligationKind.OPPOSITION, view(result("a"), lanes={"opposing": blind}), lanes=("opposing",))
    assert found.status is ObligationStatus.UNSATISFIED
    assert found.gaps
