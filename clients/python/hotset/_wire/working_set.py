"""The working set and a Focus turn, as values."""

from __future__ import annotations

from collections.abc import Iterable

from hotset import types as t
from hotset._wire import evaluation, words
from hotset._wire.shared import cut, lines, versions
from hotset.v1 import attention_pb2 as pb
from hotset.v1 import common_pb2


def item(message: pb.Item) -> t.Item:
    """Read one entry of the set."""
    return t.Item(
        ref=message.ref,
        namespace=message.namespace,
        kind=message.kind,
        title=message.title,
        path=message.path,
        lines=lines(message.lines),
        tier=words.TIER.read(message.tier),
        fidelity=words.FIDELITY.read(message.fidelity),
        tokens=message.tokens,
        heat=message.heat,
        relevance=message.relevance,
        reason=message.reason,
        generation=message.generation,
        digest=message.digest,
        standing=words.STANDING.read(message.standing),
        successor=message.successor,
        freshness=words.FRESHNESS.read(message.freshness),
        required_by=tuple(message.required_by),
        closure=words.SUPPORT_CLOSURE.read(message.closure),
        lanes=tuple(message.lanes),
        admitted_turn=message.admitted_turn,
        segment=_segment(message.segment) if message.HasField("segment") else None,
    )


def _segment(message: pb.Segment) -> t.Segment:
    return t.Segment(start_byte=message.start_byte, bytes=message.bytes, digest=message.digest)


def moves(messages: Iterable[pb.Move]) -> tuple[t.Move, ...]:
    """Read moves; `from` is a word of Python, so it is read by name."""
    return tuple(
        t.Move(
            ref=each.ref,
            from_tier=words.TIER.read(_from_tier(each)),
            to_tier=words.TIER.read(each.to),
            reason=each.reason,
            title=each.title,
        )
        for each in messages
    )


def _from_tier(message: pb.Move) -> common_pb2.Tier.ValueType:
    tier: common_pb2.Tier.ValueType = getattr(message, "from")
    return tier


def delta(message: pb.Delta) -> t.Delta:
    """Read what changed since the block before."""
    return t.Delta(
        entries=tuple(
            t.DeltaEntry(
                ref=each.ref,
                change=words.CHANGE.read(each.change),
                tier=words.TIER.read(each.tier),
                fidelity=words.FIDELITY.read(each.fidelity),
                text=each.text,
            )
            for each in message.entries
        ),
        tokens=message.tokens,
        from_nothing=message.from_nothing,
    )


def budget(message: pb.Budget) -> t.Budget:
    """Read the token ledger."""
    return t.Budget(
        ceiling_tokens=message.ceiling_tokens,
        used_tokens=message.used_tokens,
        pinned_tokens=message.pinned_tokens,
        mandatory_tokens=message.mandatory_tokens,
        resident_tokens=message.resident_tokens,
        frontier_tokens=message.frontier_tokens,
        estimated=message.estimated,
    )


def pin(message: pb.Pin) -> t.Pin:
    """Read a pin."""
    return t.Pin(
        ref=message.ref,
        owner=words.PIN_OWNER.read(message.owner),
        reason=message.reason,
        expires_turn=message.expires_turn,
        pinned_turn=message.pinned_turn,
        title=message.title,
        tokens=message.tokens,
        expires_with_epoch=message.expires_with_epoch,
        expires_at_seconds=message.expires_at_seconds,
        follow_successor=message.follow_successor,
    )


def faults(message: pb.Faults) -> t.Faults:
    """Read the counts of hits and faults."""
    return t.Faults(references=message.references, hits=message.hits, faults=message.faults, refaults=message.refaults)


def status(message: pb.StatusReply) -> t.StatusAnswer:
    """Read the answer to Status."""
    return t.StatusAnswer(
        agent=message.agent,
        epoch=message.epoch,
        turn=message.turn,
        goal=message.goal,
        items=tuple(item(each) for each in message.items),
        pins=tuple(pin(each) for each in message.pins),
        ghosts=tuple(
            t.Ghost(each.ref, each.evicted_turn, each.reason, each.heat, each.title) for each in message.ghosts
        ),
        ghost_count=message.ghost_count,
        budget=budget(message.budget),
        drift=evaluation.drift(message.drift),
        faults=faults(message.faults),
        cut=cut(message.cut),
        versions=versions(message.versions),
        model_calls=message.model_calls,
        state_digest=message.state_digest,
        last_receipt=message.last_receipt,
        user_request=message.user_request,
        lineage=tuple(message.lineage),
        undo_offered=message.undo_offered,
        reset_reason=message.reset_reason,
    )


def focus(message: pb.FocusReply) -> t.FocusAnswer:
    """Read the answer to Focus."""
    return t.FocusAnswer(
        agent=message.agent,
        epoch=message.epoch,
        turn=message.turn,
        answer=words.ANSWER.read(message.answer),
        items=tuple(item(each) for each in message.items),
        block=message.block,
        delta=delta(message.delta),
        ignored=evaluation.ignored(message.ignored),
        sufficiency=evaluation.sufficiency(message.sufficiency),
        drift=evaluation.drift(message.drift),
        coverage=evaluation.coverage(message.coverage),
        budget=budget(message.budget),
        over_budget=evaluation.over_budget(message.over_budget) if message.HasField("over_budget") else None,
        moves=moves(message.moves),
        filtering_reason=evaluation.nothing(message.filtering_reason),
        degraded=message.degraded,
        receipt=message.receipt,
        receipt_digest=message.receipt_digest,
        cut=cut(message.cut),
        versions=versions(message.versions),
        model_calls=message.model_calls,
        embedding_calls=message.embedding_calls,
        check=evaluation.check(message.check) if message.HasField("check") else None,
        status=status(message.status) if message.HasField("status") else None,
        replayed=message.replayed,
        prefix_stable=message.prefix_stable,
        pin_reports=evaluation.pin_reports(message.pin_reports),
        steps=tuple(t.Step(each.name, each.milliseconds) for each in message.steps),
        undo_offered=message.undo_offered,
    )
