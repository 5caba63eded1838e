"""The tunables of the LMDB engine."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024
GIB = 1024 * MIB


@dataclass(frozen=True, slots=True)
class LmdbSettings:
    """How the environment is opened, grown and written."""

    map_bytes: int = 16 * GIB
    """Address space reserved at open; it takes no disk. Guess: most stores never need to grow it."""

    least_map_bytes: int = 64 * MIB
    """Where the address space is limited, the reservation is halved down to this. Guess."""

    max_map_bytes: int = 1024 * GIB
    """The map never grows beyond this; a write that needs more raises StorageFull. Guess."""

    growth_factor: int = 2
    """By how much the map grows at a time. Guess."""

    grow_ahead_share: float = 0.9
    """The map grows before a batch once this share of it is used, so that jobs rarely run twice. Guess."""

    grow_patience_seconds: float = 5.0
    """How long growing waits for open snapshots, which it would invalidate. Guess."""

    low_disk_bytes: int = 64 * MIB
    """A write that fails while less than this is free on the disk counts as a full disk. Guess."""

    max_readers: int = 2048
    """Snapshots open at the same time, over all processes. Cited: design, users' failures, durability."""

    batch_jobs: int = 256
    """Most jobs in one group commit; bounds how long the first of them waits. Guess."""

    purge_rows: int = 4_000
    """Rows deleted in one step of a purge, or looked at in one of a collection of history, during which nobody else
    writes. Measured: some 40 ms on busy cores."""

    compress_above_bytes: int = 512
    """Texts of a record that take less are stored as they are. Measured: with 1,500 a record takes 2 % more."""

    compression_level: int = 3
    """Zstandard level. Measured on 7,438 pieces of 1.3 KB of the standard library's source with eight names each:
    levels 1, 3 and 9 take 2,822, 2,806 and 2,747 bytes a record, indexes included (uncompressed 5,651), and write
    11,200, 10,800 and 9,100 records a second."""
