"""Gives memory back: glibc keeps freed memory in one arena a thread, and an ingest frees a lot of it in many.

Measured over the standard library (66,137 records): without this the daemon's own memory stood at 590 MiB after an
ingest; see `make bench-ingest` for today's figure. Where the C library is another, both calls do nothing and say so.
"""

from __future__ import annotations

import ctypes

_ARENA_MAX = -8
"""Cited: M_ARENA_MAX of glibc's malloc.h."""


def limit_arenas(count: int) -> bool:
    """Let the allocator keep at most so many arenas; call before threads start. False where that cannot be set."""
    try:
        return bool(ctypes.CDLL(None).mallopt(_ARENA_MAX, count))
    except (AttributeError, OSError):
        return False


def release_free_memory() -> bool:
    """Give freed pages back to the system, some milliseconds. False where there was nothing to give, or no way to."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (AttributeError, OSError):
        return False
