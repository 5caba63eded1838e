"""Calls into native index code, with whatever goes wrong there turned into IndexUnavailable."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from retrieval.errors import IndexUnavailable

_PANIC = "PanicException"
"""Rust's panics reach Python as a BaseException of this name; one in an index must not end the process."""


@contextmanager
def native_calls(doing: str) -> Generator[None, None, None]:
    """Run native calls; raises IndexUnavailable, which says what was being done, in place of their errors."""
    try:
        yield
    except (ValueError, OSError, RuntimeError, TypeError, OverflowError, MemoryError) as failure:
        raise IndexUnavailable(f"{doing} failed: {failure}") from failure
    except BaseException as failure:
        if type(failure).__name__ != _PANIC:
            raise
        raise IndexUnavailable(f"{doing} failed inside the index: {failure}") from failure
