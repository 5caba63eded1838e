"""A synchronous connection: it performs the effects that use cases ask for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc

from hotset import _channel
from hotset import types as t
from hotset._base import ClientBase
from hotset._conduct import Attempt, Effect, Patience, Pause, Start, Steps
from hotset._spawn import start_daemon
from hotset._sync_wire import send, send_stream
from hotset._wire import ingest
from hotset._wire.call import Call
from hotset.errors import Unavailable

AnswerT = TypeVar("AnswerT")


class SyncLink(ClientBase):
    """Opens, closes and drives one gRPC channel. Not for use by itself."""

    def _prepare(self) -> None:
        self._channel = grpc.insecure_channel(self._endpoint.target, options=_channel.options(self._settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; calls under way are cancelled."""
        self._channel.close()

    def _run(self, call: Call[AnswerT], timeout_seconds: float | None) -> AnswerT:
        return self._drive(self._conduct.run(call, timeout_seconds))

    def _drive(self, steps: Steps[AnswerT]) -> AnswerT:
        try:
            effect = next(steps)
            while True:
                try:
                    result = self._perform(effect)
                except Exception as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(result)
        except StopIteration as done:
            answer: AnswerT = done.value
            return answer

    def _perform(self, effect: Effect) -> Any:
        match effect:
            case Attempt():
                return send(self._channel, effect.call, effect.timeout_seconds, self._metadata, self.address)
            case Pause():
                time.sleep(effect.seconds)
                return None
            case Start():
                return start_daemon(effect.home, self._settings.start)

    def _events(self, stream: ingest.IngestStream, timeout_seconds: float | None) -> Iterator[t.IngestEvent]:
        patience = self._conduct.patience(
            timeout_seconds, repeatable=stream.repeatable, longest=self._settings.ingest_timeout_seconds
        )
        return self._follow(stream, patience)

    def _follow(self, stream: ingest.IngestStream, patience: Patience) -> Iterator[t.IngestEvent]:
        while True:
            self._drive(self._conduct.ensure_running(patience))
            try:
                yield from send_stream(self._channel, stream, patience.remaining(), self._metadata, self.address)
            except Unavailable as error:
                time.sleep(patience.pause_after(error))
            else:
                return
