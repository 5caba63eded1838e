"""Answers to Touch, Resolve and the calls by which a host steers a set, as values."""

from __future__ import annotations

from hotset import types as t
from hotset._wire import evaluation, words
from hotset._wire.shared import attributes, cut, lines, reason_counts, versions
from hotset._wire.working_set import faults, moves, pin
from hotset.v1 import attention_pb2 as pb


def touch(message: pb.TouchReply) -> t.TouchAnswer:
    """Read the answer to Touch."""
    return t.TouchAnswer(
        agent=message.agent,
        turn=message.turn,
        touched=tuple(
            t.Touched(
                use=each.use,
                refs=tuple(each.refs),
                fault=each.fault,
                paged_in=tuple(each.paged_in),
                no_place=tuple(each.no_place),
            )
            for each in message.touched
        ),
        unmatched=tuple(message.unmatched),
        moves=moves(message.moves),
        faults=faults(message.faults),
        versions=versions(message.versions),
        model_calls=message.model_calls,
        replayed=message.replayed,
        observed=tuple(_observed(each) for each in message.observed),
        kept=tuple(message.kept),
        passed_over=reason_counts(message.passed_over),
    )


def _observed(message: pb.ObservedUse) -> t.ObservedUse:
    return t.ObservedUse(
        observation=message.observation,
        refs=tuple(message.refs),
        action=words.USE_ACTION.read(message.action),
        matched=message.matched,
        fault=message.fault,
        paged_in=tuple(message.paged_in),
        no_place=tuple(message.no_place),
    )


def _record(message: pb.ResolvedRecord) -> t.ResolvedRecord:
    return t.ResolvedRecord(
        ref=message.ref,
        namespace=message.namespace,
        kind=message.kind,
        title=message.title,
        path=message.path,
        lines=lines(message.lines),
        text=message.text,
        generation=message.generation,
        digest=message.digest,
        standing=words.STANDING.read(message.standing),
        total_bytes=message.total_bytes,
        next_offset_bytes=message.next_offset_bytes,
        outline=message.outline,
        gist=message.gist,
        attributes=attributes(message.attributes),
        successor=message.successor,
        retrieved_seconds=message.retrieved_seconds,
        verified_seconds=message.verified_seconds,
        validator=message.validator,
    )


def resolve(message: pb.ResolveReply) -> t.ResolvePage:
    """Read one reply to Resolve."""
    return t.ResolvePage(
        records=tuple(_record(each) for each in message.records),
        remaining=tuple(message.remaining),
        cut=cut(message.cut),
        versions=versions(message.versions),
        model_calls=message.model_calls,
    )


def pinned(message: pb.PinReply) -> t.PinAnswer:
    """Read the answer to Pin."""
    return t.PinAnswer(
        agent=message.agent,
        answer=words.ANSWER.read(message.answer),
        pin=pin(message.pin) if message.HasField("pin") else None,
        over_budget=evaluation.over_budget(message.over_budget) if message.HasField("over_budget") else None,
        moves=moves(message.moves),
        versions=versions(message.versions),
        replayed=message.replayed,
    )


def unpin(message: pb.UnpinReply) -> t.UnpinAnswer:
    """Read the answer to Unpin."""
    return t.UnpinAnswer(message.agent, moves(message.moves), versions(message.versions), message.replayed)


def evict(message: pb.EvictReply) -> t.EvictAnswer:
    """Read the answer to Evict."""
    return t.EvictAnswer(message.agent, moves(message.moves), versions(message.versions), message.replayed)


def reset(message: pb.ResetContextReply) -> t.ResetAnswer:
    """Read the answer to ResetContext."""
    return t.ResetAnswer(message.agent, message.epoch, versions(message.versions), message.replayed)


def undo(message: pb.UndoRefocusReply) -> t.UndoAnswer:
    """Read the answer to UndoRefocus."""
    return t.UndoAnswer(message.agent, moves(message.moves), versions(message.versions), message.replayed)


def close(message: pb.CloseRequestReply) -> t.CloseAnswer:
    """Read the answer to CloseRequest."""
    return t.CloseAnswer(
        agent=message.agent,
        user_request=message.user_request,
        moves=moves(message.moves),
        versions=versions(message.versions),
        replayed=message.replayed,
    )
