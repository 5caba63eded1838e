"""The Corpus service's sources: messages to values and back."""

from __future__ import annotations

from hotset.v1 import common_pb2
from hotset.v1 import corpus_pb2 as pb
from hotsetd.source_reports import SourceReport, SourceState
from hotsetd.sources import SourceCall, SourceRemoved
from hotsetd.wire import corpus
from retrieval.errors import BadField

STATES: dict[SourceState, pb.SourceState.ValueType] = {
    SourceState.SCANNING: pb.SOURCE_STATE_SCANNING,
    SourceState.CURRENT: pb.SOURCE_STATE_CURRENT,
    SourceState.DEGRADED: pb.SOURCE_STATE_DEGRADED,
}


def add_call(request: pb.AddSourceRequest) -> SourceCall:
    """What AddSource asks."""
    if request.kind not in {pb.SOURCE_KIND_UNSPECIFIED, pb.SOURCE_KIND_TREE}:
        raise BadField("kind", f"{request.kind} is not a kind of source: only trees are followed")
    return SourceCall(request.namespace, request.root)


def remove_call(request: pb.RemoveSourceRequest) -> SourceCall:
    """What RemoveSource asks."""
    return SourceCall(request.namespace, request.root, request.keep_records)


def source(value: SourceReport) -> pb.Source:
    """How one source stands."""
    message = pb.Source(
        namespace=value.namespace,
        root=value.root,
        kind=pb.SOURCE_KIND_TREE,
        state=STATES[value.state],
        because=value.because,
        polling=value.polling,
        pending=value.pending,
        generation=value.generation,
        scanned_at_seconds=value.scanned_at_seconds,
        files=value.files,
        skipped=[common_pb2.ReasonCount(reason=reason, count=count) for reason, count in value.skipped],
    )
    if value.progress is not None:
        message.progress.CopyFrom(corpus.progress(value.progress).progress)
    return message


def added(value: SourceReport, already_followed: bool) -> pb.AddSourceReply:
    """A source is followed."""
    return pb.AddSourceReply(source=source(value), already_followed=already_followed)


def removed(value: SourceRemoved) -> pb.RemoveSourceReply:
    """A source is followed no longer."""
    return pb.RemoveSourceReply(removed=value.records, generation=value.generation)


def listed(values: tuple[SourceReport, ...]) -> pb.ListSourcesReply:
    """How sources stand."""
    return pb.ListSourcesReply(sources=[source(value) for value in values])
