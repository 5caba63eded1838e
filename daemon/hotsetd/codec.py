"""Values to bytes and back: working sets and stored answers, in MessagePack behind a format number.

A reader refuses a format it does not know; it never guesses. Compressed with zstandard, since sets repeat themselves.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec
import zstandard

from retrieval.errors import ForeignStore, StoreCorrupt
from workingset.receipt import Node
from workingset.working_set import WorkingSet

T = TypeVar("T")
SET_FORMAT = 1
RECEIPT_FORMAT = 1
_LEVEL = 1
_LARGEST_BYTES = 256 * 1024 * 1024


class Codec(Generic[T]):
    """Encodes one type under one format number. Safe from any thread."""

    def __init__(self, kind: type[T], what: str, version: int) -> None:
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._what = what
        self._version = version

    def encode(self, value: T) -> bytes:
        """Return the value's bytes; equal values give equal bytes."""
        packed = msgspec.msgpack.encode(value)
        return bytes([self._version]) + zstandard.ZstdCompressor(level=_LEVEL).compress(packed)

    def decode(self, encoded: bytes) -> T:
        """Return the value; raises ForeignStore for another format and StoreCorrupt where bytes do not decode."""
        if not encoded or encoded[0] != self._version:
            found = encoded[0] if encoded else "none"
            raise ForeignStore(f"{self._what} has format {found}; this version reads format {self._version}")
        try:
            packed = zstandard.ZstdDecompressor().decompress(encoded[1:], max_output_size=_LARGEST_BYTES)
            return self._decoder.decode(packed)
        except (zstandard.ZstdError, msgspec.DecodeError) as error:
            raise StoreCorrupt(f"{self._what} does not decode: {error}") from error


WORKING_SETS: Codec[WorkingSet] = Codec(WorkingSet, "a working set", SET_FORMAT)
RECEIPTS: Codec[Node] = Codec(Node, "a receipt", RECEIPT_FORMAT)
