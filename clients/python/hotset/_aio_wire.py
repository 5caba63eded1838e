"""Sending over an asyncio gRPC channel: one call, or one ingest stream, once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, TypeVar

import grpc
import grpc.aio

from hotset import _sync_wire
from hotset import types as t
from hotset._sync_wire import Cancellable
from hotset._wire.call import Call
from hotset._wire.ingest import IngestStream
from hotset._wire.status import error_of
from hotset.errors import Cancelled, HotsetError

AnswerT = TypeVar("AnswerT")
Metadata = tuple[tuple[str, str], ...]
Options = list[tuple[str, int]]


async def send(
    channel: grpc.aio.Channel, call: Call[AnswerT], timeout_seconds: float, metadata: Metadata, target: str
) -> AnswerT:
    """Send a call once and return its answer; cancelling the task cancels it in the daemon too."""
    method = channel.unary_unary(call.path, bytes, bytes)
    try:
        payload = await method(call.payload, timeout=timeout_seconds, metadata=metadata)
    except grpc.aio.UsageError as error:
        raise _closed() from error
    except grpc.aio.AioRpcError as error:
        raise _error(error, target) from error
    return call.decode(payload)


class Relay:
    """One sending of an ingest stream, done by a synchronous channel in a thread.

    Not over grpc.aio: there a write that meets the end of the call replaces the daemon's status by an internal error,
    and with it the reason. As a gain, the caller's iterator is read outside the event loop.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._told: asyncio.Queue[t.IngestEvent | Exception | None] = asyncio.Queue()
        self._call: Cancellable | None = None
        self._left = False

    async def events(
        self, target: str, options: Options, stream: IngestStream, timeout_seconds: float, metadata: Metadata
    ) -> AsyncGenerator[t.IngestEvent, None]:
        """Send the stream once and yield its events; leaving the loop early cancels it."""
        sending = asyncio.create_task(asyncio.to_thread(self._send, target, options, stream, timeout_seconds, metadata))
        try:
            while (told := await self._told.get()) is not None:
                if isinstance(told, Exception):
                    raise told
                yield told
        finally:
            self.cancel()
            await sending

    def cancel(self) -> None:
        """End the call, now or as soon as it begins."""
        self._left = True
        if self._call is not None:
            self._call.cancel()

    def _send(
        self, target: str, options: Options, stream: IngestStream, timeout_seconds: float, metadata: Metadata
    ) -> None:
        end: Exception | None = None
        try:
            with grpc.insecure_channel(target, options=options) as channel:
                for event in _sync_wire.send_stream(
                    channel, stream, timeout_seconds, metadata, target, begun=self._begun
                ):
                    self._loop.call_soon_threadsafe(self._told.put_nowait, event)
        except Exception as error:
            end = error
        self._loop.call_soon_threadsafe(self._told.put_nowait, end)

    def _begun(self, call: Cancellable) -> None:
        self._call = call
        if self._left:
            call.cancel()


def _closed() -> Cancelled:
    return Cancelled("the client is closed", reason="CLIENT_CLOSED", what_to_do="make a new client")


def _error(error: grpc.aio.AioRpcError, target: str) -> HotsetError:
    return error_of(error.code(), error.details() or "", _pairs(error.trailing_metadata()), target)


def _pairs(trailing: Any) -> list[tuple[str, str | bytes]]:
    return [(str(key), value) for key, value in trailing or ()]  # pairs at run time, whatever the stubs say
