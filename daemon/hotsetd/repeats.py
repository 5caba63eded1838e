"""Idempotency: a request sent again under its id is answered again; another request under the same id is refused.

What is stored under an id is a fingerprint of the request and then the answer, so that an id that was used twice by
mistake never gets the answer of another question, and nothing is acknowledged that was not done.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import msgspec
from xxhash import xxh3_128_digest

from retrieval.errors import BadField

_FINGERPRINT_BYTES = 16


def fingerprint(*request: object) -> bytes:
    """Return what tells requests apart: equal requests have equal fingerprints.

    Fields at their defaults are left out, so that a field that a later version adds changes no earlier fingerprint.
    """
    return xxh3_128_digest(msgspec.msgpack.encode([_said(part) for part in request]))


def _said(part: object) -> object:
    if not is_dataclass(part) or isinstance(part, type):
        return part
    said = [(field.name, getattr(part, field.name)) for field in fields(part)]
    return [(name, value) for (name, value), field in zip(said, fields(part), strict=True) if value != field.default]


def kept(of_request: bytes, answer: bytes) -> bytes:
    """Return what to store under the request's id."""
    return of_request + answer


def answer_again(stored: bytes, of_request: bytes, field: str = "request_id") -> bytes:
    """Return the stored answer; raises BadField where it is that of another request."""
    if stored[:_FINGERPRINT_BYTES] != of_request:
        raise BadField(field, "was used for another request: take a new id for each request that differs")
    return stored[_FINGERPRINT_BYTES:]
