"""Values to bytes and back: working sets and stored answers, in MessagePack behind a format number.

One format is written and several are read: fields that a later one added, and only those, have defaults, which stand in
where an earlier one is read. A reader refuses a format it does not know; it never guesses. Compressed with zstandard,
since sets repeat themselves.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec
import zstandard

from retrieval.errors import ForeignStore, StoreCorrupt
from workingset.errors import WorkingSetError
from workingset.receipt import Node
from workingset.working_set import WorkingSet

T = TypeVar("T")
SET_FORMAT = 2
"""Written. Raised whenever a field of a working set or of its parts comes, goes or changes its meaning."""
SET_FORMATS_READ = frozenset({1, 2})
"""1 lacks what step 2 of the engine remembers: deadlines of pins, groundedness, the policy's memory, undo, lineage."""
RECEIPT_FORMAT = 1
_LEVEL = 1
_LARGEST_BYTES = 256 * 1024 * 1024


class Codec(Generic[T]):
    """Encodes one type under one format number. Safe from any thread."""

    def __init__(self, kind: type[T], what: str, version: int, reads: frozenset[int] = frozenset()) -> None:
        """`version` is written and read; `reads` are formats that are read as well."""
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._what = what
        self._version = version
        self._reads = reads | {version}

    def encode(self, value: T) -> bytes:
        """Return the value's bytes; equal values give equal bytes."""
        packed = msgspec.msgpack.encode(value)
        return bytes([self._version]) + zstandard.ZstdCompressor(level=_LEVEL).compress(packed)

    def decode(self, encoded: bytes) -> T:
        """Return the value; raises ForeignStore for another format and StoreCorrupt where bytes do not decode."""
        if not encoded or encoded[0] not in self._reads:
            raise self._foreign(encoded)
        try:
            packed = zstandard.ZstdDecompressor().decompress(encoded[1:], max_output_size=_LARGEST_BYTES)
            return self._decoder.decode(packed)
        except (zstandard.ZstdError, msgspec.DecodeError, WorkingSetError) as error:
            raise StoreCorrupt(f"{self._what} does not decode: {error}") from error

    def _foreign(self, encoded: bytes) -> ForeignStore:
        known = " and ".join(map(str, sorted(self._reads)))
        if encoded and encoded[0] > self._version:
            return ForeignStore(
                f"{self._what} has format {encoded[0]}; this version reads format {known}: install a newer one"
            )
        return ForeignStore(f"{self._what} has format {encoded[0] if encoded else 'none'}; this reads format {known}")


WORKING_SETS: Codec[WorkingSet] = Codec(WorkingSet, "a working set", SET_FORMAT, SET_FORMATS_READ)
RECEIPTS: Codec[Node] = Codec(Node, "a receipt", RECEIPT_FORMAT)
