"""The standard health call, encoded by hand: its generated code is a package of its own.

Source: `grpc/health/v1/health.proto`. The request holds one string (field 1), the reply one enum (field 1).
"""

from __future__ import annotations

from hotset import types as t
from hotset._wire.call import Call
from hotset._wire.fields import text
from hotset.errors import DaemonFault

PATH = "/grpc.health.v1.Health/Check"

_STRING_FIELD_1 = b"\x0a"
_ENUM_FIELD_1 = b"\x08"
_LONGEST_NAME_BYTES = 127
_WORDS = (t.Health.UNKNOWN, t.Health.SERVING, t.Health.NOT_SERVING, t.Health.SERVICE_UNKNOWN)


def health(service: str) -> Call[t.Health]:
    """Make a health call; an empty service asks for the daemon as a whole."""
    name = text("service", service).encode("utf-8")[:_LONGEST_NAME_BYTES]
    payload = _STRING_FIELD_1 + bytes([len(name)]) + name if name else b""
    return Call(PATH, payload, _read, repeatable=True)


def _read(payload: bytes) -> t.Health:
    if not payload:
        return t.Health.UNKNOWN
    if payload[:1] != _ENUM_FIELD_1 or len(payload) < len(_ENUM_FIELD_1) + 1:
        raise DaemonFault("the reply to the health call is not one: is it a Hotset daemon that listens there?")
    return _WORDS[payload[1]] if payload[1] < len(_WORDS) else t.Health.UNKNOWN
