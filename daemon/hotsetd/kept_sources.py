"""Which sources a tenant follows, as a mark in the store."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hotsetd.source_reports import Identity
from retrieval.sources import TREE_SOURCE
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Namespace

_MARK = "sources"


class KeptSource(msgspec.Struct, frozen=True, array_like=True):
    """One source as stored. `device` and `inode` are those of the root at its last whole scan, 0 before the first."""

    namespace: str
    root: str
    device: int = 0
    inode: int = 0

    @property
    def identity(self) -> Identity | None:
        """The folder of the last whole scan, None before the first."""
        return (self.device, self.inode) if self.inode else None


def kept_sources(txn: Snapshot) -> list[KeptSource]:
    """All sources of the transaction's tenant."""
    mark = txn.mark(_MARK)
    return msgspec.msgpack.decode(mark, type=list[KeptSource]) if mark else []


def followed_trees(txn: Snapshot, namespace: Namespace) -> dict[str, str]:
    """The roots of a namespace's sources, by what their records call them as their source."""
    return {f"{TREE_SOURCE}{each.root}": each.root for each in kept_sources(txn) if each.namespace == namespace}


def keep_sources(txn: WriteTransaction, sources: Sequence[KeptSource]) -> None:
    """Replace them."""
    ordered = sorted(sources, key=lambda each: (each.namespace, each.root))
    txn.put_mark(_MARK, msgspec.msgpack.encode(ordered))


def with_identity(source: KeptSource, identity: Identity) -> KeptSource:
    """The source whose whole tree was scanned in this folder."""
    return msgspec.structs.replace(source, device=identity[0], inode=identity[1])
