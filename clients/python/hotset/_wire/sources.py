"""Calls and answers of the Corpus service about sources."""

from __future__ import annotations

from hotset import types as t
from hotset._wire import words
from hotset._wire.call import Call, call
from hotset._wire.corpus import ingest_progress
from hotset._wire.corpus_calls import SERVICE
from hotset._wire.fields import text
from hotset._wire.shared import reason_counts
from hotset.v1 import corpus_pb2 as pb


def add(namespace: str, root: str) -> Call[t.AddSourceAnswer]:
    """Make an AddSource; twice is once."""
    request = pb.AddSourceRequest(
        namespace=text("namespace", namespace), root=text("root", root), kind=pb.SOURCE_KIND_TREE
    )
    return call(SERVICE + "AddSource", request, pb.AddSourceReply, added, repeatable=True)


def remove(namespace: str, root: str, *, keep_records: bool) -> Call[t.RemoveSourceAnswer]:
    """Make a RemoveSource."""
    request = pb.RemoveSourceRequest(
        namespace=text("namespace", namespace), root=text("root", root), keep_records=keep_records
    )
    return call(SERVICE + "RemoveSource", request, pb.RemoveSourceReply, removed, repeatable=False)


def list_sources(namespace: str) -> Call[t.SourceList]:
    """Make a ListSources."""
    request = pb.ListSourcesRequest(namespace=text("namespace", namespace))
    return call(SERVICE + "ListSources", request, pb.ListSourcesReply, listed, repeatable=True)


def _source(message: pb.Source) -> t.Source:
    return t.Source(
        namespace=message.namespace,
        root=message.root,
        kind=words.SOURCE_KIND.read(message.kind),
        state=words.SOURCE_STATE.read(message.state),
        because=message.because,
        polling=message.polling,
        pending=message.pending,
        generation=message.generation,
        scanned_at_seconds=message.scanned_at_seconds,
        files=message.files,
        progress=ingest_progress(message.progress) if message.HasField("progress") else None,
        skipped=reason_counts(message.skipped),
    )


def added(message: pb.AddSourceReply) -> t.AddSourceAnswer:
    """Read the answer to AddSource."""
    return t.AddSourceAnswer(_source(message.source), message.already_followed)


def removed(message: pb.RemoveSourceReply) -> t.RemoveSourceAnswer:
    """Read the answer to RemoveSource."""
    return t.RemoveSourceAnswer(message.removed, message.generation)


def listed(message: pb.ListSourcesReply) -> t.SourceList:
    """Read the answer to ListSources."""
    return t.SourceList(tuple(_source(each) for each in message.sources))
