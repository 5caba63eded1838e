"""The receipt tree of one Focus: what was decided, from which numbers, because of what."""

from __future__ import annotations

from collections.abc import Sequence

from workingset.budget import Ledger, OverBudget
from workingset.candidate import Projection
from workingset.drift import Drift
from workingset.receipt import Node
from workingset.remainder import Ignored
from workingset.sufficiency import Sufficiency
from workingset.tier import Move
from workingset.working_set import WorkingSet


def focus_receipt(
    state: WorkingSet,
    projection: Projection,
    spent: Ledger,
    moves: Sequence[Move],
    before: WorkingSet,
    ignored: Ignored,
    sufficiency: Sufficiency,
    drift: Drift,
    over: OverBudget | None,
) -> Node:
    """Return the tree. It holds refs, digests and numbers, and of texts only the goal."""
    answer = "over_budget" if over else "ok"
    because = f"{over.needed} tokens cannot be left out" if over else f"{spent.used} of {spent.ceiling} tokens"
    return Node(
        "focus",
        answer,
        because,
        (
            Node("agent", state.agent, "", (Node("epoch", state.epoch), Node("turn", state.turn))),
            Node("goal", projection.goal.text, "the host's words"),
            _cut(projection),
            _lanes(projection),
            *_owed(projection),
            *_architecture(projection),
            _drift(drift),
            _budget(spent, over),
            _moves("moves between turns", before.between, before.between_dropped),
            _moves("moves", moves),
            _entries(state),
            Node("ignored", ignored.count, "upper bound", tuple(Node(r, n) for r, n in ignored.reasons)),
            _sufficiency(sufficiency),
            Node("model_calls", projection.model_calls, "no generative model exists here"),
            Node("embedding_calls", projection.embedding_calls),
        ),
    )


def _moves(what: str, moves: Sequence[Move], unnamed: int = 0) -> Node:
    because = f"the {unnamed} oldest are not named" if unnamed else ""
    named = tuple(Node(m.ref, f"{m.origin.value}>{m.target.value}", m.reason) for m in moves)
    return Node(what, len(moves) + unnamed, because, named)


def _cut(projection: Projection) -> Node:
    return Node("cut", "", "read at", tuple(Node(ns, gen) for ns, gen in projection.cut.generations))


def _lanes(projection: Projection) -> Node:
    lanes = tuple(
        Node(
            lane.lane,
            lane.state,
            lane.note,
            (
                Node("hits", lane.hits),
                Node("covered", lane.covered),
                Node("lag", lane.lag),
                Node("filtering", lane.filtering.value, "of the scope"),
            ),
        )
        for lane in projection.lanes
    )
    rejected = tuple(Node(f"rejected {reason}", count) for reason, count in projection.rejected)
    apart = projection.disagreement
    told = () if apart is None else (Node("disagreement", apart, "best of words and of likeness that only one has"),)
    return Node("search", len(projection.ranked), projection.fusion, (*lanes, *told, *rejected))


def _owed(projection: Projection) -> tuple[Node, ...]:
    """What was owed and what became of it; nothing where the projection was made without a profile."""
    if not projection.profile:
        return ()
    outcomes = tuple(
        Node(
            outcome.kind.value,
            outcome.status.value,
            outcome.note,
            (
                Node("required", outcome.required),
                Node("lanes", " ".join(outcome.lanes)),
                Node("spent", outcome.spent, f"of {outcome.budget}"),
                Node("gaps", outcome.gap_count, "", tuple(Node(g.ref or "gap", g.what, g.fill) for g in outcome.gaps)),
            ),
        )
        for outcome in projection.obligations
    )
    coverage = Node("opposition_coverage", projection.opposition.value, "how it was looked for, not what there is")
    checked = Node("robustness", projection.robustness.value, "how far planted text was looked for, not what there is")
    return (Node("obligations", projection.profile, "", (*outcomes, coverage, checked)),)


def _architecture(projection: Projection) -> tuple[Node, ...]:
    found = projection.architecture
    if found is None:
        return ()
    counts = tuple(Node(verdict, count) for verdict, count in found.counts)
    eroded = tuple(Node(ref, "erosion", because) for ref, because in found.eroded)
    wrong = tuple(Node("missing", pattern) for pattern in found.missing) + tuple(
        Node("manifest", error, "not heeded") for error in found.errors
    )
    return (Node("architecture", len(found.eroded), "a nudge between near ties", (*counts, *eroded, *wrong)),)


def _drift(drift: Drift) -> Node:
    signals = tuple(
        Node(s.name, s.value, f"threshold {s.threshold}" if s.measured else "not measured") for s in drift.signals
    )
    stale = tuple(Node(f"stale {s.ref}", s.what, f"{s.admitted_generation} to {s.generation}") for s in drift.stale)
    held = (Node("held", drift.held.value),) if drift.held else ()
    return Node("drift", drift.verdict.value, "" if drift.calibrated else "uncalibrated", (*held, *signals, *stale))


def _budget(spent: Ledger, over: OverBudget | None) -> Node:
    parts = (
        Node("used", spent.used, "counted over the whole block"),
        Node("pinned", spent.pinned),
        Node("mandatory", spent.mandatory),
        Node("resident", spent.resident),
        Node("frontier", spent.frontier),
    )
    if over is None:
        return Node("budget", spent.ceiling, "", parts)
    offenders = tuple(Node(o.ref, o.tokens, o.tier.value) for o in over.offenders)
    return Node(
        "budget", spent.ceiling, "", (*parts, Node("offenders", len(offenders), "cannot be left out", offenders))
    )


def _entries(state: WorkingSet) -> Node:
    return Node(
        "entries",
        len(state.entries),
        "",
        tuple(
            Node(
                e.ref,
                f"{e.tier.value}/{e.fidelity.value}",
                e.reason,
                (Node("digest", e.digest), Node("tokens", e.tokens), Node("closure", e.closure.value)),
            )
            for e in state.entries
        ),
    )


def _sufficiency(sufficiency: Sufficiency) -> Node:
    parts = (
        Node("captured", sufficiency.captured),
        Node("marginal", sufficiency.marginal),
        Node("top_relevance", sufficiency.top_relevance),
        *(Node("open", what) for what in sufficiency.open_obligations),
    )
    return Node("sufficiency", sufficiency.state.value, sufficiency.cause, parts)
