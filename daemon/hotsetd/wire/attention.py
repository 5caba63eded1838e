"""The other calls of the Attention service, and what every one of its requests says."""

from __future__ import annotations

from typing import TypeVar

from hotset.v1 import attention_pb2 as pb
from hotset.v1 import common_pb2
from hotsetd.answers import MovesAnswer, PinAnswer, ResetAnswer, ResolveAnswer, TouchAnswer
from hotsetd.calls import FocusCall, PinCall, RefsCall, ResetCall, ResolveCall, TouchCall, UseCall
from hotsetd.wire import common
from hotsetd.wire.focus import faults, move, over_budget, pin_message
from retrieval.errors import BadField
from workingset.entry import PinOwner
from workingset.transitions.touch import Action

T = TypeVar("T")
_ACTIONS: dict[int, Action] = {
    pb.USE_ACTION_UNSPECIFIED: Action.READ,
    pb.USE_ACTION_READ: Action.READ,
    pb.USE_ACTION_EDIT: Action.EDIT,
    pb.USE_ACTION_CITE: Action.CITE,
}
_MODES: dict[int, str] = {
    pb.FOCUS_MODE_UNSPECIFIED: "set",
    pb.FOCUS_MODE_SET: "set",
    pb.FOCUS_MODE_CHECK: "check",
    pb.FOCUS_MODE_STATUS: "status",
}
_PINNERS: dict[int, PinOwner] = {
    pb.PIN_OWNER_UNSPECIFIED: PinOwner.HOST,
    pb.PIN_OWNER_HOST: PinOwner.HOST,
    pb.PIN_OWNER_AGENT: PinOwner.AGENT,
}


def check_mode(mode: int) -> None:
    """Refuse a mode that this version does not know: it may have been meant to be read-only."""
    _known(_MODES, mode, "mode")


def focus_call(request: pb.FocusRequest) -> FocusCall:
    """What Focus asks."""
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
    """What Touch reports. An unspecified action is a read."""
    uses = tuple(
        UseCall(
            ref=use.ref,
            namespace=use.namespace,
            path=use.path,
            start_line=use.lines.start,
            end_line=use.lines.end,
            action=_known(_ACTIONS, use.action, f"uses[{place}].action"),
        )
        for place, use in enumerate(request.uses)
    )
    return TouchCall(agent=request.agent, uses=uses, request_id=request.request_id)


def pin_call(request: pb.PinRequest) -> PinCall:
    """What Pin asks. An unspecified owner is the host."""
    return PinCall(
        agent=request.agent,
        ref=request.ref,
        text=request.text,
        reason=request.reason,
        expires_turns=request.expires_turns,
        owner=_known(_PINNERS, request.owner, "owner"),
        request_id=request.request_id,
    )


def unpin_call(request: pb.UnpinRequest) -> RefsCall:
    """What Unpin asks."""
    return RefsCall(agent=request.agent, refs=(request.ref,), request_id=request.request_id)


def evict_call(request: pb.EvictRequest) -> RefsCall:
    """What Evict asks."""
    return RefsCall(agent=request.agent, refs=tuple(request.refs), reason=request.reason, request_id=request.request_id)


def reset_call(request: pb.ResetContextRequest) -> ResetCall:
    """What ResetContext asks."""
    return ResetCall(agent=request.agent, request_id=request.request_id)


def resolve_call(request: pb.ResolveRequest) -> ResolveCall:
    """What Resolve asks."""
    return ResolveCall(
        refs=tuple(request.refs),
        agent=request.agent,
        cut=common.cut_of(request.cut),
        offset_bytes=request.offset_bytes,
        max_bytes=request.max_bytes,
    )


class AttentionWire:
    """Encodes what the other calls answer."""

    def __init__(self, versions: common.Versions) -> None:
        self._versions = versions

    def touch(self, answer: TouchAnswer, *, replayed: bool) -> pb.TouchReply:
        """What each use came to."""
        return pb.TouchReply(
            agent=answer.state.agent,
            turn=answer.state.turn,
            touched=[
                pb.Touched(use=place, refs=touched.refs, fault=touched.fault, paged_in=touched.paged_in)
                for place, touched in answer.touched
            ],
            unmatched=answer.unmatched,
            moves=[move(m) for m in answer.moves],
            faults=faults(answer.state.faults),
            versions=self._versions.message(),
            replayed=replayed,
        )

    def pin(self, agent: str, answer: PinAnswer, *, replayed: bool) -> pb.PinReply:
        """A pin, or why it can never fit."""
        return pb.PinReply(
            agent=agent,
            answer=pb.ANSWER_OVER_BUDGET if answer.over_budget else pb.ANSWER_OK,
            pin=pin_message(answer.pin, answer.title, answer.tokens),
            over_budget=over_budget(answer.over_budget),
            moves=[move(m) for m in answer.moves],
            versions=self._versions.message(),
            replayed=replayed,
        )

    def unpin(self, agent: str, answer: MovesAnswer, *, replayed: bool) -> pb.UnpinReply:
        """Where the entry fell to."""
        moves = [move(m) for m in answer.moves]
        return pb.UnpinReply(agent=agent, moves=moves, versions=self._versions.message(), replayed=replayed)

    def evict(self, agent: str, answer: MovesAnswer, *, replayed: bool) -> pb.EvictReply:
        """Every move, in order."""
        moves = [move(m) for m in answer.moves]
        return pb.EvictReply(agent=agent, moves=moves, versions=self._versions.message(), replayed=replayed)

    def reset(self, agent: str, answer: ResetAnswer, *, replayed: bool) -> pb.ResetContextReply:
        """The new epoch."""
        return pb.ResetContextReply(
            agent=agent, epoch=answer.epoch, versions=self._versions.message(), replayed=replayed
        )

    def resolve(self, answer: ResolveAnswer) -> pb.ResolveReply:
        """Records and what remains."""
        return pb.ResolveReply(
            records=[
                pb.ResolvedRecord(
                    ref=record.ref,
                    namespace=record.namespace,
                    kind=record.kind,
                    title=record.title,
                    path=record.path,
                    lines=common.lines(record.lines),
                    text=record.text,
                    generation=record.generation,
                    digest=record.digest,
                    standing=common.STANDINGS[record.standing],
                    successor=record.successor or "",
                    total_bytes=record.total_bytes,
                    next_offset_bytes=record.next_offset_bytes,
                    outline=record.outline,
                    gist=record.gist,
                    attributes=dict(record.attributes),
                )
                for record in answer.records
            ],
            remaining=answer.remaining,
            cut=common.cut(answer.cut),
            versions=self._versions.message(),
        )


def error_reason(reason: str, field: str, what_to_do: str, request_id: str) -> bytes:
    """The bytes of the detail that every error status carries."""
    return common_pb2.ErrorReason(
        reason=reason, field=field, what_to_do=what_to_do, request_id=request_id
    ).SerializeToString()


def _known(table: dict[int, T], value: int, field: str) -> T:
    if value not in table:
        raise BadField(field, f"{value} is not a value that a caller may send")
    return table[value]
