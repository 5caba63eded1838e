"""The Corpus service: messages to values and back."""

from __future__ import annotations

from hotset.v1 import common_pb2
from hotset.v1 import corpus_pb2 as pb
from hotsetd.corpus import Described, Got, ListCall, Listed, RemoveCall, Removed
from hotsetd.ingesting import Batch, Header
from hotsetd.wire import common
from retrieval.errors import BadField
from retrieval.ingest.progress import Progress, Summary
from retrieval.ingest.sending import Document
from retrieval.ingest.turn_records import TurnInput
from retrieval.ingest.typed_records import EdgeInput, RecordInput
from retrieval.record import Record, StoredEdge
from retrieval.relations import Role
from workingset.vocabulary import Generation, Ref, Standing

ROLES: dict[Role, pb.RelationRole.ValueType] = {
    Role.MANDATORY: pb.RELATION_ROLE_MANDATORY,
    Role.ASSOCIATIVE: pb.RELATION_ROLE_ASSOCIATIVE,
    Role.OPPOSING: pb.RELATION_ROLE_OPPOSING,
    Role.IDENTITY: pb.RELATION_ROLE_IDENTITY,
    Role.ORIGIN: pb.RELATION_ROLE_ORIGIN,
    Role.SUCCESSION: pb.RELATION_ROLE_SUCCESSION,
}
ROLES_OF: dict[int, Role] = {value: role for role, value in ROLES.items()}


def list_call(request: pb.ListRequest) -> ListCall:
    """What List asks."""
    return ListCall(
        namespace=request.namespace,
        kind=request.kind,
        path_prefix=request.path_prefix,
        page_size=request.page_size,
        cursor=request.cursor,
    )


def remove_call(request: pb.RemoveRequest) -> RemoveCall:
    """What Remove asks."""
    return RemoveCall(
        namespace=request.namespace,
        refs=tuple(request.refs),
        source=request.source,
        path=request.path,
        request_id=request.request_id,
    )


def record(value: Record, standing: Standing, successor: Ref | None, *, with_text: bool) -> pb.StoredRecord:
    """A record, in a listing without its texts."""
    return pb.StoredRecord(
        ref=value.ref,
        namespace=value.namespace,
        kind=value.kind,
        title=value.title,
        path=value.path,
        lines=common.lines(value.lines),
        language=value.language,
        text=value.text if with_text else "",
        outline=value.outline if with_text else "",
        gist=value.gist,
        digest=value.digest,
        generation=value.generation,
        source=value.source,
        origin=value.origin,
        attributes=dict(value.attributes),
        valid_from_seconds=value.valid_from_seconds,
        valid_until_seconds=value.valid_until_seconds,
        retrieved_seconds=value.retrieved_seconds,
        verified_seconds=value.verified_seconds,
        validator=value.validator,
        standing=common.STANDINGS[standing],
        successor=successor or "",
    )


def edge(value: StoredEdge) -> pb.StoredEdge:
    """One edge."""
    message = pb.StoredEdge(
        relation=value.edge.relation,
        to=value.edge.target,
        role=ROLES[value.edge.role],
        best_effort=value.edge.best_effort,
    )
    setattr(message, "from", value.edge.source)
    return message


def got(value: Got) -> pb.GetReply:
    """A record with its edges."""
    return pb.GetReply(
        record=record(value.record, value.standing, value.successor, with_text=True),
        edges=[edge(e) for e in value.edges],
        edges_truncated=value.truncated,
        cut=common.cut(value.cut),
    )


def listed(value: Listed) -> pb.ListReply:
    """One page."""
    return pb.ListReply(
        records=[
            record(r, *standing, with_text=False) for r, standing in zip(value.records, value.standings, strict=True)
        ],
        next_cursor=value.next_cursor,
        cut=common.cut(value.cut),
    )


def described(value: Described) -> pb.DescribeNamespaceReply:
    """A namespace."""
    return pb.DescribeNamespaceReply(
        namespace=value.namespace,
        generation=value.counts.generation,
        records=value.counts.records,
        edges=value.counts.edges,
        kinds=common.reasons(value.counts.kinds),
        indexes=[
            pb.IndexState(index=i.name, generation=i.generation, lag=i.lag, covered=i.covered, note=i.note)
            for i in value.indexes
        ],
        relations=[pb.RelationDescription(relation=name, role=ROLES[role]) for name, role in value.relations],
    )


def removed(value: Removed) -> pb.RemoveReply:
    """How many."""
    return pb.RemoveReply(removed=value.count, generation=value.generation, replayed=value.replayed)


def progress(value: Progress) -> pb.IngestReply:
    """How far a tree has come."""
    return pb.IngestReply(
        progress=pb.IngestProgress(
            stage=value.stage,
            files_done=value.files_done,
            files_total=value.files_total,
            records=value.records,
            elapsed_seconds=value.elapsed_seconds,
        )
    )


def acknowledged(sequence: int, generation: Generation, *, replayed: bool) -> pb.IngestReply:
    """A batch is durable."""
    return pb.IngestReply(
        acknowledged=pb.IngestAcknowledged(sequence=sequence, generation=generation, replayed=replayed)
    )


def summary(value: Summary) -> pb.IngestReply:
    """What a stream did."""
    return pb.IngestReply(
        summary=pb.IngestSummary(
            namespace=value.namespace,
            generation=value.generation,
            files_taken=value.files_taken,
            files_unchanged=value.files_unchanged,
            files_removed=value.files_removed,
            records_written=value.records_written,
            records_removed=value.records_removed,
            edges_written=value.edges_written,
            skipped=[common_pb2.ReasonCount(reason=reason, count=count) for reason, count in value.skipped],
            problems=[pb.FileProblem(path=p.path, reason=p.reason, what=p.what) for p in value.problems],
            problems_truncated=value.problems_truncated,
            elapsed_seconds=value.elapsed_seconds,
            stages=[pb.StageTime(stage=stage, seconds=seconds) for stage, seconds in value.stages],
            bytes=value.bytes,
        )
    )


def header(message: pb.IngestHeader) -> Header:
    """What a stream begins with."""
    return Header(message.namespace, message.request_id, message.source)


def batch(message: pb.IngestBatch) -> Batch:
    """One transaction's worth."""
    return Batch(
        documents=tuple(Document(document.path, document.content) for document in message.documents),
        records=tuple(_record_input(record) for record in message.records),
        edges=tuple(_edge_input(place, edge) for place, edge in enumerate(message.edges)),
        turns=tuple(_turn_input(turn) for turn in message.turns),
        sequence=message.sequence,
        completes_source=message.completes_source,
    )


def _record_input(message: pb.RecordInput) -> RecordInput:
    return RecordInput(
        id=message.id,
        kind=message.kind,
        title=message.title,
        text=message.text,
        attributes=tuple(sorted(message.attributes.items())),
        origin=message.origin,
        valid_from_seconds=message.valid_from_seconds,
        valid_until_seconds=message.valid_until_seconds,
        retrieved_seconds=message.retrieved_seconds,
        verified_seconds=message.verified_seconds,
        validator=message.validator,
    )


def _turn_input(message: pb.TurnInput) -> TurnInput:
    return TurnInput(
        conversation=message.conversation,
        turn=message.turn,
        speaker=message.speaker,
        seconds=message.seconds,
        text=message.text,
        session=message.session,
        attributes=tuple(sorted(message.attributes.items())),
    )


def _edge_input(place: int, message: pb.EdgeInput) -> EdgeInput:
    role = message.role
    if role and role not in ROLES_OF:
        raise BadField(f"edges[{place}].role", f"{role} is not a role")
    return EdgeInput(
        source=getattr(message, "from"), relation=message.relation, target=message.to, role=ROLES_OF.get(role)
    )
