"""A call as a value: where it goes, its bytes, how to read the reply, and whether it may be repeated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import uuid4

from google.protobuf.message import DecodeError, Message

from hotset.errors import DaemonFault

AnswerT = TypeVar("AnswerT")
ReplyT = TypeVar("ReplyT", bound=Message)


@dataclass(frozen=True, slots=True)
class Call(Generic[AnswerT]):
    """One unary call. `repeatable` where doing it twice is doing it once: reads, and writes with a request id."""

    path: str
    payload: bytes
    decode: Callable[[bytes], AnswerT]
    repeatable: bool


def call(
    path: str, request: Message, reply: type[ReplyT], read: Callable[[ReplyT], AnswerT], *, repeatable: bool
) -> Call[AnswerT]:
    """Make a call from a request message, the reply's type and its reader."""
    return Call(path, request.SerializeToString(), reader(reply, read), repeatable)


def reader(reply: type[ReplyT], read: Callable[[ReplyT], AnswerT]) -> Callable[[bytes], AnswerT]:
    """Return the function from a reply's bytes to its value; bytes that do not decode are a DaemonFault."""

    def decode(payload: bytes) -> AnswerT:
        message = reply()
        try:
            message.ParseFromString(payload)
        except DecodeError as error:
            raise DaemonFault(f"the reply is not a {reply.__name__}: upgrade the older of client and daemon") from error
        return read(message)

    return decode


def request_id(given: str | None) -> str:
    """Return the caller's id, or a new one where it is None. An empty id makes the write unrepeatable."""
    return uuid4().hex if given is None else given
