"""Answers of the Corpus service, as values."""

from __future__ import annotations

from hotset import types as t
from hotset._wire import words
from hotset._wire.shared import attributes, cut, lines, reason_counts
from hotset.errors import DaemonFault
from hotset.v1 import corpus_pb2 as pb


def ingest_event(message: pb.IngestReply) -> t.IngestEvent:
    """Read one event of an ingest."""
    match message.WhichOneof("event"):
        case "progress":
            return ingest_progress(message.progress)
        case "acknowledged":
            each = message.acknowledged
            return t.IngestAcknowledged(each.sequence, each.generation, each.replayed)
        case "summary":
            return _summary(message.summary)
        case None:
            raise DaemonFault("the daemon sent an ingest event that this client does not know: upgrade the client")


def ingest_progress(message: pb.IngestProgress) -> t.IngestProgress:
    """Read how far a tree has come."""
    return t.IngestProgress(
        stage=message.stage,
        files_done=message.files_done,
        files_total=message.files_total,
        records=message.records,
        elapsed_seconds=message.elapsed_seconds,
    )


def _summary(message: pb.IngestSummary) -> t.IngestSummary:
    return t.IngestSummary(
        namespace=message.namespace,
        generation=message.generation,
        files_taken=message.files_taken,
        files_unchanged=message.files_unchanged,
        files_removed=message.files_removed,
        records_written=message.records_written,
        records_removed=message.records_removed,
        edges_written=message.edges_written,
        skipped=reason_counts(message.skipped),
        problems=tuple(t.FileProblem(each.path, each.reason, each.what) for each in message.problems),
        problems_truncated=message.problems_truncated,
        elapsed_seconds=message.elapsed_seconds,
        stages=tuple(t.StageTime(each.stage, each.seconds) for each in message.stages),
        bytes=message.bytes,
    )


def remove(message: pb.RemoveReply) -> t.RemoveAnswer:
    """Read the answer to Remove."""
    return t.RemoveAnswer(message.removed, message.generation, message.replayed)


def _record(message: pb.StoredRecord) -> t.StoredRecord:
    return t.StoredRecord(
        ref=message.ref,
        namespace=message.namespace,
        kind=message.kind,
        title=message.title,
        path=message.path,
        lines=lines(message.lines),
        language=message.language,
        text=message.text,
        outline=message.outline,
        gist=message.gist,
        digest=message.digest,
        generation=message.generation,
        source=message.source,
        origin=message.origin,
        attributes=attributes(message.attributes),
        valid_from_seconds=message.valid_from_seconds,
        valid_until_seconds=message.valid_until_seconds,
        standing=words.STANDING.read(message.standing),
        successor=message.successor,
        retrieved_seconds=message.retrieved_seconds,
        verified_seconds=message.verified_seconds,
        validator=message.validator,
    )


def _edge(message: pb.StoredEdge) -> t.StoredEdge:
    source: str = getattr(message, "from")
    return t.StoredEdge(
        from_ref=source,
        relation=message.relation,
        to_ref=message.to,
        role=words.RELATION_ROLE.read(message.role),
        best_effort=message.best_effort,
    )


def get(message: pb.GetReply) -> t.GetAnswer:
    """Read the answer to Get."""
    return t.GetAnswer(
        record=_record(message.record),
        edges=tuple(_edge(each) for each in message.edges),
        edges_truncated=message.edges_truncated,
        cut=cut(message.cut),
    )


def list_page(message: pb.ListReply) -> t.ListPage:
    """Read one page of a list."""
    return t.ListPage(tuple(_record(each) for each in message.records), message.next_cursor, cut(message.cut))


def namespace(message: pb.DescribeNamespaceReply) -> t.NamespaceDescription:
    """Read the description of a namespace."""
    return t.NamespaceDescription(
        namespace=message.namespace,
        generation=message.generation,
        records=message.records,
        edges=message.edges,
        kinds=reason_counts(message.kinds),
        indexes=tuple(
            t.IndexState(each.index, each.generation, each.lag, each.covered, each.note) for each in message.indexes
        ),
        relations=tuple(
            t.RelationDescription(each.relation, words.RELATION_ROLE.read(each.role)) for each in message.relations
        ),
    )
