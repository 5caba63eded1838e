"""The calls that pass a working set on or delete it, and their answers as values."""

from __future__ import annotations

from hotset import types as t
from hotset._wire.call import Call, call, request_id
from hotset._wire.fields import text
from hotset._wire.shared import versions
from hotset.v1 import attention_pb2 as pb

SERVICE = "/hotset.v1.Attention/"


def fork(agent: str, child: str, repeat_id: str | None) -> Call[t.ForkAnswer]:
    """Make a Fork."""
    identity = request_id(repeat_id)
    request = pb.ForkRequest(
        agent=text("agent", agent), child=text("child", child), request_id=text("request_id", identity)
    )
    return call(SERVICE + "Fork", request, pb.ForkReply, forked, repeatable=bool(identity))


def handoff(agent: str, to: str, repeat_id: str | None) -> Call[t.HandoffAnswer]:
    """Make a Handoff."""
    identity = request_id(repeat_id)
    request = pb.HandoffRequest(agent=text("agent", agent), to=text("to", to), request_id=text("request_id", identity))
    return call(SERVICE + "Handoff", request, pb.HandoffReply, handed, repeatable=bool(identity))


def forget(agent: str) -> Call[t.ForgetAnswer]:
    """Make a Forget. It has no id, since nothing may be kept of it; sent twice, it could hit the agent's next life."""
    request = pb.ForgetRequest(agent=text("agent", agent))
    return call(SERVICE + "Forget", request, pb.ForgetReply, forgotten, repeatable=False)


def forked(message: pb.ForkReply) -> t.ForkAnswer:
    """Read the answer to Fork."""
    return t.ForkAnswer(
        agent=message.agent,
        child=message.child,
        turn=message.turn,
        entries=message.entries,
        versions=versions(message.versions),
        replayed=message.replayed,
    )


def handed(message: pb.HandoffReply) -> t.HandoffAnswer:
    """Read the answer to Handoff."""
    return t.HandoffAnswer(
        agent=message.agent,
        to=message.to,
        turn=message.turn,
        entries=message.entries,
        versions=versions(message.versions),
        replayed=message.replayed,
    )


def forgotten(message: pb.ForgetReply) -> t.ForgetAnswer:
    """Read the answer to Forget."""
    return t.ForgetAnswer(
        agent=message.agent,
        deleted=tuple(t.Deleted(each.what, each.count, each.left) for each in message.deleted),
        verified=message.verified,
        versions=versions(message.versions),
    )
