"""The Operator service: decode, call a use case, encode. No decisions here."""

from __future__ import annotations

from typing import Any, TypeAlias

import grpc.aio

from hotset.v1 import operator_pb2 as pb
from hotset.v1 import operator_pb2_grpc
from hotsetd.calls import Caller
from hotsetd.collection import Collection
from hotsetd.wire import operator as wire
from hotsetd.wire.common import Versions
from hotsetd.work import Workers

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class OperatorService(operator_pb2_grpc.OperatorServicer):
    """What operators call."""

    def __init__(self, collection: Collection, workers: Workers, caller: Caller, versions: Versions) -> None:
        self._collection = collection
        self._workers = workers
        self._caller = caller
        self._versions = versions

    async def Collect(self, request: pb.CollectRequest, context: Context) -> pb.CollectReply:  # noqa: N802
        """History deleted."""
        call = wire.collect_call(request)
        done = await self._workers.run(
            context.time_remaining(), lambda deadline: self._collection.collect(self._caller, call, deadline)
        )
        return wire.collected(done, self._versions, dry_run=call.dry_run)
