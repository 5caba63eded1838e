"""Sending over an asyncio gRPC channel: one call, or one ingest stream, once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any, TypeVar

import grpc
import grpc.aio

from hotset import types as t
from hotset._wire.call import Call
from hotset._wire.ingest import PATH, IngestStream, read_event
from hotset._wire.status import error_of
from hotset.errors import Cancelled, HotsetError

AnswerT = TypeVar("AnswerT")
Metadata = tuple[tuple[str, str], ...]


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


class _Feed:
    """The messages to send. A failure of the caller's iterator ends the call, and is kept to be raised."""

    def __init__(self, payloads: Iterator[bytes]) -> None:
        self._payloads = payloads
        self.failure: Exception | None = None

    async def messages(self) -> AsyncIterator[bytes]:
        """Yield the messages."""
        try:
            for payload in self._payloads:
                yield payload
        except Exception as error:
            self.failure = error
            raise  # gRPC cancels the call


async def send_stream(
    channel: grpc.aio.Channel, stream: IngestStream, timeout_seconds: float, metadata: Metadata, target: str
) -> AsyncGenerator[t.IngestEvent, None]:
    """Send the stream once and yield its events; leaving the loop early cancels it."""
    feed = _Feed(stream.payloads())
    method = channel.stream_stream(PATH, bytes, bytes)
    try:
        under_way = method(feed.messages(), timeout=timeout_seconds, metadata=metadata)
    except grpc.aio.UsageError as error:
        raise _closed() from error
    try:
        async for payload in under_way:
            yield read_event(payload)
    except asyncio.CancelledError:
        if feed.failure is None:
            raise
        raise feed.failure from None
    except grpc.aio.AioRpcError as error:
        raise (feed.failure or await _ended(under_way, error, target)) from error
    finally:
        under_way.cancel()


_HIDDEN = "Internal error from Core"
"""What grpc.aio says of a call whose write met the call's end, until the daemon's own status has come in."""
_HIDDEN_PAUSE_SECONDS = 0.005
"""Guess: the status is on its way already."""
_HIDDEN_PAUSES = 200
"""Guess: a second in all."""


async def _ended(call: Any, error: grpc.aio.AioRpcError, target: str) -> HotsetError:
    """Return the error that the daemon ended a stream with, where a failed write hides it for a moment."""
    for _ in range(_HIDDEN_PAUSES):
        details: str = await call.details() or ""
        if details != _HIDDEN:
            return error_of(await call.code(), details, _pairs(await call.trailing_metadata()), target)
        await asyncio.sleep(_HIDDEN_PAUSE_SECONDS)
    return _error(error, target)


def _closed() -> Cancelled:
    return Cancelled("the client is closed", reason="CLIENT_CLOSED", what_to_do="make a new client")


def _error(error: grpc.aio.AioRpcError, target: str) -> HotsetError:
    return error_of(error.code(), error.details() or "", _pairs(error.trailing_metadata()), target)


def _pairs(trailing: Any) -> list[tuple[str, str | bytes]]:
    return [(str(key), value) for key, value in trailing or ()]  # pairs at run time, whatever the stubs say
