"""Digests and local names made from content. Equal content gives equal names on every machine."""

from __future__ import annotations

from struct import Struct

from xxhash import xxh3_128_digest, xxh3_128_hexdigest

from workingset.vocabulary import Digest

LOCAL_NAME_CHARACTERS = 12
"""60 bits: a million records of one namespace collide once in two million stores; collisions are resolved anyway."""


def source_digest(content: bytes) -> Digest:
    """The digest of a whole file."""
    return Digest(xxh3_128_hexdigest(content))


def text_digest(text: str) -> Digest:
    """The digest of a text alone, for telling equal content under other titles."""
    return Digest(xxh3_128_hexdigest(text.encode()))


def record_digest(kind: str, title: str, path: str, text: str) -> Digest:
    """The digest of a record: kind, title, path and text."""
    return Digest(xxh3_128_hexdigest(_framed(kind, title, path, text)))


def local_name(*parts: str) -> str:
    """Return 12 lower-case base32 characters that depend on the parts and their boundaries."""
    bits = int.from_bytes(xxh3_128_digest(_framed(*parts))[:8], "big") >> 4
    return "".join([_PAIRS[(bits >> shift) & 1023] for shift in _SHIFTS])


_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS = tuple(first + second for first in _LETTERS for second in _LETTERS)
"""Base32 of ten bits."""
_LENGTH = Struct(">I").pack
_SHIFTS = tuple(range(LOCAL_NAME_CHARACTERS * 5 - 10, -1, -10))


def _framed(*parts: str) -> bytes:
    framed: list[bytes] = []
    for part in parts:
        raw = part.encode()
        framed.append(_LENGTH(len(raw)))
        framed.append(raw)
    return b"".join(framed)
