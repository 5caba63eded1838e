"""A gRPC status as an error of `hotset.errors`: by the daemon's reason where there is one, else by the status code."""

from __future__ import annotations

from collections.abc import Iterable

import grpc
from google.protobuf.message import DecodeError

from hotset import errors as e
from hotset.v1 import common_pb2

REASON_KEY = "hotset-error-bin"
"""Trailing metadata that carries a serialised ErrorReason."""

BY_REASON: dict[str, type[e.HotsetError]] = {
    "CUT_EXPIRED": e.CutExpired,
    "FOREIGN_STORE": e.Unavailable,
    "NOT_RETAINED": e.NotFound,
    "READ_ONLY": e.Unavailable,
    "STALE_CURSOR": e.StaleCursor,
    "STORAGE_FULL": e.StorageFull,
    "STORE_BUSY": e.Unavailable,
    "UNKNOWN_AGENT": e.UnknownAgent,
    "UNKNOWN_NAMESPACE": e.UnknownNamespace,
    "UNKNOWN_REF": e.UnknownRef,
    "VERSION_MISMATCH": e.VersionMismatch,
}

BY_STATUS: dict[grpc.StatusCode, type[e.HotsetError]] = {
    grpc.StatusCode.ABORTED: e.Conflict,
    grpc.StatusCode.ALREADY_EXISTS: e.Conflict,
    grpc.StatusCode.CANCELLED: e.Cancelled,
    grpc.StatusCode.DATA_LOSS: e.DaemonFault,
    grpc.StatusCode.DEADLINE_EXCEEDED: e.DeadlineExceeded,
    grpc.StatusCode.FAILED_PRECONDITION: e.Conflict,
    grpc.StatusCode.INTERNAL: e.DaemonFault,
    grpc.StatusCode.INVALID_ARGUMENT: e.BadRequest,
    grpc.StatusCode.NOT_FOUND: e.NotFound,
    grpc.StatusCode.OK: e.DaemonFault,
    grpc.StatusCode.OUT_OF_RANGE: e.BadRequest,
    grpc.StatusCode.PERMISSION_DENIED: e.NotAuthorised,
    grpc.StatusCode.RESOURCE_EXHAUSTED: e.OverLimits,
    grpc.StatusCode.UNAUTHENTICATED: e.NotAuthorised,
    grpc.StatusCode.UNAVAILABLE: e.Unavailable,
    grpc.StatusCode.UNIMPLEMENTED: e.VersionMismatch,
    grpc.StatusCode.UNKNOWN: e.DaemonFault,
}

_ADVICE: dict[type[e.HotsetError], str] = {
    e.DaemonNotRunning: "start one with `hotset serve`, or let the client do it: autostart=True",
    e.DeadlineExceeded: "allow more time with timeout_seconds, or ask for less",
    e.Unavailable: "try again; if it stays so, look at the daemon's log",
    e.VersionMismatch: "upgrade the older of client and daemon",
    e.DaemonFault: "report it together with the daemon's log",
}

_NEVER_CONNECTED = ("failed to connect", "connections to all backends failing", "connection refused")
_NOT_OURS = ("permission denied",)

Metadata = Iterable[tuple[str, str | bytes]]


def error_of(code: grpc.StatusCode, details: str, trailing: Metadata, target: str) -> e.HotsetError:
    """Return the error of a status; `target` is named where nothing answers there."""
    reason = _reason(trailing)
    kind = BY_REASON.get(reason.reason) or BY_STATUS[code]
    message = details or f"the call ended with {code.name}"
    if kind is e.Unavailable and not reason.reason and _holds(details, _NEVER_CONNECTED):
        kind = e.DaemonNotRunning
        message = f"no daemon answers at {target}"
        if _holds(details, _NOT_OURS):
            kind = e.NotAuthorised
            message = f"this user may not connect to {target}: the daemon serves its owner only"
    if kind is e.DeadlineExceeded and not reason.reason:
        message = f"no answer from {target} within the deadline"
    return kind(
        message,
        reason=reason.reason or code.name,
        field=reason.field,
        what_to_do=reason.what_to_do or _ADVICE.get(kind, ""),
        request_id=reason.request_id,
        status=code.name,
    )


def _holds(details: str, signs: tuple[str, ...]) -> bool:
    lowered = details.lower()
    return any(sign in lowered for sign in signs)


def _reason(trailing: Metadata) -> common_pb2.ErrorReason:
    reason = common_pb2.ErrorReason()
    for key, value in trailing:
        if key == REASON_KEY and isinstance(value, bytes):
            try:
                reason.ParseFromString(value)
            except DecodeError:
                return common_pb2.ErrorReason(reason="UNREADABLE_REASON")
    return reason
