"""A namespace's history as stored: one mark, a compressed table of commits for each tree that the namespace holds."""

from __future__ import annotations

import msgspec
import zstandard

from retrieval.errors import StoreCorrupt
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Namespace

HISTORY_MARK = "git.history"
_VERSION = 2
_LARGEST_BYTES = 256 * 1024 * 1024
"""Guess: 2,000 commits of sympy take 0.4 MB before compression; a larger claim is a damaged mark."""


class KeptCommit(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One commit: its hash, time, 8 bytes of its message's digest, and its paths by their place in the table."""

    hash: bytes
    seconds: int
    message: bytes
    paths: tuple[int, ...]
    renames: tuple[tuple[int, int], ...] = ()
    unkept: int = 0


class KeptTree(msgspec.Struct, array_like=True, frozen=True):
    """What is known of one tree.

    `source` and `root` say which; `unavailable` says why there is no history, empty where there is. `head` is the
    commit it was read at; `edge` the hashes, in order, of the commits whose parents the clone left out then, empty
    where it was whole; `bounded` says that older commits were left out.
    """

    source: str
    root: str
    head: str = ""
    unavailable: str = ""
    edge: tuple[bytes, ...] = ()
    bounded: bool = False
    paths: tuple[str, ...] = ()
    commits: tuple[KeptCommit, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
_decode_versioned = msgspec.msgpack.Decoder(tuple[int, msgspec.Raw]).decode
_decode_trees = msgspec.msgpack.Decoder(tuple[KeptTree, ...]).decode


def encode_trees(trees: tuple[KeptTree, ...]) -> bytes:
    """Return the mark that holds the trees, in the order of their sources."""
    in_order = tuple(sorted(trees, key=lambda tree: tree.source))
    return zstandard.ZstdCompressor(level=3).compress(_encode((_VERSION, in_order)))


def decode_trees(mark: bytes) -> tuple[KeptTree, ...]:
    """Return the trees of a mark; none where another version wrote it. Raises StoreCorrupt."""
    try:
        raw = zstandard.ZstdDecompressor().decompress(mark, max_output_size=_LARGEST_BYTES)
        version, trees = _decode_versioned(raw)
        return _decode_trees(trees) if version == _VERSION else ()
    except (zstandard.ZstdError, msgspec.DecodeError) as error:
        raise StoreCorrupt(f"the mark {HISTORY_MARK!r} does not decode: {error}") from error


def kept_trees(txn: Snapshot, namespace: Namespace) -> tuple[KeptTree, ...]:
    """Return what the namespace keeps of its trees; none where no tree was read into it."""
    mark = txn.mark(HISTORY_MARK, namespace)
    return decode_trees(mark) if mark else ()
