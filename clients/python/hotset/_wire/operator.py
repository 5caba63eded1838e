"""The calls of the Operator service, and their answers as values."""

from __future__ import annotations

from hotset import types as t
from hotset._wire.call import Call, call
from hotset._wire.fields import flag, text, unsigned
from hotset._wire.shared import versions
from hotset.v1 import operator_pb2 as pb

SERVICE = "/hotset.v1.Operator/"


def collect(
    namespace: str, *, before_generation: int | None, older_than_seconds: int | None, dry_run: bool
) -> Call[t.CollectAnswer]:
    """Make a Collect; twice is once. What is None is left out, and the daemon says where one is needed."""
    request = pb.CollectRequest(namespace=text("namespace", namespace), dry_run=flag("dry_run", dry_run))
    if before_generation is not None:
        request.before_generation = unsigned("before_generation", before_generation)
    if older_than_seconds is not None:
        request.older_than_seconds = unsigned("older_than_seconds", older_than_seconds)
    return call(SERVICE + "Collect", request, pb.CollectReply, collected, repeatable=True)


def collected(message: pb.CollectReply) -> t.CollectAnswer:
    """Read the answer to Collect."""
    return t.CollectAnswer(
        namespaces=tuple(map(_namespace, message.namespaces)),
        dry_run=message.dry_run,
        versions=versions(message.versions),
    )


def _namespace(message: pb.CollectedNamespace) -> t.CollectedNamespace:
    return t.CollectedNamespace(
        namespace=message.namespace,
        generation=message.generation,
        horizon=message.horizon,
        horizon_before=message.horizon_before,
        versions=message.versions,
        edges=message.edges,
        changes=message.changes,
        names=message.names,
        note=message.note,
    )
