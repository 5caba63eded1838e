"""Receipts: messages to values and back."""

from __future__ import annotations

from hotset.v1 import attention_pb2 as pb
from hotsetd.receipts import Explained, ReceiptCall, Replayed, Verdict
from hotsetd.wire import common
from workingset.receipt import Node

VERDICTS: dict[Verdict, pb.ReplayVerdict.ValueType] = {
    Verdict.EQUAL: pb.REPLAY_VERDICT_EQUAL,
    Verdict.DIFFERENT: pb.REPLAY_VERDICT_DIFFERENT,
    Verdict.OTHER_SETTINGS: pb.REPLAY_VERDICT_OTHER_SETTINGS,
    Verdict.OTHER_CODE: pb.REPLAY_VERDICT_OTHER_CODE,
}


def receipt_call(request: pb.ExplainRequest | pb.ReplayRequest) -> ReceiptCall:
    """What Explain and Replay ask."""
    return ReceiptCall(agent=request.agent, turn=request.turn, receipt=request.receipt)


def explained(value: Explained, versions: common.Versions) -> pb.ExplainReply:
    """A receipt tree."""
    return pb.ExplainReply(
        agent=value.agent,
        turn=value.turn,
        receipt=f"{value.agent}/{value.turn}",
        receipt_digest=value.digest,
        root=_node(value.root),
        retained=value.retained,
        versions=versions.message(),
    )


def replayed(value: Replayed, versions: common.Versions) -> pb.ReplayReply:
    """What a turn decided then and now."""
    return pb.ReplayReply(
        agent=value.agent,
        turn=value.turn,
        receipt=f"{value.agent}/{value.turn}",
        verdict=VERDICTS[value.verdict],
        cut=common.cut(value.cut),
        receipt_digest_then=value.receipt_then,
        receipt_digest_now=value.receipt_now,
        state_digest_then=value.state_then,
        state_digest_now=value.state_now,
        differences=value.differences,
        versions=versions.message(),
    )


def _node(node: Node) -> pb.ReceiptNode:
    message = pb.ReceiptNode(what=node.what, because=node.because, parts=map(_node, node.parts))
    match node.value:
        case bool():
            message.flag = node.value
        case int():
            message.whole = node.value
        case float():
            message.number = node.value
        case str():
            message.text = node.value
    return message
