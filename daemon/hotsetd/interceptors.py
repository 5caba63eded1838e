"""Around every call: errors become statuses by the one table, and the call becomes one log event.

Every error status carries `hotset-error-bin`, a serialised `hotset.v1.ErrorReason`, in its trailing metadata.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio

from hotsetd import status, telemetry
from hotsetd.clock import Clock
from hotsetd.telemetry import Log
from hotsetd.wire.attention import error_reason

ERROR_KEY = "hotset-error-bin"
REQUEST_KEY = "hotset-request-id"


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
                self._unary(method, handler.unary_unary), handler.request_deserializer, handler.response_serializer
            )
        if handler.stream_stream is not None:
            return grpc.stream_stream_rpc_method_handler(
                self._stream(method, handler.stream_stream), handler.request_deserializer, handler.response_serializer
            )
        return handler

    def _unary(self, method: str, behaviour: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def wrapped(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            started = self._clock.monotonic()
            try:
                reply = await behaviour(request, context)
            except Exception as error:
                await self._refuse(method, error, context, started)
                raise AssertionError("abort raises") from error
            self._log.info(telemetry.CALL, method=method, milliseconds=self._since(started), status="OK")
            return reply

        return wrapped

    def _stream(self, method: str, behaviour: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
        async def wrapped(requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
            started = self._clock.monotonic()
            try:
                async for reply in behaviour(requests, context):
                    yield reply
            except Exception as error:
                await self._refuse(method, error, context, started)
                raise AssertionError("abort raises") from error
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
        detail = error_reason(answer.reason, status.field_of(error), answer.what_to_do, request)
        values = {"method": method, "milliseconds": self._since(started), "status": answer.code.name}
        if defect:
            self._log.error(telemetry.DEFECT, request=request, exc_info=error, **values)
        else:
            self._log.info(telemetry.CALL, request=request, reason=answer.reason, **values)
        text = f"{message} ({answer.what_to_do}) [{request}]" if defect else message
        metadata = ((ERROR_KEY, detail), (REQUEST_KEY, request))
        await context.abort(answer.code, text.encode("utf-8", "replace").decode(), trailing_metadata=metadata)

    def _since(self, started: float) -> float:
        return round((self._clock.monotonic() - started) * 1e3, 3)


def _request_id(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == REQUEST_KEY and isinstance(value, str) and value.isprintable() and 0 < len(value) <= 64:
            return value
    return uuid.uuid4().hex
