"""The calls on receipts, and their answers as values."""

from __future__ import annotations

from hotset import types as t
from hotset._wire import words
from hotset._wire.call import Call, call
from hotset._wire.fields import text, unsigned
from hotset._wire.shared import cut, versions
from hotset.v1 import attention_pb2 as pb

SERVICE = "/hotset.v1.Attention/"


def explain(agent: str, turn: int, receipt: str) -> Call[t.ExplainAnswer]:
    """Make an Explain."""
    request = pb.ExplainRequest(
        agent=text("agent", agent), turn=unsigned("turn", turn), receipt=text("receipt", receipt)
    )
    return call(SERVICE + "Explain", request, pb.ExplainReply, explained, repeatable=True)


def replay(agent: str, turn: int, receipt: str) -> Call[t.ReplayAnswer]:
    """Make a Replay."""
    request = pb.ReplayRequest(
        agent=text("agent", agent), turn=unsigned("turn", turn), receipt=text("receipt", receipt)
    )
    return call(SERVICE + "Replay", request, pb.ReplayReply, replayed, repeatable=True)


def explained(message: pb.ExplainReply) -> t.ExplainAnswer:
    """Read the answer to Explain."""
    return t.ExplainAnswer(
        agent=message.agent,
        turn=message.turn,
        receipt=message.receipt,
        receipt_digest=message.receipt_digest,
        root=_node(message.root),
        retained=message.retained,
        versions=versions(message.versions),
    )


def replayed(message: pb.ReplayReply) -> t.ReplayAnswer:
    """Read the answer to Replay."""
    return t.ReplayAnswer(
        agent=message.agent,
        turn=message.turn,
        receipt=message.receipt,
        verdict=words.REPLAY_VERDICT.read(message.verdict),
        cut=cut(message.cut),
        receipt_digest_then=message.receipt_digest_then,
        receipt_digest_now=message.receipt_digest_now,
        state_digest_then=message.state_digest_then,
        state_digest_now=message.state_digest_now,
        differences=tuple(message.differences),
        versions=versions(message.versions),
    )


def _node(message: pb.ReceiptNode) -> t.ReceiptNode:
    which = message.WhichOneof("value")
    value: str | int | float | bool = "" if which is None else getattr(message, which)
    return t.ReceiptNode(message.what, value, message.because, tuple(map(_node, message.parts)))
