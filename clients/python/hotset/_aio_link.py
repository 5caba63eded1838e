"""An asyncio connection: it performs the effects that use cases ask for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc.aio

from hotset import _channel
from hotset import types as t
from hotset._aio_wire import Relay, send
from hotset._base import ClientBase
from hotset._conduct import Attempt, Effect, Patience, Pause, Start, Steps
from hotset._spawn import start_daemon
from hotset._wire import ingest
from hotset._wire.call import Call
from hotset.errors import Cancelled, Unavailable

AnswerT = TypeVar("AnswerT")


class AsyncLink(ClientBase):
    """Opens, closes and drives one asyncio gRPC channel. Not for use by itself."""

    def _prepare(self) -> None:
        self._channel: grpc.aio.Channel | None = None
        self._relays: set[Relay] = set()
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; calls under way are cancelled."""
        self._closed = True
        for relay in self._relays:
            relay.cancel()
        if self._channel is not None:
            await self._channel.close(None)

    async def _run(self, call: Call[AnswerT], timeout_seconds: float | None) -> AnswerT:
        return await self._drive(self._conduct.run(call, timeout_seconds))

    async def _drive(self, steps: Steps[AnswerT]) -> AnswerT:
        try:
            effect = next(steps)
            while True:
                try:
                    result = await self._perform(effect)
                except Exception as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(result)
        except StopIteration as done:
            answer: AnswerT = done.value
            return answer

    async def _perform(self, effect: Effect) -> Any:
        match effect:
            case Attempt():
                return await send(self._open(), effect.call, effect.timeout_seconds, self._metadata, self.address)
            case Pause():
                await asyncio.sleep(effect.seconds)
                return None
            case Start():
                return await asyncio.to_thread(start_daemon, effect.home, self._settings.start)

    def _open(self) -> grpc.aio.Channel:
        if self._closed:
            raise Cancelled("the client is closed", reason="CLIENT_CLOSED", what_to_do="make a new client")
        if self._channel is None:  # here and not earlier: it belongs to the running event loop
            self._channel = grpc.aio.insecure_channel(self._endpoint.target, options=_channel.options(self._settings))
        return self._channel

    def _events(
        self, stream: ingest.IngestStream, timeout_seconds: float | None
    ) -> AsyncGenerator[t.IngestEvent, None]:
        patience = self._conduct.patience(
            timeout_seconds, repeatable=stream.repeatable, longest=self._settings.ingest_timeout_seconds
        )
        return self._follow(stream, patience)

    async def _follow(self, stream: ingest.IngestStream, patience: Patience) -> AsyncGenerator[t.IngestEvent, None]:
        while True:
            await self._drive(self._conduct.ensure_running(patience))
            try:
                async with aclosing(self._send(stream, patience.remaining())) as events:
                    async for event in events:
                        yield event
            except Unavailable as error:
                await asyncio.sleep(patience.pause_after(error))
            else:
                return

    async def _send(self, stream: ingest.IngestStream, timeout_seconds: float) -> AsyncGenerator[t.IngestEvent, None]:
        self._open()  # says so where the client is closed
        relay = Relay()
        self._relays.add(relay)
        options = _channel.options(self._settings)
        try:
            async with aclosing(relay.events(self.address, options, stream, timeout_seconds, self._metadata)) as events:
                async for event in events:
                    yield event
        finally:
            self._relays.discard(relay)
