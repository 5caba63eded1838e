"""What the file system says of a file without its content, and which digest the content had then.

As git's index does, a file whose stamp is the one noted is taken for unchanged and not read. A stamp is noted only
where it cannot be that of a later change, too ("racily clean" in git's documentation): the file's times must be older
than the moment it was looked at, by more than clocks are coarse. Beside what git compares, the time of the last change
of the inode must be the same, which no program can set back. A stamp counts only while the store still has the digest
that it stands for, so a note that is old, or of a run that died, costs reading and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from retrieval.ingest.digests import source_digest
from retrieval.store.interface import Snapshot, Store, WriteTransaction
from workingset.vocabulary import Digest, Namespace, TenantId

RACY_NANOSECONDS = 2_000_000_000
"""Guess: the coarsest clock of a file system in use is FAT's, of 2 s; a server's may be off by as much."""
_FORMAT = 1
_MARK = "ingest.stamps "


class FileStamp(NamedTuple):
    """A file's size, times of change of content and of inode in nanoseconds since 1970, and inode number."""

    size_bytes: int
    modified_ns: int
    changed_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStamp:
        """The stamp of what `stat` returned."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def is_settled(self, looked_at_ns: int) -> bool:
        """True where a change after the moment of looking would have given another stamp."""
        return max(self.modified_ns, self.changed_ns) < looked_at_ns - RACY_NANOSECONDS


class Noted(NamedTuple):
    """A stamp, and the digest that the content under it had."""

    stamp: FileStamp
    digest: Digest


class _Kept(msgspec.Struct, array_like=True, frozen=True, gc=False):
    format: int
    noted: dict[str, Noted]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Kept).decode


def read_stamps(snapshot: Snapshot, namespace: Namespace, source: str) -> dict[str, Noted]:
    """The notes of the source's files by path; none where there are none that can be read."""
    encoded = snapshot.mark(_mark(source), namespace)
    if encoded is None:
        return {}
    try:
        kept = _decode(encoded)
    except msgspec.MsgspecError:
        # Of another format: all files are read, and noted again.
        return {}
    return kept.noted if kept.format == _FORMAT else {}


def write_stamps(store: Store, tenant: TenantId, namespace: Namespace, source: str, noted: Mapping[str, Noted]) -> None:
    """Keep the notes in place of what was kept."""
    encoded = _encode(_Kept(_FORMAT, dict(sorted(noted.items()))))
    store.write(tenant, lambda txn: txn.put_mark(_mark(source), encoded, namespace))


def forget_stamps(txn: WriteTransaction, namespace: Namespace, source: str) -> None:
    """Keep no notes of the source's files; what is left of them is an empty mark."""
    if txn.mark(_mark(source), namespace) is not None:
        txn.put_mark(_mark(source), _encode(_Kept(_FORMAT, {})), namespace)


def _mark(source: str) -> str:
    return _MARK + source_digest(source.encode("utf-8", "surrogatepass"))
