"""The messages of an ingest stream, made lazily and cut into batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hotset import types as t
from hotset._wire import corpus, words
from hotset._wire.call import reader, request_id
from hotset._wire.fields import signed, text, text_map
from hotset.errors import BadRequest, OverLimits
from hotset.settings import ClientSettings
from hotset.v1 import corpus_pb2 as pb

PATH = "/hotset.v1.Corpus/Ingest"

read_event: Callable[[bytes], t.IngestEvent] = reader(pb.IngestReply, corpus.ingest_event)
"""Reads one reply of the stream."""


@dataclass(frozen=True, slots=True)
class IngestStream:
    """An ingest as a value: `payloads()` gives its messages anew; `repeatable` where it can be sent again whole."""

    payloads: Callable[[], Iterator[bytes]]
    repeatable: bool


@dataclass(frozen=True, slots=True)
class Ticket:
    """What every ingest carries: the namespace, the source's name, and the id that makes it repeatable."""

    namespace: str
    source: str
    request_id: str


def ticket(namespace: str, source: str, repeat_id: str | None) -> Ticket:
    """Make a checked ticket."""
    identity = text("request_id", request_id(repeat_id))
    return Ticket(text("namespace", namespace), text("source", source), identity)


def tree(to: Ticket, root: str, *, force: bool) -> IngestStream:
    """Ask the daemon to read a directory on its own machine."""
    request = pb.IngestRequest(tree=pb.IngestTree(root=text("root", root), force=force))
    messages = [_header(to), request.SerializeToString()]
    return IngestStream(lambda: iter(messages), bool(to.request_id))


def documents(
    to: Ticket, entries: Iterable[t.Document], *, completes_source: bool, settings: ClientSettings
) -> IngestStream:
    """Send files' contents in batches."""

    def payloads() -> Iterator[bytes]:
        steps = (_document(place, each) for place, each in enumerate(entries))
        yield from _batches(to, steps, completes_source, settings)

    return IngestStream(payloads, bool(to.request_id) and isinstance(entries, Sequence))


def records(
    to: Ticket,
    entries: Iterable[t.RecordInput],
    edges: Iterable[t.EdgeInput],
    *,
    completes_source: bool,
    settings: ClientSettings,
) -> IngestStream:
    """Send typed records in batches, and then their edges, so that each edge finds its ends."""

    def steps() -> Iterator[_Entry]:
        for place, record in enumerate(entries):
            yield _record(f"records[{place}]", record)
        for place, edge in enumerate(edges):
            yield _edge(f"edges[{place}]", edge)

    def payloads() -> Iterator[bytes]:
        yield from _batches(to, steps(), completes_source, settings)

    again = isinstance(entries, Sequence) and isinstance(edges, Sequence)
    return IngestStream(payloads, bool(to.request_id) and again)


def turns(to: Ticket, entries: Iterable[t.ConversationTurn], *, settings: ClientSettings) -> IngestStream:
    """Send turns of conversations in batches, in their order."""

    def payloads() -> Iterator[bytes]:
        steps = (_turn(f"turns[{place}]", each) for place, each in enumerate(entries))
        yield from _batches(to, steps, False, settings)

    return IngestStream(payloads, bool(to.request_id) and isinstance(entries, Sequence))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One thing to put in, with its name for messages."""

    name: str
    message: pb.Document | pb.RecordInput | pb.EdgeInput | pb.TurnInput


def _header(to: Ticket) -> bytes:
    header = pb.IngestHeader(namespace=to.namespace, request_id=to.request_id, source=to.source)
    return pb.IngestRequest(header=header).SerializeToString()


def _batches(
    to: Ticket, entries: Iterator[_Entry], completes_source: bool, settings: ClientSettings
) -> Iterator[bytes]:
    yield _header(to)
    batch = pb.IngestBatch()
    size = held = 0
    for entry in entries:
        weight = entry.message.ByteSize()
        if weight + settings.batch_entries > settings.message_bytes:
            raise OverLimits(
                f"{entry.name} has {weight} bytes and a message may have {settings.message_bytes}",
                reason="MESSAGE_TOO_LARGE",
                field=entry.name,
                what_to_do="leave it out, split it, or let the daemon read the directory with ingest_tree",
            )
        if held and (size + weight > settings.batch_bytes or held >= settings.batch_entries):
            yield pb.IngestRequest(batch=batch).SerializeToString()
            batch = pb.IngestBatch(sequence=batch.sequence + 1)
            size = held = 0
        _add(batch, entry)
        size, held = size + weight, held + 1
    batch.completes_source = completes_source
    if held or completes_source:
        yield pb.IngestRequest(batch=batch).SerializeToString()


def _add(batch: pb.IngestBatch, entry: _Entry) -> None:
    match entry.message:
        case pb.Document():
            batch.documents.append(entry.message)
        case pb.RecordInput():
            batch.records.append(entry.message)
        case pb.EdgeInput():
            batch.edges.append(entry.message)
        case pb.TurnInput():
            batch.turns.append(entry.message)


def _document(place: int, document: t.Document) -> _Entry:
    name = f"documents[{place}]"
    if not isinstance(document.content, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadRequest(
            f"{name}.content: must be bytes",
            reason="BAD_FIELD",
            field=f"{name}.content",
            what_to_do="read the file in binary mode",
        )
    path = text(f"{name}.path", document.path)
    return _Entry(f"{name} ({path})", pb.Document(path=path, content=document.content))


def _record(name: str, record: t.RecordInput) -> _Entry:
    message = pb.RecordInput(
        id=text(f"{name}.id", record.id),
        kind=text(f"{name}.kind", record.kind),
        title=text(f"{name}.title", record.title),
        text=text(f"{name}.text", record.text),
        attributes=text_map(f"{name}.attributes", record.attributes),
        origin=text(f"{name}.origin", record.origin),
        valid_from_seconds=signed(f"{name}.valid_from_seconds", record.valid_from_seconds),
        valid_until_seconds=signed(f"{name}.valid_until_seconds", record.valid_until_seconds),
        retrieved_seconds=signed(f"{name}.retrieved_seconds", record.retrieved_seconds),
        verified_seconds=signed(f"{name}.verified_seconds", record.verified_seconds),
        validator=text(f"{name}.validator", record.validator),
    )
    return _Entry(name, message)


def _turn(name: str, turn: t.ConversationTurn) -> _Entry:
    message = pb.TurnInput(
        conversation=text(f"{name}.conversation", turn.conversation),
        turn=text(f"{name}.turn", turn.turn),
        speaker=text(f"{name}.speaker", turn.speaker),
        seconds=signed(f"{name}.seconds", turn.seconds),
        text=text(f"{name}.text", turn.text),
        session=text(f"{name}.session", turn.session),
        attributes=text_map(f"{name}.attributes", turn.attributes),
    )
    return _Entry(name, message)


def _edge(name: str, edge: t.EdgeInput) -> _Entry:
    message = pb.EdgeInput(
        relation=text(f"{name}.relation", edge.relation),
        to=text(f"{name}.to_ref", edge.to_ref),
        role=words.RELATION_ROLE.number(f"{name}.role", edge.role),
    )
    setattr(message, "from", text(f"{name}.from_ref", edge.from_ref))
    return _Entry(name, message)
