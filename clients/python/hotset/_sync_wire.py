"""Sending over a synchronous gRPC channel: one call, or one ingest stream, once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

import grpc

from hotset import types as t
from hotset._wire.call import Call
from hotset._wire.ingest import PATH, IngestStream, read_event
from hotset._wire.status import error_of
from hotset.errors import Cancelled, HotsetError

AnswerT = TypeVar("AnswerT")
Metadata = tuple[tuple[str, str], ...]


class Cancellable(Protocol):
    """A call under way."""

    def cancel(self) -> bool:
        """End it; no effect on one that is done."""
        ...


def send(
    channel: grpc.Channel, call: Call[AnswerT], timeout_seconds: float, metadata: Metadata, target: str
) -> AnswerT:
    """Send a call once and return its answer; Ctrl-C cancels it in the daemon too."""
    method = channel.unary_unary(call.path, bytes, bytes)
    try:
        under_way = method.future(call.payload, timeout=timeout_seconds, metadata=metadata)
    except ValueError as error:
        raise _closed() from error
    try:
        payload = under_way.result()
    except grpc.FutureCancelledError as error:
        raise _closed() from error
    except grpc.RpcError as error:
        raise _error(error, target) from error
    finally:
        _cancel(under_way)  # no effect on a call that is done
    return call.decode(payload)


class _Feed:
    """The messages to send, pulled by gRPC's own thread. A failure of the caller's iterator cancels the call."""

    def __init__(self, payloads: Iterator[bytes]) -> None:
        self._payloads = payloads
        self._call: Cancellable | None = None
        self._known = threading.Event()
        self.failure: Exception | None = None

    def belongs_to(self, call: Cancellable) -> None:
        """Say which call to cancel."""
        self._call = call
        self._known.set()

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._payloads
        except Exception as error:
            self.failure = error  # raised again in the caller's thread
            self._known.wait()
            if self._call is not None:
                self._call.cancel()


def send_stream(
    channel: grpc.Channel,
    stream: IngestStream,
    timeout_seconds: float,
    metadata: Metadata,
    target: str,
    begun: Callable[[Cancellable], None] = lambda _: None,
) -> Iterator[t.IngestEvent]:
    """Send the stream once and yield its events; leaving the loop early cancels it. `begun` is told the call."""
    feed = _Feed(stream.payloads())
    method = channel.stream_stream(PATH, bytes, bytes)
    try:
        under_way = method(iter(feed), timeout=timeout_seconds, metadata=metadata)
    except ValueError as error:
        raise _closed() from error
    feed.belongs_to(under_way)
    begun(under_way)
    try:
        for payload in under_way:
            yield read_event(payload)
    except grpc.RpcError as error:
        raise (feed.failure or _error(error, target)) from error
    finally:
        _cancel(under_way)


def _cancel(call: Cancellable) -> None:
    call.cancel()


def _closed() -> Cancelled:
    return Cancelled("the client is closed", reason="CLIENT_CLOSED", what_to_do="make a new client")


def _error(error: grpc.RpcError, target: str) -> HotsetError:
    trailing = [(each.key, each.value) for each in error.trailing_metadata() or ()]
    return error_of(error.code(), error.details() or "", trailing, target)
