"""The Attention service: decode, call a use case in its agent's turn, encode. No decisions here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import grpc.aio

from hotset.v1 import attention_pb2 as pb
from hotset.v1 import attention_pb2_grpc
from hotsetd.calls import Caller, FocusCall
from hotsetd.hosting import Hosting
from hotsetd.queues import AgentQueues
from hotsetd.reading import Reading
from hotsetd.receipts import Receipts
from hotsetd.succession import Succession
from hotsetd.turns import Turns
from hotsetd.wire import attention_requests as wire
from hotsetd.wire import receipts as wire_receipts
from hotsetd.wire.attention import AttentionWire
from hotsetd.wire.common import Versions
from hotsetd.wire.focus import FocusWire
from hotsetd.work import Workers
from retrieval.deadline import Deadline

T = TypeVar("T")
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class AttentionService(attention_pb2_grpc.AttentionServicer):
    """What agents call. One transition an agent at a time; agents run beside each other."""

    def __init__(
        self,
        turns: Turns,
        hosting: Hosting,
        succession: Succession,
        reading: Reading,
        receipts: Receipts,
        queues: AgentQueues,
        workers: Workers,
        caller: Caller,
        focus_wire: FocusWire,
        attention_wire: AttentionWire,
        versions: Versions,
    ) -> None:
        self._turns = turns
        self._hosting = hosting
        self._succession = succession
        self._reading = reading
        self._receipts = receipts
        self._versions = versions
        self._queues = queues
        self._workers = workers
        self._caller = caller
        self._focus_wire = focus_wire
        self._wire = attention_wire

    async def Focus(self, request: pb.FocusRequest, context: Context) -> pb.FocusReply:  # noqa: N802  # as generated
        """One turn, or one of the read-only calls by `mode`."""
        wire.check_mode(request.mode)
        if request.mode == pb.FOCUS_MODE_CHECK:
            check = await self._read(context, self._checking(wire.focus_call(request)))
            return pb.FocusReply(agent=check.agent, turn=check.turn, answer=check.answer, check=check)
        if request.mode == pb.FOCUS_MODE_STATUS:
            status = await self.Status(pb.StatusRequest(agent=request.agent), context)
            return pb.FocusReply(agent=status.agent, turn=status.turn, epoch=status.epoch, status=status)
        call = wire.focus_call(request)
        answer, replayed = await self._turn(
            request.agent, context, lambda deadline: self._turns.focus(self._caller, call, deadline)
        )
        return self._focus_wire.focus(answer, delta_only=request.delta_only, replayed=replayed)

    async def Check(self, request: pb.CheckRequest, context: Context) -> pb.CheckReply:  # noqa: N802
        """The evaluation of Focus without moving anything."""
        return await self._read(context, self._checking(wire.check_call(request)))

    async def Status(self, request: pb.StatusRequest, context: Context) -> pb.StatusReply:  # noqa: N802
        """The set as it stands."""
        answer = await self._read(context, lambda _: self._turns.status(self._caller, request.agent))
        return self._focus_wire.status(answer)

    async def Touch(self, request: pb.TouchRequest, context: Context) -> pb.TouchReply:  # noqa: N802
        """What the agent used."""
        call = wire.touch_call(request)
        answer, replayed = await self._turn(request.agent, context, lambda _: self._turns.touch(self._caller, call))
        return self._wire.touch(answer, replayed=replayed)

    async def Resolve(self, request: pb.ResolveRequest, context: Context) -> pb.ResolveReply:  # noqa: N802
        """The exact text behind refs."""
        call = wire.resolve_call(request)
        return self._wire.resolve(await self._read(context, lambda _: self._reading.resolve(self._caller, call)))

    async def Pin(self, request: pb.PinRequest, context: Context) -> pb.PinReply:  # noqa: N802
        """An obligation to keep an entry."""
        call = wire.pin_call(request)
        answer, replayed = await self._turn(request.agent, context, lambda _: self._hosting.pin(self._caller, call))
        return self._wire.pin(request.agent, answer, replayed=replayed)

    async def Unpin(self, request: pb.UnpinRequest, context: Context) -> pb.UnpinReply:  # noqa: N802
        """The end of one."""
        call = wire.unpin_call(request)
        answer, replayed = await self._turn(request.agent, context, lambda _: self._hosting.unpin(self._caller, call))
        return self._wire.unpin(request.agent, answer, replayed=replayed)

    async def Evict(self, request: pb.EvictRequest, context: Context) -> pb.EvictReply:  # noqa: N802
        """What the host takes out."""
        call = wire.evict_call(request)
        answer, replayed = await self._turn(request.agent, context, lambda _: self._hosting.evict(self._caller, call))
        return self._wire.evict(request.agent, answer, replayed=replayed)

    async def ResetContext(  # noqa: N802
        self, request: pb.ResetContextRequest, context: Context
    ) -> pb.ResetContextReply:
        """A new epoch."""
        call = wire.reset_call(request)
        answer, replayed = await self._turn(
            request.agent, context, lambda _: self._hosting.reset_context(self._caller, call)
        )
        return self._wire.reset(request.agent, answer, replayed=replayed)

    async def UndoRefocus(  # noqa: N802
        self, request: pb.UndoRefocusRequest, context: Context
    ) -> pb.UndoRefocusReply:
        """The last refocus, taken back."""
        call = wire.undo_call(request)
        answer, replayed = await self._turn(
            request.agent, context, lambda _: self._hosting.undo_refocus(self._caller, call)
        )
        return self._wire.undo(request.agent, answer, replayed=replayed)

    async def CloseRequest(  # noqa: N802
        self, request: pb.CloseRequestRequest, context: Context
    ) -> pb.CloseRequestReply:
        """The end of the user's request."""
        call = wire.close_call(request)
        answer, replayed = await self._turn(
            request.agent, context, lambda _: self._hosting.close_request(self._caller, call)
        )
        return self._wire.close(request.agent, answer, replayed=replayed)

    async def Fork(self, request: pb.ForkRequest, context: Context) -> pb.ForkReply:  # noqa: N802
        """A copy of the set for a new agent, in the turns of both."""
        call = wire.fork_call(request)
        answer, replayed = await self._turn(
            request.agent, context, lambda _: self._succession.fork(self._caller, call), request.child
        )
        return self._wire.fork(answer, replayed=replayed)

    async def Handoff(self, request: pb.HandoffRequest, context: Context) -> pb.HandoffReply:  # noqa: N802
        """The set itself for a new agent, in the turns of both."""
        call = wire.handoff_call(request)
        answer, replayed = await self._turn(
            request.agent, context, lambda _: self._succession.handoff(self._caller, call), request.to
        )
        return self._wire.handoff(answer, replayed=replayed)

    async def Forget(self, request: pb.ForgetRequest, context: Context) -> pb.ForgetReply:  # noqa: N802
        """The end of an agent."""
        answer = await self._turn(
            request.agent, context, lambda _: self._succession.forget(self._caller, request.agent)
        )
        return self._wire.forget(answer)

    async def Explain(self, request: pb.ExplainRequest, context: Context) -> pb.ExplainReply:  # noqa: N802
        """The receipt of a turn."""
        call = wire_receipts.receipt_call(request)
        answer = await self._read(context, lambda _: self._receipts.explain(self._caller, call))
        return wire_receipts.explained(answer, self._versions)

    async def Replay(self, request: pb.ReplayRequest, context: Context) -> pb.ReplayReply:  # noqa: N802
        """A turn decided again."""
        call = wire_receipts.receipt_call(request)
        answer = await self._read(context, lambda _: self._receipts.replay(self._caller, call))
        return wire_receipts.replayed(answer, self._versions)

    def _checking(self, call: FocusCall) -> Callable[[Deadline], pb.CheckReply]:
        return lambda deadline: self._focus_wire.check(self._turns.check(self._caller, call, deadline))

    async def _turn(self, agent: str, context: Context, work: Callable[[Deadline], T], *others: str) -> T:
        async with self._queues.turn(*((self._caller.tenant, name) for name in (agent, *others))):
            return await self._workers.run(context.time_remaining(), work)

    async def _read(self, context: Context, work: Callable[[Deadline], T]) -> T:
        return await self._workers.run(context.time_remaining(), work)
