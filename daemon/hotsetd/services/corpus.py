"""The Corpus service: decode, call a use case, encode. No decisions here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypeAlias

import grpc.aio

from hotset.v1 import corpus_pb2 as pb
from hotset.v1 import corpus_pb2_grpc
from hotsetd.calls import Caller
from hotsetd.corpus import Corpus
from hotsetd.ingesting import Ingesting, Sending
from hotsetd.sources import Sources
from hotsetd.wire import common
from hotsetd.wire import corpus as wire
from hotsetd.wire import sources as wire_sources
from hotsetd.work import Workers
from retrieval.deadline import Deadline
from retrieval.errors import BadField
from retrieval.ingest.progress import Progress

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class CorpusService(corpus_pb2_grpc.CorpusServicer):
    """What hosts call. Ingest runs in a thread of its own, one stream's step at a time; adding and removing sources,
    which may wait for it, in others."""

    def __init__(
        self,
        corpus: Corpus,
        ingesting: Ingesting,
        sources: Sources,
        workers: Workers,
        ingest_workers: Workers,
        source_workers: Workers,
        caller: Caller,
    ) -> None:
        self._corpus = corpus
        self._ingesting = ingesting
        self._sources = sources
        self._workers = workers
        self._ingest_workers = ingest_workers
        self._source_workers = source_workers
        self._caller = caller

    async def Ingest(  # noqa: N802  # as generated
        self, request_iterator: AsyncIterator[pb.IngestRequest], context: Context
    ) -> AsyncIterator[pb.IngestReply]:
        """Knowledge in, acknowledged as it becomes durable."""
        sending: Sending | None = None
        async for request in request_iterator:
            step = request.WhichOneof("step")
            if sending is None:
                if step != "header":
                    raise BadField("header", "is the first message of a stream: send it before anything else")
                sending = self._ingesting.begin(self._caller, wire.header(request.header))
            elif step == "batch":
                yield await self._batch(sending, request.batch, context)
            elif step == "tree":
                async for reply in self._tree(sending, request.tree, context):
                    yield reply
            else:
                raise BadField("step", "is empty or a second header: send batches or a tree after the header")
        if sending is None:
            raise BadField("header", "is missing: the stream held no message")
        done = sending
        yield wire.summary(
            await self._ingest_workers.run(context.time_remaining(), lambda d: self._ingesting.finish(done, d))
        )

    async def Remove(self, request: pb.RemoveRequest, context: Context) -> pb.RemoveReply:  # noqa: N802
        """Tombstones."""
        call = wire.remove_call(request)
        return wire.removed(
            await self._workers.run(context.time_remaining(), lambda _: self._corpus.remove(self._caller, call))
        )

    async def Get(self, request: pb.GetRequest, context: Context) -> pb.GetReply:  # noqa: N802
        """One record with its edges."""
        cut = common.cut_of(request.cut)
        return wire.got(
            await self._workers.run(
                context.time_remaining(), lambda _: self._corpus.get(self._caller, request.ref, cut)
            )
        )

    async def List(self, request: pb.ListRequest, context: Context) -> pb.ListReply:  # noqa: N802
        """One page of records."""
        call = wire.list_call(request)
        return wire.listed(
            await self._workers.run(context.time_remaining(), lambda _: self._corpus.list_records(self._caller, call))
        )

    async def DescribeNamespace(  # noqa: N802
        self, request: pb.DescribeNamespaceRequest, context: Context
    ) -> pb.DescribeNamespaceReply:
        """What a namespace holds."""
        return wire.described(
            await self._workers.run(
                context.time_remaining(), lambda _: self._corpus.describe(self._caller, request.namespace)
            )
        )

    async def AddSource(self, request: pb.AddSourceRequest, context: Context) -> pb.AddSourceReply:  # noqa: N802
        """Follow a tree."""
        call = wire_sources.add_call(request)
        return wire_sources.added(
            *await self._source_workers.run(context.time_remaining(), lambda _: self._sources.add(self._caller, call))
        )

    async def RemoveSource(  # noqa: N802
        self, request: pb.RemoveSourceRequest, context: Context
    ) -> pb.RemoveSourceReply:
        """Follow a tree no longer."""
        call = wire_sources.remove_call(request)
        return wire_sources.removed(
            await self._source_workers.run(
                context.time_remaining(), lambda deadline: self._sources.remove(self._caller, call, deadline)
            )
        )

    async def ListSources(self, request: pb.ListSourcesRequest, context: Context) -> pb.ListSourcesReply:  # noqa: N802
        """How the followed trees stand."""
        return wire_sources.listed(
            await self._workers.run(
                context.time_remaining(), lambda _: self._sources.list_sources(self._caller, request.namespace)
            )
        )

    async def _batch(self, sending: Sending, batch: pb.IngestBatch, context: Context) -> pb.IngestReply:
        value = wire.batch(batch)
        done = await self._ingest_workers.run(context.time_remaining(), lambda _: self._ingesting.batch(sending, value))
        return wire.acknowledged(value.sequence, done.generation, replayed=done.replayed)

    async def _tree(self, sending: Sending, tree: pb.IngestTree, context: Context) -> AsyncIterator[pb.IngestReply]:
        loop = asyncio.get_running_loop()
        reports: asyncio.Queue[Progress | None] = asyncio.Queue()

        def report(progress: Progress) -> None:
            loop.call_soon_threadsafe(reports.put_nowait, progress)

        def work(deadline: Deadline) -> None:
            try:
                self._ingesting.tree(sending, tree.root, tree.force, report, deadline)
            finally:
                loop.call_soon_threadsafe(reports.put_nowait, None)

        running = asyncio.ensure_future(self._ingest_workers.run(context.time_remaining(), work))
        try:
            while (progress := await reports.get()) is not None:
                yield wire.progress(progress)
        except BaseException:
            running.cancel()
            raise
        await running
