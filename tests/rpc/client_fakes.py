"""A daemon for the client's tests: it serves the generated services in this process and answers by script."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from hotset import AsyncHotsetClient, ClientSettings, HotsetClient, RetrySettings
from hotset.v1 import (
    attention_pb2,
    attention_pb2_grpc,
    common_pb2,
    corpus_pb2,
    corpus_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
)

_RENAMED = {
    ("Move", "from"): "from_tier",
    ("Move", "to"): "to_tier",
    ("StoredEdge", "from"): "from_ref",
    ("StoredEdge", "to"): "to_ref",
}


def filled(kind: type[Message]) -> Any:
    """Return a message in which every field, at every depth, has a value of its own."""
    message = kind()
    _fill(message, iter(range(1, 100_000)))
    return message


def _fill(message: Message, numbers: Iterator[int], within: frozenset[str] = frozenset()) -> None:
    """A message that can hold itself does so once."""
    around = within | {message.DESCRIPTOR.full_name}
    for each in message.DESCRIPTOR.fields:
        if each.message_type is not None and each.message_type.full_name in within:
            continue
        if each.message_type is not None and each.message_type.GetOptions().map_entry:
            getattr(message, each.name).update({f"key-{next(numbers)}": f"value-{next(numbers)}" for _ in range(2)})
        elif each.is_repeated:
            for _ in range(2):
                if each.message_type is not None:
                    _fill(getattr(message, each.name).add(), numbers, around)
                else:
                    getattr(message, each.name).append(_scalar(each, numbers))
        elif each.message_type is not None:
            _fill(getattr(message, each.name), numbers, around)
        else:
            setattr(message, each.name, _scalar(each, numbers))


def _scalar(each: FieldDescriptor, numbers: Iterator[int]) -> Any:
    number = next(numbers)
    if each.name == "protocol":
        return "hotset.v1"
    if each.enum_type is not None:
        choices = each.enum_type.values[1:]
        return choices[number % len(choices)].number
    match each.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            return f"{each.name}-{number}" if each.type == FieldDescriptor.TYPE_STRING else b"bytes"
        case FieldDescriptor.CPPTYPE_BOOL:
            return True
        case FieldDescriptor.CPPTYPE_DOUBLE:
            return number / 8
        case _:
            return number


def plain_of(message: Message) -> dict[str, Any]:
    """Return a message as the client's answers are expected to read: words in lower case, Python's words renamed, one
    value for a choice of kinds of it."""
    plain: dict[str, Any] = {}
    for each in message.DESCRIPTOR.fields:
        choice = each.containing_oneof.name if each.containing_oneof is not None else ""
        if choice == "value" and message.WhichOneof("value") != each.name:
            continue
        value = getattr(message, each.name)
        name = choice if choice == "value" else _RENAMED.get((message.DESCRIPTOR.name, each.name), each.name)
        if each.message_type is not None and each.message_type.GetOptions().map_entry:
            plain[name] = dict(sorted(value.items()))
        elif each.is_repeated:
            plain[name] = [_plain_value(each, one) for one in value]
        elif each.message_type is not None and not message.HasField(each.name):
            plain[name] = None
        else:
            plain[name] = _plain_value(each, value)
    return plain


def _plain_value(each: FieldDescriptor, value: Any) -> Any:
    if each.message_type is not None:
        return plain_of(value)
    if each.enum_type is not None:
        words = each.enum_type.values_by_number[value].name
        prefix = each.enum_type.values_by_number[0].name.removesuffix("UNSPECIFIED")
        return words.removeprefix(prefix).lower()
    return value


@dataclass(frozen=True)
class Failure:
    """An answer that is an error status, with the daemon's reason where one is given."""

    code: grpc.StatusCode
    details: str = "it failed"
    reason: common_pb2.ErrorReason | None = None


Answer = Message | Failure | Callable[[Any, grpc.ServicerContext], Message]


@dataclass
class FakeDaemon:
    """Serves on the socket of a home of its own. `script[method]` is answered first, then a filled reply, always."""

    home: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="hotset-")))
    serving: bool = True

    def __post_init__(self) -> None:
        self.script: dict[str, deque[Answer]] = defaultdict(deque)
        self.requests: dict[str, list[Any]] = defaultdict(list)
        self.metadata: list[dict[str, str]] = []
        self.cancelled = threading.Event()
        self.entered = threading.Event()
        self.health = health.HealthServicer()
        self.address = f"unix:{self.home / 'run' / 'hotsetd.sock'}"

    def __enter__(self) -> Self:
        (self.home / "run").mkdir(parents=True, exist_ok=True)
        limits = [("grpc.max_receive_message_length", 32 << 20), ("grpc.max_send_message_length", 32 << 20)]
        self._server = grpc.server(ThreadPoolExecutor(4), options=limits)
        attention_pb2_grpc.add_AttentionServicer_to_server(_attention(self), self._server)
        corpus_pb2_grpc.add_CorpusServicer_to_server(_corpus(self), self._server)
        operator_pb2_grpc.add_OperatorServicer_to_server(_operator(self), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self._server)
        status = health_pb2.HealthCheckResponse.SERVING if self.serving else health_pb2.HealthCheckResponse.NOT_SERVING
        self.health.set("", status)
        assert self._server.add_insecure_port(self.address)
        self._server.start()
        return self

    def __exit__(self, *ended: object) -> None:
        self._server.stop(None).wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def answer(self, method: str, request: Any, reply: type[Message], context: grpc.ServicerContext) -> Message:
        """Note the request and give the next answer of the script."""
        self.requests[method].append(request)
        self.metadata.append({key: value for key, value in context.invocation_metadata() if isinstance(value, str)})
        answer = self.script[method].popleft() if self.script[method] else filled(reply)
        match answer:
            case Failure():
                fail(context, answer)
                raise AssertionError("abort raises")
            case Message():
                return answer
            case _:
                return answer(request, context)

    def hang(self, _request: Any, context: grpc.ServicerContext) -> Message:
        """Answer only when the call was cancelled or its deadline ran out; `cancelled` is set then."""
        assert context.add_callback(self.cancelled.set)
        self.entered.set()
        assert self.cancelled.wait(30)
        return attention_pb2.StatusReply()


def fail(context: grpc.ServicerContext, failure: Failure) -> None:
    """Abort a call as the daemon does: the reason rides in the trailing metadata."""
    if failure.reason is not None:
        context.set_trailing_metadata((("hotset-error-bin", failure.reason.SerializeToString()),))
    context.abort(failure.code, failure.details)


def _attention(daemon: FakeDaemon) -> Any:
    names = attention_pb2.DESCRIPTOR.services_by_name["Attention"].methods
    methods = {each.name: _unary(daemon, each.name, getattr(attention_pb2, each.output_type.name)) for each in names}
    return type("Attention", (attention_pb2_grpc.AttentionServicer,), methods)()


def _corpus(daemon: FakeDaemon) -> Any:
    names = [each for each in corpus_pb2.DESCRIPTOR.services_by_name["Corpus"].methods if each.name != "Ingest"]
    methods = {each.name: _unary(daemon, each.name, getattr(corpus_pb2, each.output_type.name)) for each in names}
    return type("Corpus", (corpus_pb2_grpc.CorpusServicer,), methods | {"Ingest": _ingest(daemon)})()


def _operator(daemon: FakeDaemon) -> Any:
    names = operator_pb2.DESCRIPTOR.services_by_name["Operator"].methods
    methods = {each.name: _unary(daemon, each.name, getattr(operator_pb2, each.output_type.name)) for each in names}
    return type("Operator", (operator_pb2_grpc.OperatorServicer,), methods)()


def _unary(daemon: FakeDaemon, name: str, reply: type[Message]) -> Any:
    def method(_self: object, request: Any, context: grpc.ServicerContext) -> Message:
        return daemon.answer(name, request, reply, context)

    return method


def _ingest(daemon: FakeDaemon) -> Any:
    """Acknowledge each batch, report progress on a tree, end with a summary; a scripted Failure comes after a batch."""

    def method(_self: object, requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Message]:
        seen: list[Any] = []
        daemon.requests["Ingest"].append(seen)
        for request in requests:
            seen.append(request)
            if daemon.script["Ingest"] and request.WhichOneof("step") != "header":
                failure = daemon.script["Ingest"].popleft()
                assert isinstance(failure, Failure)
                fail(context, failure)
            if request.WhichOneof("step") == "batch":
                acknowledged = corpus_pb2.IngestAcknowledged(sequence=request.batch.sequence, generation=len(seen))
                yield corpus_pb2.IngestReply(acknowledged=acknowledged)
            elif request.WhichOneof("step") == "tree":
                yield corpus_pb2.IngestReply(progress=filled(corpus_pb2.IngestProgress))
        yield corpus_pb2.IngestReply(summary=filled(corpus_pb2.IngestSummary))

    return method


QUICK = ClientSettings(retry=RetrySettings(first_pause_seconds=0.001), batch_entries=2, timeout_seconds=20)
UNAVAILABLE = Failure(grpc.StatusCode.UNAVAILABLE, "draining", common_pb2.ErrorReason(reason="DRAINING"))


class Caller:
    """One of the two clients, called the same way."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def __call__(self, name: str, *given: Any, **named: Any) -> Any:
        result = getattr(self.client, name)(*given, **named)
        if hasattr(result, "__aiter__"):
            return [each async for each in result]
        if hasattr(result, "__await__"):
            return await result
        return list(result) if isinstance(result, Iterator) else result


@asynccontextmanager
async def calling(kind: str, daemon: FakeDaemon) -> AsyncIterator[Caller]:
    """Open the sync or the async client."""
    options: dict[str, Any] = {"agent": "dev-7", "settings": QUICK, "token": "secret"}
    if kind == "sync":
        with HotsetClient(daemon.address, **options) as client:
            yield Caller(client)
    else:
        async with AsyncHotsetClient(daemon.address, **options) as client:
            yield Caller(client)


def record(ref: str, text: str, following: int = 0) -> attention_pb2.ResolvedRecord:
    return attention_pb2.ResolvedRecord(ref=ref, text=text, next_offset_bytes=following)


CUT = common_pb2.Cut(generations=[common_pb2.NamespaceGeneration(namespace="shop", generation=118)])


def page(refs: list[str], cursor: str) -> corpus_pb2.ListReply:
    return corpus_pb2.ListReply(records=[corpus_pb2.StoredRecord(ref=ref) for ref in refs], next_cursor=cursor)
