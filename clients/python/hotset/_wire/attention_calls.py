"""Calls of the Attention service."""

from __future__ import annotations

from collections.abc import Iterable

from hotset import types as t
from hotset._wire import evaluation, turns, words, working_set
from hotset._wire.call import Call, call, request_id
from hotset._wire.fields import flag, signed, text, texts, unsigned
from hotset._wire.shared import cut_message
from hotset.errors import BadRequest
from hotset.v1 import attention_pb2 as pb
from hotset.v1 import common_pb2

SERVICE = "/hotset.v1.Attention/"


def focus(
    agent: str,
    goal: str,
    *,
    budget_tokens: int,
    namespaces: Iterable[str],
    mode: t.FocusMode,
    top_k: int,
    delta_only: bool,
    profile: str,
    at_least_generation: int,
    received_turn: int,
    user_request: str,
    page_in: t.PageIn,
    hints: t.Hints | None,
    repeat_id: str | None,
) -> Call[t.FocusAnswer]:
    """Make a Focus; in the reading modes it is repeatable without an id."""
    moves_the_set = mode in {t.FocusMode.SET, t.FocusMode.UNSPECIFIED}
    identity = request_id(repeat_id) if moves_the_set else ""
    request = pb.FocusRequest(
        agent=text("agent", agent),
        goal=text("goal", goal),
        budget_tokens=signed("budget_tokens", budget_tokens),
        namespaces=texts("namespaces", namespaces),
        mode=words.FOCUS_MODE.number("mode", mode),
        top_k=signed("top_k", top_k, 32),
        request_id=text("request_id", identity),
        delta_only=flag("delta_only", delta_only),
        profile=text("profile", profile),
        at_least_generation=unsigned("at_least_generation", at_least_generation),
        received_turn=unsigned("received_turn", received_turn),
        user_request=text("user_request", user_request),
        page_in=words.PAGE_IN.number("page_in", page_in),
        hints=None if hints is None else _hints(hints),
    )
    repeatable = bool(identity) or not moves_the_set
    return call(SERVICE + "Focus", request, pb.FocusReply, working_set.focus, repeatable=repeatable)


def _hints(hints: t.Hints) -> pb.Hints:
    if not isinstance(hints, t.Hints):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
        raise BadRequest(
            "hints: must be Hints", reason="BAD_FIELD", field="hints", what_to_do="pass hotset.Hints(changed=[…])"
        )
    return pb.Hints(
        changed_paths=texts("hints.changed", hints.changed),
        open_paths=texts("hints.open", hints.open),
        read_paths=texts("hints.read", hints.read),
        diff=text("hints.diff", hints.diff),
        branch_commits=[
            pb.BranchCommit(
                message=text(f"hints.branch_commits[{place}].message", commit.message),
                paths=texts(f"hints.branch_commits[{place}].paths", commit.paths),
            )
            for place, commit in enumerate(hints.branch_commits)
        ],
    )


def check(
    agent: str, goal: str, *, namespaces: Iterable[str], budget_tokens: int, top_k: int, profile: str
) -> Call[t.CheckAnswer]:
    """Make a Check."""
    request = pb.CheckRequest(
        agent=text("agent", agent),
        goal=text("goal", goal),
        namespaces=texts("namespaces", namespaces),
        budget_tokens=signed("budget_tokens", budget_tokens),
        top_k=signed("top_k", top_k, 32),
        profile=text("profile", profile),
    )
    return call(SERVICE + "Check", request, pb.CheckReply, evaluation.check, repeatable=True)


def status(agent: str) -> Call[t.StatusAnswer]:
    """Make a Status."""
    request = pb.StatusRequest(agent=text("agent", agent))
    return call(SERVICE + "Status", request, pb.StatusReply, working_set.status, repeatable=True)


def touch(
    agent: str,
    uses: Iterable[t.Use],
    *,
    observed: Iterable[t.Observation],
    keep_history: bool,
    repeat_id: str | None,
) -> Call[t.TouchAnswer]:
    """Make a Touch."""
    identity = request_id(repeat_id)
    request = pb.TouchRequest(
        agent=text("agent", agent),
        uses=[_use(f"uses[{place}]", use) for place, use in enumerate(uses)],
        request_id=text("request_id", identity),
        observed=[_observation(f"observed[{place}]", seen) for place, seen in enumerate(observed)],
        keep_history=flag("keep_history", keep_history),
    )
    return call(SERVICE + "Touch", request, pb.TouchReply, turns.touch, repeatable=bool(identity))


def _use(field: str, use: t.Use) -> pb.Use:
    if not isinstance(use, t.Use):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers without a type checker
        raise BadRequest(f"{field}: must be a Use", reason="BAD_FIELD", field=field, what_to_do="pass hotset.Use(…)")
    lines = None
    if use.lines is not None:
        lines = common_pb2.Lines(
            start=unsigned(f"{field}.lines.start", use.lines.start, 32),
            end=unsigned(f"{field}.lines.end", use.lines.end, 32),
        )
    return pb.Use(
        ref=text(f"{field}.ref", use.ref),
        namespace=text(f"{field}.namespace", use.namespace),
        path=text(f"{field}.path", use.path),
        lines=lines,
        action=words.USE_ACTION.number(f"{field}.action", use.action),
    )


def _observation(field: str, seen: t.Observation) -> pb.Observation:
    if not isinstance(seen, t.Observation):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
        raise BadRequest(
            f"{field}: must be an Observation",
            reason="BAD_FIELD",
            field=field,
            what_to_do="pass hotset.Observation(kind, text)",
        )
    return pb.Observation(
        kind=words.OBSERVATION_KIND.number(f"{field}.kind", seen.kind),
        text=text(f"{field}.text", seen.text),
        tool=text(f"{field}.tool", seen.tool),
    )


def resolve(
    refs: Iterable[str], *, agent: str, cut: t.Cut | None, offset_bytes: int, max_bytes: int
) -> Call[t.ResolvePage]:
    """Make a Resolve."""
    request = pb.ResolveRequest(
        refs=texts("refs", refs),
        agent=text("agent", agent),
        cut=cut_message(cut),
        offset_bytes=unsigned("offset_bytes", offset_bytes),
        max_bytes=unsigned("max_bytes", max_bytes),
    )
    return call(SERVICE + "Resolve", request, pb.ResolveReply, turns.resolve, repeatable=True)


def pin(
    agent: str,
    *,
    ref: str,
    words_to_pin: str,
    reason: str,
    expires_turns: int,
    expires_with_epoch: bool,
    expires_seconds: int,
    follow_successor: bool,
    owner: t.PinOwner,
    repeat_id: str | None,
) -> Call[t.PinAnswer]:
    """Make a Pin."""
    identity = request_id(repeat_id)
    request = pb.PinRequest(
        agent=text("agent", agent),
        ref=text("ref", ref),
        text=text("text", words_to_pin),
        reason=text("reason", reason),
        expires_turns=unsigned("expires_turns", expires_turns, 32),
        owner=words.PIN_OWNER.number("owner", owner),
        request_id=text("request_id", identity),
        expires_with_epoch=flag("expires_with_epoch", expires_with_epoch),
        expires_seconds=unsigned("expires_seconds", expires_seconds),
        follow_successor=flag("follow_successor", follow_successor),
    )
    return call(SERVICE + "Pin", request, pb.PinReply, turns.pinned, repeatable=bool(identity))


def unpin(agent: str, ref: str, repeat_id: str | None) -> Call[t.UnpinAnswer]:
    """Make an Unpin."""
    identity = request_id(repeat_id)
    request = pb.UnpinRequest(agent=text("agent", agent), ref=text("ref", ref), request_id=text("request_id", identity))
    return call(SERVICE + "Unpin", request, pb.UnpinReply, turns.unpin, repeatable=bool(identity))


def evict(agent: str, refs: Iterable[str], reason: str, repeat_id: str | None) -> Call[t.EvictAnswer]:
    """Make an Evict."""
    identity = request_id(repeat_id)
    request = pb.EvictRequest(
        agent=text("agent", agent),
        refs=texts("refs", refs),
        reason=text("reason", reason),
        request_id=text("request_id", identity),
    )
    return call(SERVICE + "Evict", request, pb.EvictReply, turns.evict, repeatable=bool(identity))


def reset_context(agent: str, reason: str, repeat_id: str | None) -> Call[t.ResetAnswer]:
    """Make a ResetContext."""
    identity = request_id(repeat_id)
    request = pb.ResetContextRequest(
        agent=text("agent", agent), reason=text("reason", reason), request_id=text("request_id", identity)
    )
    return call(SERVICE + "ResetContext", request, pb.ResetContextReply, turns.reset, repeatable=bool(identity))


def undo_refocus(agent: str, repeat_id: str | None) -> Call[t.UndoAnswer]:
    """Make an UndoRefocus."""
    identity = request_id(repeat_id)
    request = pb.UndoRefocusRequest(agent=text("agent", agent), request_id=text("request_id", identity))
    return call(SERVICE + "UndoRefocus", request, pb.UndoRefocusReply, turns.undo, repeatable=bool(identity))


def close_request(agent: str, repeat_id: str | None) -> Call[t.CloseAnswer]:
    """Make a CloseRequest."""
    identity = request_id(repeat_id)
    request = pb.CloseRequestRequest(agent=text("agent", agent), request_id=text("request_id", identity))
    return call(SERVICE + "CloseRequest", request, pb.CloseRequestReply, turns.close, repeatable=bool(identity))
