"""Answers of the worked example, as values: three turns of one agent over a shop's code."""

from __future__ import annotations

from dataclasses import replace

from hotset import types as t

CUT = t.Cut((t.NamespaceGeneration("acme/shop", 119),))
VERSIONS = t.Versions("0.1.0", "hotset.v1", "default", "1", "uncalibrated", "o200k", "minilm-int8")


def item(name: str, tier: t.Tier, fidelity: t.Fidelity, tokens: int, heat: float, **more: object) -> t.Item:
    fields: dict[str, object] = {
        "ref": f"acme/shop:{name}",
        "namespace": "acme/shop",
        "kind": "function",
        "title": name,
        "path": f"shop/{name}.py",
        "lines": t.Lines(10, 48),
        "tier": tier,
        "fidelity": fidelity,
        "tokens": tokens,
        "heat": heat,
        "relevance": 0.7,
        "reason": "goal_match",
        "generation": 118,
        "digest": "d",
        "standing": t.Standing.CURRENT,
        "successor": "",
        "freshness": t.Freshness.CURRENT,
        "required_by": (),
        "closure": t.SupportClosure.CLOSED,
        "lanes": ("lexical",),
        "admitted_turn": 1,
        "segment": t.Segment(0, 100, "s"),
    }
    return t.Item(**(fields | more))  # type: ignore[arg-type]


ITEMS = (
    item(
        "goal", t.Tier.PINNED, t.Fidelity.FULL, 31, 1.0, title="Refunds are sometimes issued twice", path="", lines=None
    ),
    item(
        "refunds-are-idempotent",
        t.Tier.MANDATORY,
        t.Fidelity.FULL,
        96,
        0.4,
        kind="rule",
        path="",
        lines=None,
        required_by=("acme/shop:issue_refund",),
    ),
    item("issue_refund", t.Tier.RESIDENT, t.Fidelity.FULL, 410, 0.9),
    item("retry_policy", t.Tier.RESIDENT, t.Fidelity.OUTLINE, 120, 0.3),
    item(
        "[bold]a title with markup[/bold] \x1b[31mand a control\x07",
        t.Tier.FRONTIER_ONLY,
        t.Fidelity.REFERENCE,
        15,
        0.0,
    ),
)

IGNORED = t.Ignored(
    count=31,
    reasons=(t.ReasonCount("budget", 27), t.ReasonCount("duplicate_origin", 4)),
    best=(
        t.Omission("acme/shop:provider_timeout", "budget", 0.41, "provider_timeout"),
        t.Omission("acme/shop:退款", "budget", 0.39, "退款处理 (CJK)"),
    ),
    truncated=True,
    near_misses=3,
    reduced=3,
)

SUFFICIENCY = t.Sufficiency(
    t.SufficiencyState.GATHERING,
    "strong_candidate_left_out",
    0.83,
    0.74,
    0.41,
    True,
    ("premise of issue_refund",),
    False,
    0.61,
)

DRIFT = t.Drift(
    t.DriftVerdict.REFOCUS,
    (
        t.Signal("goal_distance", 0.81, 0.5, True),
        t.Signal("mass_kept", 0.06, 0.3, True),
        t.Signal("scope_shift", 0, 0.5, False),
    ),
    (t.StaleEntry("acme/shop:issue_refund", 118, 119, "changed"),),
    False,
)

COVERAGE = t.Coverage(
    t.SupportClosure.CLOSED,
    t.SearchCoverage.APPROXIMATE,
    t.OppositionCoverage.NOT_REQUESTED,
    t.Freshness.CURRENT,
    (
        t.LaneReport("exact", t.LaneState.OK, 3, 1.0, 0, t.SearchCoverage.EXHAUSTIVE_FOR_DECLARED_FRAGMENT, "", False),
        t.LaneReport("vector", t.LaneState.PARTIAL, 9, 0.61, 40, t.SearchCoverage.APPROXIMATE, "embedding on", False),
    ),
    (t.ReasonCount("gone_at_the_cut", 2), t.ReasonCount("out_of_scope", 1)),
    (t.Entity("refund", True), t.Entity("frobnicate", False)),
    240,
    231,
    "contested_claims-1",
    (
        t.Obligation(t.ObligationKind.SUPPORT, t.ObligationStatus.SATISFIED, True, "", (), 12, 64, "12 closed", (), 0),
        t.Obligation(
            t.ObligationKind.OPPOSITION,
            t.ObligationStatus.CANCELLED,
            True,
            "",
            ("opposing",),
            0,
            256,
            "0 by relation, 0 candidates by search among the first 20",
            (t.Gap("the lane opposing did not search fully", "ask again", ""),),
            1,
        ),
    ),
    (t.Opposed("acme/shop:issue_refund", ("acme/shop:refunds-may-repeat",)),),
    t.Architecture(
        (t.ReasonCount("erosion", 1), t.ReasonCount("bedrock", 7)),
        ("acme/shop: docs/adr/*.md",),
        (),
        (t.Erosion("acme/shop:issue_refund", "imports shop/web.py: the layer core/** may not import web/**"),),
    ),
)

BUDGET = t.Budget(4000, 3962, 31, 96, 3655, 180, False)

MOVES = (
    t.Move("acme/shop:issue_refund", t.Tier.UNSPECIFIED, t.Tier.RESIDENT, "goal_match", "issue_refund"),
    t.Move("acme/shop:x", t.Tier.EVICTED, t.Tier.MANDATORY, "premise_of issue_refund", "refunds-are-idempotent"),
    t.Move("acme/shop:y", t.Tier.FRONTIER_ONLY, t.Tier.RESIDENT, "used_by_agent", "retry_policy"),
    t.Move("acme/shop:z", t.Tier.RESIDENT, t.Tier.FRONTIER_ONLY, "cooled", "nightly_export"),
    t.Move("acme/shop:w", t.Tier.RESIDENT, t.Tier.EVICTED, "pressure", "invoice_layout"),
)

PIN_REPORTS = (
    t.PinReport("acme/shop:old_rule", t.Standing.SUPERSEDED, "acme/shop:new_rule", "pin the successor", ""),
    t.PinReport(
        ref="acme/shop:old_limit",
        standing=t.Standing.SUPERSEDED,
        successor="acme/shop:new_limit",
        what_to_do="nothing: the pin follows",
        replaced_by="acme/shop:new_limit",
    ),
)

FOCUS = t.FocusAnswer(
    agent="dev-7",
    epoch=1,
    turn=3,
    answer=t.Answer.OK,
    items=ITEMS,
    block="[goal] Refunds are sometimes issued twice\n",
    delta=t.Delta((t.DeltaEntry("acme/shop:w", t.Change.REMOVED, t.Tier.EVICTED, t.Fidelity.FULL, ""),), 640),
    ignored=IGNORED,
    sufficiency=SUFFICIENCY,
    drift=DRIFT,
    coverage=COVERAGE,
    budget=BUDGET,
    over_budget=None,
    moves=MOVES,
    filtering_reason=None,
    degraded=True,
    receipt="r-000003",
    receipt_digest="digest",
    cut=CUT,
    versions=VERSIONS,
    model_calls=0,
    embedding_calls=1,
    check=None,
    status=None,
    replayed=False,
    prefix_stable=0.91,
    pin_reports=PIN_REPORTS,
    steps=(t.Step("lanes", 3.25), t.Step("packing", 1.5)),
    undo_offered=True,
)

OVER_BUDGET = t.OverBudget(
    5200,
    (
        t.Offender("acme/shop:card-rule", t.Tier.PINNED, 5000, "never log card numbers"),
        t.Offender("acme/shop:premise", t.Tier.MANDATORY, 200, "a premise"),
    ),
)


def pin(name: str, owner: t.PinOwner, reason: str, title: str, **more: object) -> t.Pin:
    fields: dict[str, object] = {
        "ref": f"acme/shop:{name}",
        "owner": owner,
        "reason": reason,
        "expires_turn": 0,
        "pinned_turn": 1,
        "title": title,
        "tokens": 40,
        "expires_with_epoch": False,
        "expires_at_seconds": 0,
        "follow_successor": False,
    }
    return t.Pin(**(fields | more))  # type: ignore[arg-type]


PIN = pin("card-rule", t.PinOwner.HOST, "compliance", "never log card numbers")
PINS = (
    PIN,
    pin("goal", t.PinOwner.GOAL, "the goal of the turn", "goal", tokens=31),
    pin("request", t.PinOwner.REQUEST, "what the user asked", "the nightly export takes hours"),
    pin("limit", t.PinOwner.HOST, "law", "limits", expires_with_epoch=True, follow_successor=True),
    pin("plan", t.PinOwner.AGENT, "my plan", "plan", expires_turn=9, expires_at_seconds=1_800_000_000),
)

STATUS = t.StatusAnswer(
    agent="dev-7",
    epoch=1,
    turn=3,
    goal="Why is the nightly export of invoices slow?",
    items=ITEMS * 4,
    pins=PINS,
    ghosts=tuple(t.Ghost(f"acme/shop:g{n}", n, "pressure", 0.1, f"ghost {n}") for n in range(7)),
    ghost_count=23,
    budget=BUDGET,
    drift=DRIFT,
    faults=t.Faults(2, 1, 1, 0),
    cut=CUT,
    versions=VERSIONS,
    model_calls=0,
    state_digest="state",
    last_receipt="r-000003",
    user_request="The nightly export takes hours: make it [bold]fast[/bold]\x1b[31m.",
    lineage=("dev-6", "planner"),
    undo_offered=True,
    reset_reason="compacted at 180k tokens",
)

CHECK = t.CheckAnswer(
    agent="dev-7",
    turn=3,
    answer=t.Answer.OK,
    sufficiency=SUFFICIENCY,
    ignored=IGNORED,
    drift=DRIFT,
    coverage=COVERAGE,
    over_budget=None,
    filtering_reason=t.Nothing.NOT_INDEXED,
    degraded=False,
    cut=CUT,
    versions=VERSIONS,
    model_calls=0,
    embedding_calls=1,
    pin_reports=(),
)

USES = (
    t.Use(namespace="acme/shop", path="shop/retry_policy.py", lines=t.Lines(10, 48)),
    t.Use(ref="acme/shop:issue_refund", action=t.UseAction.EDIT),
    t.Use(namespace="acme/shop", path="no/such.py"),
)

TOUCH = t.TouchAnswer(
    agent="dev-7",
    turn=3,
    touched=(
        t.Touched(0, ("acme/shop:retry_policy",), True, ("acme/shop:retry_policy",)),
        t.Touched(1, ("acme/shop:issue_refund",), False, ()),
    ),
    unmatched=(2,),
    moves=MOVES[2:3],
    faults=t.Faults(2, 1, 1, 0),
    versions=VERSIONS,
    model_calls=0,
    replayed=False,
    observed=(),
    kept=(),
    passed_over=(),
)

SEEN = t.TouchAnswer(
    agent="dev-7",
    turn=3,
    touched=(),
    unmatched=(),
    moves=MOVES[2:3],
    faults=t.Faults(4, 2, 2, 0),
    versions=VERSIONS,
    model_calls=0,
    replayed=False,
    observed=(
        t.ObservedUse(0, ("acme/shop:issue_refund",), t.UseAction.READ, "issue_refund", False, ()),
        t.ObservedUse(
            1,
            ("acme/shop:y", "acme/shop:z"),
            t.UseAction.EDIT,
            "shop/retry_policy.py:10-48\x1b[31m",
            True,
            ("acme/shop:y",),
        ),
    ),
    kept=("agent.dev-7:turn-3-1", "agent.dev-7:turn-3-2"),
    passed_over=(t.ReasonCount("ambiguous_path", 1), t.ReasonCount("no_record", 3)),
)
NOTHING_SEEN = replace(SEEN, moves=(), observed=(), kept=())

CLOSED = t.CloseAnswer(
    agent="dev-7",
    user_request="The nightly export takes hours",
    moves=(
        t.Move(
            "request:1",
            t.Tier.MANDATORY,
            t.Tier.EVICTED,
            "the user's request was closed",
            "The nightly export takes hours",
        ),
    ),
    versions=VERSIONS,
    replayed=False,
)
FORKED = t.ForkAnswer("dev-7", "dev-7/tests", 3, 20, VERSIONS, False)
HANDED = t.HandoffAnswer("dev-7", "reviewer", 3, 1, VERSIONS, False)
FORGOTTEN = t.ForgetAnswer(
    "dev-7",
    (
        t.Deleted("working_set", 1, 0),
        t.Deleted("receipts", 1_204, 0),
        t.Deleted("records", 18, 0),
        t.Deleted("edges", 0, 0),
    ),
    True,
    VERSIONS,
)
UNKNOWN = replace(FORGOTTEN, agent="dev-9", deleted=FORGOTTEN.deleted[-1:])
LEFT = replace(FORGOTTEN, deleted=(*FORGOTTEN.deleted, t.Deleted("answers", 7, 2)), verified=False)

_DIGESTS = ("9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be")
RECEIPT = t.ReceiptNode(
    "focus",
    "ok",
    "3,912 of 4,000 tokens",
    (
        t.ReceiptNode("goal", "fix the refunds of \x1b[31morders\x1b[0m", "the host's words", ()),
        t.ReceiptNode("cut", "", "read at", (t.ReceiptNode("acme/shop", 118, "", ()),)),
        t.ReceiptNode(
            "search", 20, "rrf", (t.ReceiptNode("lexical", "ok", "", (t.ReceiptNode("covered", 0.9987654, "", ()),)),)
        ),
        t.ReceiptNode("over_budget", False, "", ()),
    ),
)
EXPLAINED = t.ExplainAnswer("dev-7", 3, "dev-7/3", _DIGESTS[0], RECEIPT, True, VERSIONS)
REPLAYED = t.ReplayAnswer(
    agent="dev-7",
    turn=3,
    receipt="dev-7/3",
    verdict=t.ReplayVerdict.EQUAL,
    cut=t.Cut((t.NamespaceGeneration("acme/shop", 118),)),
    receipt_digest_then=_DIGESTS[0],
    receipt_digest_now=_DIGESTS[0],
    state_digest_then=_DIGESTS[1],
    state_digest_now=_DIGESTS[1],
    differences=(),
    versions=VERSIONS,
)
OTHERWISE = replace(
    REPLAYED,
    verdict=t.ReplayVerdict.DIFFERENT,
    receipt_digest_now=_DIGESTS[1],
    differences=("-  'budget'=4000 ''", "+  'budget'=4001 ''"),
)
NOT_COMPARED = replace(REPLAYED, verdict=t.ReplayVerdict.OTHER_CODE, receipt_digest_now="", state_digest_now="")
COLLECTED = t.CollectAnswer(
    (
        t.CollectedNamespace("acme/shop", 118, 100, 0, 12_345, 678, 12_345, 9, ""),
        t.CollectedNamespace("notes", 7, 0, 0, 0, 0, 0, 0, "it is not known which generation is so old"),
    ),
    False,
    VERSIONS,
)

SUMMARY = t.IngestSummary(
    namespace="acme/shop",
    generation=119,
    files_taken=1043,
    files_unchanged=12,
    files_removed=1,
    records_written=18250,
    records_removed=9,
    edges_written=40311,
    skipped=(t.ReasonCount("binary", 4), t.ReasonCount("too_large", 1)),
    problems=(t.FileProblem("shop/broken.py", "syntax_error", "line 3: never closed"),),
    problems_truncated=True,
    elapsed_seconds=12.5,
    stages=(t.StageTime("read", 1.5), t.StageTime("parse", 8.0), t.StageTime("write", 3.0)),
    bytes=12_345_678,
)
