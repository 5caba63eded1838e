"""Parsing in order: here for a few files, in worker processes for many; either way outcomes come as files went in.

Files are gathered until there is enough to start workers for; where it never is, they are parsed here at the end. What
is not text comes out at once: it is refused, whoever looks at it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import NamedTuple

from retrieval.ingest.guards import is_binary
from retrieval.ingest.parse_pool import Outcome, ParsePool
from retrieval.ingest.parse_worker import FileToParse, parse
from retrieval.ingest.settings import IngestSettings


class Parsed(NamedTuple):
    """What came of the file at a path."""

    path: str
    outcome: Outcome


class _Chunk(NamedTuple):
    """Paths of files under way, and where their outcomes will be."""

    paths: list[str]
    future: Future[list[Outcome]]


class ParseQueue:
    """One run's parsing; close it at the end. How much is under way is bounded."""

    def __init__(
        self,
        settings: IngestSettings,
        pool: Callable[[IngestSettings], ParsePool] = ParsePool,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`check` is called while workers are waited for; what it raises ends the wait."""
        self._settings = settings
        self._check = check
        self._make_pool = pool
        self._pool: ParsePool | None = None
        self._files: deque[FileToParse] = deque()
        self._bytes = 0
        self._under_way: deque[_Chunk] = deque()

    @property
    def cpu_seconds(self) -> float:
        """Processor time that workers took."""
        return 0.0 if self._pool is None else self._pool.cpu_seconds

    @property
    def unavailable(self) -> int:
        """Chunks that were parsed here since no worker could be started."""
        return 0 if self._pool is None else self._pool.unavailable

    def add(self, file: FileToParse) -> list[Parsed]:
        """Take in a file; returns what is to be taken out before the next."""
        parallel = self._settings.parallel
        if not parallel.workers or is_binary(file.content):
            return [self._here(file)]
        self._files.append(file)
        self._bytes += len(file.content)
        if self._pool is None:
            if self._bytes < parallel.above_bytes:
                return []
            self._pool = self._make_pool(self._settings)
        if len(self._files) >= parallel.chunk_files or self._bytes >= parallel.chunk_bytes:
            self._submit(self._pool)
        return self._oldest() if len(self._under_way) > parallel.chunks_ahead else []

    def take(self) -> list[Parsed]:
        """Take out more, when nothing more goes in; empty at the end."""
        if self._pool is None:
            return [self._here(self._files.popleft())] if self._files else []
        if self._files:
            self._submit(self._pool)
        return self._oldest() if self._under_way else []

    def close(self) -> None:
        """Give up what is under way and end the workers."""
        if self._pool is not None:
            self._pool.close()

    def _submit(self, pool: ParsePool) -> None:
        """Hand over what was gathered, in chunks."""
        files = list(self._files)
        self._files.clear()
        self._bytes = 0
        size = self._settings.parallel.chunk_files
        for at in range(0, len(files), size):
            chunk = files[at : at + size]
            self._under_way.append(_Chunk([file.path for file in chunk], pool.submit(chunk)))

    def _here(self, file: FileToParse) -> Parsed:
        return Parsed(file.path, parse(file, self._settings))

    def _oldest(self) -> list[Parsed]:
        chunk = self._under_way.popleft()
        while not wait((chunk.future,), self._settings.parallel.look_seconds).done:
            self._check()
        return [Parsed(path, outcome) for path, outcome in zip(chunk.paths, chunk.future.result(), strict=True)]
