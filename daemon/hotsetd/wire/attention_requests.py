"""What every request of the Attention service says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

from hotset.v1 import attention_pb2 as pb
from hotsetd.calls import (
    AgentCall,
    CommitCall,
    FocusCall,
    HintsCall,
    ObservationCall,
    ObservationKind,
    PinCall,
    RefsCall,
    ResetCall,
    ResolveCall,
    SuccessorCall,
    TouchCall,
    UseCall,
)
from hotsetd.wire import common
from retrieval.errors import BadField
from workingset.entry import PinOwner
from workingset.transitions.touch import Action

T = TypeVar("T")
NumberT = TypeVar("NumberT", bound=int)
NumberT_contra = TypeVar("NumberT_contra", bound=int, contravariant=True)
_ACTIONS: dict[pb.UseAction.ValueType, Action] = {
    pb.USE_ACTION_UNSPECIFIED: Action.READ,
    pb.USE_ACTION_READ: Action.READ,
    pb.USE_ACTION_EDIT: Action.EDIT,
    pb.USE_ACTION_CITE: Action.CITE,
}
_MODES: dict[pb.FocusMode.ValueType, str] = {
    pb.FOCUS_MODE_UNSPECIFIED: "set",
    pb.FOCUS_MODE_SET: "set",
    pb.FOCUS_MODE_CHECK: "check",
    pb.FOCUS_MODE_STATUS: "status",
}
_OBSERVATION_KINDS: dict[pb.ObservationKind.ValueType, ObservationKind] = {
    pb.OBSERVATION_KIND_USER: ObservationKind.USER,
    pb.OBSERVATION_KIND_AGENT: ObservationKind.AGENT,
    pb.OBSERVATION_KIND_TOOL_CALL: ObservationKind.TOOL_CALL,
    pb.OBSERVATION_KIND_TOOL_OUTPUT: ObservationKind.TOOL_OUTPUT,
}
_PAGE_IN: dict[pb.PageIn.ValueType, bool] = {
    pb.PAGE_IN_UNSPECIFIED: True,
    pb.PAGE_IN_ON: True,
    pb.PAGE_IN_OFF: False,
}
_PINNERS: dict[pb.PinOwner.ValueType, PinOwner] = {
    pb.PIN_OWNER_UNSPECIFIED: PinOwner.HOST,
    pb.PIN_OWNER_HOST: PinOwner.HOST,
    pb.PIN_OWNER_AGENT: PinOwner.AGENT,
}

_SECONDS_A_CALENDAR_HOLDS = 253_402_300_799
"""Cited: the Unix time of the last second of the year 9999 (ISO 8601). Sums of two such fit the wire's int64."""


class _Names(Protocol[NumberT_contra]):
    def Name(self, number: NumberT_contra) -> str: ...  # noqa: N802  # as protobuf has it


def check_mode(mode: pb.FocusMode.ValueType) -> None:
    """Refuse a mode that this version does not know: it may have been meant to be read-only."""
    _known(pb.FocusMode, _MODES, mode, "mode")


def focus_call(request: pb.FocusRequest) -> FocusCall:
    """What Focus asks. Where it does not say, results of the goal may enter the block."""
    return FocusCall(
        agent=request.agent,
        goal=request.goal,
        budget_tokens=request.budget_tokens,
        namespaces=tuple(request.namespaces),
        top_k=request.top_k,
        profile=request.profile,
        request_id=request.request_id,
        at_least_generation=request.at_least_generation,
        received_turn=request.received_turn,
        user_request=request.user_request,
        page_in=_known(pb.PageIn, _PAGE_IN, request.page_in, "page_in"),
        hints=_hints(request.hints),
    )


def _hints(hints: pb.Hints) -> HintsCall:
    return HintsCall(
        changed=tuple(hints.changed_paths),
        open=tuple(hints.open_paths),
        read=tuple(hints.read_paths),
        diff=hints.diff,
        branch_commits=tuple(CommitCall(commit.message, tuple(commit.paths)) for commit in hints.branch_commits),
    )


def check_call(request: pb.CheckRequest) -> FocusCall:
    """What Check asks."""
    return FocusCall(
        agent=request.agent,
        goal=request.goal,
        budget_tokens=request.budget_tokens,
        namespaces=tuple(request.namespaces),
        top_k=request.top_k,
        profile=request.profile,
    )


def touch_call(request: pb.TouchRequest) -> TouchCall:
    """What Touch reports. An unspecified action is a read; an observation must say whose words it holds."""
    return TouchCall(
        agent=request.agent,
        uses=tuple(_use(use, f"uses[{place}]") for place, use in enumerate(request.uses)),
        request_id=request.request_id,
        observed=tuple(_observation(seen, f"observed[{place}]") for place, seen in enumerate(request.observed)),
        keep_history=request.keep_history,
    )


def _use(use: pb.Use, field: str) -> UseCall:
    return UseCall(
        ref=use.ref,
        namespace=use.namespace,
        path=use.path,
        start_line=use.lines.start,
        end_line=use.lines.end,
        action=_known(pb.UseAction, _ACTIONS, use.action, f"{field}.action"),
    )


def _observation(seen: pb.Observation, field: str) -> ObservationCall:
    return ObservationCall(
        kind=_known(pb.ObservationKind, _OBSERVATION_KINDS, seen.kind, f"{field}.kind"), text=seen.text, tool=seen.tool
    )


def pin_call(request: pb.PinRequest) -> PinCall:
    """What Pin asks. An unspecified owner is the host."""
    return PinCall(
        agent=request.agent,
        ref=request.ref,
        text=request.text,
        reason=request.reason,
        expires_turns=request.expires_turns,
        owner=_known(pb.PinOwner, _PINNERS, request.owner, "owner"),
        request_id=request.request_id,
        expires_with_epoch=request.expires_with_epoch,
        expires_seconds=_seconds("expires_seconds", request.expires_seconds),
        follow_successor=request.follow_successor,
    )


def unpin_call(request: pb.UnpinRequest) -> RefsCall:
    """What Unpin asks."""
    return RefsCall(agent=request.agent, refs=(request.ref,), request_id=request.request_id)


def evict_call(request: pb.EvictRequest) -> RefsCall:
    """What Evict asks."""
    return RefsCall(agent=request.agent, refs=tuple(request.refs), reason=request.reason, request_id=request.request_id)


def reset_call(request: pb.ResetContextRequest) -> ResetCall:
    """What ResetContext asks."""
    return ResetCall(agent=request.agent, request_id=request.request_id, reason=request.reason)


def undo_call(request: pb.UndoRefocusRequest) -> AgentCall:
    """What UndoRefocus asks."""
    return AgentCall(agent=request.agent, request_id=request.request_id)


def close_call(request: pb.CloseRequestRequest) -> AgentCall:
    """What CloseRequest asks."""
    return AgentCall(agent=request.agent, request_id=request.request_id)


def fork_call(request: pb.ForkRequest) -> SuccessorCall:
    """What Fork asks."""
    return SuccessorCall(agent=request.agent, other=request.child, request_id=request.request_id)


def handoff_call(request: pb.HandoffRequest) -> SuccessorCall:
    """What Handoff asks."""
    return SuccessorCall(agent=request.agent, other=request.to, request_id=request.request_id)


def resolve_call(request: pb.ResolveRequest) -> ResolveCall:
    """What Resolve asks."""
    return ResolveCall(
        refs=tuple(request.refs),
        agent=request.agent,
        cut=common.cut_of(request.cut),
        offset_bytes=request.offset_bytes,
        max_bytes=request.max_bytes,
    )


def _seconds(field: str, value: int) -> int:
    if value > _SECONDS_A_CALENDAR_HOLDS:
        raise BadField(field, f"is {value}, past every calendar: leave it out where time shall not end the pin")
    return value


def _known(names: _Names[NumberT], table: Mapping[NumberT, T], value: NumberT, field: str) -> T:
    if value not in table:
        choices = ", ".join(names.Name(number) for number in table if number)
        raise BadField(field, f"{value} is not a value that a caller may send: send one of {choices}")
    return table[value]
