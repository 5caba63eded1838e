"""What the other calls of the Attention service answer."""

from __future__ import annotations

from hotset.v1 import attention_pb2 as pb
from hotset.v1 import common_pb2
from hotsetd.answers import (
    CloseAnswer,
    ForgetAnswer,
    MovesAnswer,
    ObservedUse,
    PinAnswer,
    ResetAnswer,
    ResolveAnswer,
    Resolved,
    SuccessorAnswer,
    TouchAnswer,
)
from hotsetd.wire import common
from hotsetd.wire.evaluation import over_budget
from hotsetd.wire.focus import faults, moves, pin_message
from workingset.transitions.touch import Action

ACTIONS: dict[Action, pb.UseAction.ValueType] = {
    Action.READ: pb.USE_ACTION_READ,
    Action.EDIT: pb.USE_ACTION_EDIT,
    Action.CITE: pb.USE_ACTION_CITE,
}


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
                pb.Touched(
                    use=place,
                    refs=touched.refs,
                    fault=touched.fault,
                    paged_in=touched.paged_in,
                    no_place=touched.no_place,
                )
                for place, touched in answer.touched
            ],
            unmatched=answer.unmatched,
            moves=moves(answer.moves),
            faults=faults(answer.state.faults),
            versions=self._versions.message(),
            replayed=replayed,
            observed=[_observed(use) for use in answer.observed],
            kept=answer.kept,
            passed_over=common.reasons(answer.passed_over),
        )

    def pin(self, agent: str, answer: PinAnswer, *, replayed: bool) -> pb.PinReply:
        """A pin, or why it can never fit."""
        return pb.PinReply(
            agent=agent,
            answer=pb.ANSWER_OVER_BUDGET if answer.over_budget else pb.ANSWER_OK,
            pin=pin_message(answer.pin, answer.title, answer.tokens),
            over_budget=over_budget(answer.over_budget),
            moves=moves(answer.moves),
            versions=self._versions.message(),
            replayed=replayed,
        )

    def unpin(self, agent: str, answer: MovesAnswer, *, replayed: bool) -> pb.UnpinReply:
        """Where the entry fell to."""
        return pb.UnpinReply(
            agent=agent, moves=moves(answer.moves), versions=self._versions.message(), replayed=replayed
        )

    def evict(self, agent: str, answer: MovesAnswer, *, replayed: bool) -> pb.EvictReply:
        """Every move, in order."""
        return pb.EvictReply(
            agent=agent, moves=moves(answer.moves), versions=self._versions.message(), replayed=replayed
        )

    def reset(self, agent: str, answer: ResetAnswer, *, replayed: bool) -> pb.ResetContextReply:
        """The new epoch."""
        return pb.ResetContextReply(
            agent=agent, epoch=answer.epoch, versions=self._versions.message(), replayed=replayed
        )

    def undo(self, agent: str, answer: MovesAnswer, *, replayed: bool) -> pb.UndoRefocusReply:
        """What came back."""
        return pb.UndoRefocusReply(
            agent=agent, moves=moves(answer.moves), versions=self._versions.message(), replayed=replayed
        )

    def close(self, agent: str, answer: CloseAnswer, *, replayed: bool) -> pb.CloseRequestReply:
        """The request that was open, and where its entry fell to."""
        return pb.CloseRequestReply(
            agent=agent,
            user_request=answer.user_request,
            moves=moves(answer.moves),
            versions=self._versions.message(),
            replayed=replayed,
        )

    def fork(self, answer: SuccessorAnswer, *, replayed: bool) -> pb.ForkReply:
        """The copy."""
        return pb.ForkReply(
            agent=answer.agent,
            child=answer.other,
            turn=answer.turn,
            entries=answer.entries,
            versions=self._versions.message(),
            replayed=replayed,
        )

    def handoff(self, answer: SuccessorAnswer, *, replayed: bool) -> pb.HandoffReply:
        """The set, with whom it is now."""
        return pb.HandoffReply(
            agent=answer.agent,
            to=answer.other,
            turn=answer.turn,
            entries=answer.entries,
            versions=self._versions.message(),
            replayed=replayed,
        )

    def forget(self, answer: ForgetAnswer) -> pb.ForgetReply:
        """What was deleted, and whether anything is left."""
        return pb.ForgetReply(
            agent=answer.agent,
            deleted=[pb.Deleted(what=each.what, count=each.count, left=each.left) for each in answer.deleted],
            verified=answer.verified,
            versions=self._versions.message(),
        )

    def resolve(self, answer: ResolveAnswer) -> pb.ResolveReply:
        """Records and what remains."""
        return pb.ResolveReply(
            records=[_resolved(record) for record in answer.records],
            remaining=answer.remaining,
            cut=common.cut(answer.cut),
            versions=self._versions.message(),
        )


def _observed(use: ObservedUse) -> pb.ObservedUse:
    return pb.ObservedUse(
        observation=use.observation,
        refs=use.touched.refs,
        action=ACTIONS[use.action],
        matched=use.matched,
        fault=use.touched.fault,
        paged_in=use.touched.paged_in,
        no_place=use.touched.no_place,
    )


def _resolved(record: Resolved) -> pb.ResolvedRecord:
    return pb.ResolvedRecord(
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
        retrieved_seconds=record.retrieved_seconds,
        verified_seconds=record.verified_seconds,
        validator=record.validator,
    )


def error_reason(reason: str, field: str, what_to_do: str, request_id: str) -> bytes:
    """The bytes of the detail that every error status carries."""
    return common_pb2.ErrorReason(
        reason=reason, field=field, what_to_do=what_to_do, request_id=request_id
    ).SerializeToString()
