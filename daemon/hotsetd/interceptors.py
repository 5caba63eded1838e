"""Around every call: errors become statuses by the one table, and the call becomes one log event.

Every error status carries `hotset-error-bin`, a serialised `hotset.v1.ErrorReason`, in its trailing metadata. Messages
may quote what a caller sent, so they are cut to what gRPC lets through.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from hotsetd import status, telemetry
from hotsetd.clock import Clock
from hotsetd.telemetry import Log
from hotsetd.wire.attention import error_reason
from retrieval.errors import BadField

ERROR_KEY = "hotset-error-bin"
REQUEST_KEY = "hotset-request-id"
_GONE = grpc.StatusCode.CANCELLED.name
_MESSAGE_BYTES = 1_024
"""Guess: all metadata of a reply must stay below gRPC's 8 KiB, and a byte of a message may be sent as three."""
_FIELD_BYTES = 256
"""Guess, as above."""


if TYPE_CHECKING:
    _Interceptor = grpc.aio.ServerInterceptor[Any, Any]
else:
    _Interceptor = grpc.aio.ServerInterceptor  # generic in its stubs alone


class Outcomes(_Interceptor):
    """Maps errors, logs calls. Health and reflection pass through it too."""

    def __init__(self, log: Log, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the method's handler, wrapped."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        method = str(handler_call_details.method)
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                self._unary(method, handler.unary_unary),
                _parser(handler.request_deserializer),
                handler.response_serializer,
            )
        if handler.stream_stream is not None:
            return grpc.stream_stream_rpc_method_handler(
                self._stream(method, handler.stream_stream),
                _parser(handler.request_deserializer),
                handler.response_serializer,
            )
        return handler

    def _unary(self, method: str, behaviour: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def wrapped(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            started = self._clock.monotonic()
            try:
                reply = await behaviour(_well_formed(request), context)
            except Exception as error:
                await self._refuse(method, error, context, started)
                raise AssertionError("abort raises") from error
            except asyncio.CancelledError:
                self._log.info(telemetry.CALL, method=method, milliseconds=self._since(started), status=_GONE)
                raise
            self._log.info(telemetry.CALL, method=method, milliseconds=self._since(started), status="OK")
            return reply

        return wrapped

    def _stream(self, method: str, behaviour: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
        async def wrapped(requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
            started = self._clock.monotonic()
            try:
                async for reply in behaviour(_all_well_formed(requests), context):
                    yield reply
            except Exception as error:
                await self._refuse(method, error, context, started)
                raise AssertionError("abort raises") from error
            except (asyncio.CancelledError, GeneratorExit):
                self._log.info(telemetry.CALL, method=method, milliseconds=self._since(started), status=_GONE)
                raise
            self._log.info(telemetry.CALL, method=method, milliseconds=self._since(started), status="OK")

        return wrapped

    async def _refuse(
        self, method: str, error: Exception, context: grpc.aio.ServicerContext[Any, Any], started: float
    ) -> None:
        if isinstance(error, grpc.aio.AbortError):
            raise error
        request = _request_id(context)
        answer = status.answer_for(error)
        defect = answer is status.DEFECT
        message = "the daemon failed" if defect else str(error)
        field = clipped(status.field_of(error), _FIELD_BYTES)
        detail = error_reason(answer.reason, field, answer.what_to_do, request)
        values = {"method": method, "milliseconds": self._since(started), "status": answer.code.name}
        if defect:
            self._log.error(telemetry.DEFECT, request=request, exc_info=error, **values)
        else:
            self._log.info(telemetry.CALL, request=request, reason=answer.reason, **values)
        text = f"{message} ({answer.what_to_do}) [{request}]" if defect else message
        metadata = ((ERROR_KEY, detail), (REQUEST_KEY, request))
        await context.abort(answer.code, clipped(text, _MESSAGE_BYTES), trailing_metadata=metadata)

    def _since(self, started: float) -> float:
        return round((self._clock.monotonic() - started) * 1e3, 3)


class _Malformed:
    """A request that does not parse. It travels to where errors are answered, which parsing itself cannot do."""

    def __init__(self, what: str) -> None:
        self.what = what


def _parser(deserializer: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
    def parse(raw: bytes) -> Any:
        try:
            return deserializer(raw) if deserializer is not None else raw
        except DecodeError as error:
            return _Malformed(str(error))

    return parse


def _well_formed(request: Any) -> Any:
    if isinstance(request, _Malformed):
        raise BadField("request", f"is not a message of this call in valid UTF-8: {request.what}")
    return request


async def _all_well_formed(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        yield _well_formed(request)


def clipped(text: str, limit_bytes: int) -> str:
    """Return a text that can be written as UTF-8 in at most so many bytes, its middle left out where it is longer."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit_bytes:
        return encoded.decode()
    gap = "…".encode()
    head = (limit_bytes - len(gap)) // 2
    tail = limit_bytes - len(gap) - head
    return (encoded[:head] + gap + encoded[len(encoded) - tail :]).decode("utf-8", "ignore")


def _request_id(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == REQUEST_KEY and isinstance(value, str) and value.isprintable() and 0 < len(value) <= 64:
            return value
    return uuid.uuid4().hex
