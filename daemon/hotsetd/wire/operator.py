"""The Operator service: messages to values and back."""

from __future__ import annotations

from collections.abc import Sequence

from hotset.v1 import operator_pb2 as pb
from hotsetd.collection import CollectCall, CollectedIn
from hotsetd.wire import common


def collect_call(request: pb.CollectRequest) -> CollectCall:
    """What Collect asks."""
    until = request.WhichOneof("until")
    return CollectCall(
        namespace=request.namespace,
        before_generation=request.before_generation if until == "before_generation" else None,
        older_than_seconds=request.older_than_seconds if until == "older_than_seconds" else None,
        dry_run=request.dry_run,
    )


def collected(values: Sequence[CollectedIn], versions: common.Versions, *, dry_run: bool) -> pb.CollectReply:
    """What was, or would be, collected."""
    return pb.CollectReply(namespaces=map(_collected, values), dry_run=dry_run, versions=versions.message())


def _collected(value: CollectedIn) -> pb.CollectedNamespace:
    counts = value.collected
    return pb.CollectedNamespace(
        namespace=value.namespace,
        generation=value.generation,
        horizon=value.horizon,
        horizon_before=value.horizon_before,
        versions=counts.versions,
        edges=counts.edges,
        changes=counts.changes,
        names=counts.names,
        note=value.note,
    )
