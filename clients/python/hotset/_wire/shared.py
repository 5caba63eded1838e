"""Messages of `common.proto` as values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hotset import types as t
from hotset.errors import VersionMismatch
from hotset.v1 import common_pb2

PROTOCOL = "hotset.v1"
"""What this client speaks. Daemons with the same major number are understood."""

_MAJOR = re.compile(r"(?:^|v)(\d+)(?:\.|$)")


def lines(message: common_pb2.Lines) -> t.Lines | None:
    """Read lines; None where the message is empty."""
    return t.Lines(start=message.start, end=message.end) if message.start else None


def cut(message: common_pb2.Cut) -> t.Cut:
    """Read a cut."""
    return t.Cut(tuple(t.NamespaceGeneration(each.namespace, each.generation) for each in message.generations))


def cut_message(value: t.Cut | None) -> common_pb2.Cut | None:
    """Write a cut; None stays absent: the newest."""
    if value is None:
        return None
    return common_pb2.Cut(
        generations=[
            common_pb2.NamespaceGeneration(namespace=each.namespace, generation=each.generation)
            for each in value.generations
        ]
    )


def versions(message: common_pb2.Versions) -> t.Versions:
    """Read versions; raise VersionMismatch where the daemon speaks another major version of the protocol."""
    require_protocol(message.protocol, message.daemon)
    return t.Versions(
        daemon=message.daemon,
        protocol=message.protocol,
        profile=message.profile,
        contract=message.contract,
        calibration=message.calibration,
        tokenizer=message.tokenizer,
        embedding_model=message.embedding_model,
    )


def require_protocol(spoken: str, daemon: str) -> None:
    """Raise VersionMismatch unless `spoken` is of this client's major version or left out."""
    major = _MAJOR.search(spoken)
    own = _MAJOR.search(PROTOCOL)
    if major is None or own is None or major.group(1) == own.group(1):
        return
    raise VersionMismatch(
        f"the daemon {daemon or '(version unknown)'} speaks {spoken!r} and this client speaks {PROTOCOL!r}:"
        " upgrade the older of the two",
        reason="VERSION_MISMATCH",
        what_to_do="upgrade the older of the two",
    )


def reason_counts(messages: Iterable[common_pb2.ReasonCount]) -> tuple[t.ReasonCount, ...]:
    """Read counts by reason, in the daemon's order."""
    return tuple(t.ReasonCount(each.reason, each.count) for each in messages)


def attributes(mapping: Mapping[str, str]) -> dict[str, str]:
    """Read a map as a dictionary sorted by key: maps have no order on the wire."""
    return dict(sorted(mapping.items()))
