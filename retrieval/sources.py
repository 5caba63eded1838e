"""Whether a record's text is still that of its file: by looking at the file, and only where we may say so.

CURRENT and STALE are said of records from a tree on this machine, whose file was compared for this answer. A record
that was sent, or whose source has another name than a tree's, is UNKNOWN here: when it was received says nothing of its
source. What its own verification says is in `retrieval.freshness`.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from retrieval.ingest.digests import source_digest
from retrieval.ingest.reading_files import read_file
from retrieval.record import Record
from workingset.vocabulary import Digest, Freshness

TREE_SOURCE = "tree:"
"""Sources that begin so are followed by the absolute path of their root. Reserved: only a tree ingest may use it."""

SourceCheck = Callable[[Record], Freshness]
"""Answers for one record at the newest generation."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Bounds of looking at files."""

    file_bytes: int = 2_000_000
    """As ingest's own limit: a larger file was never taken in."""
    remembered_files: int = 16_384
    """Guess: digests by path, time and size; some 4 MB."""


class FileSources:
    """Compares files with their records' source digests. Safe from any thread.

    A file is read again only when its time of change or its size differs from when its digest was taken.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self._known: OrderedDict[str, tuple[int, int, Digest]] = OrderedDict()
        self._guard = threading.Lock()

    def __call__(self, record: Record) -> Freshness:
        """Return what looking at the record's file says."""
        if record.removed:
            return Freshness.STALE
        if not record.source.startswith(TREE_SOURCE) or not record.source_digest or not record.path:
            return Freshness.UNKNOWN
        try:
            digest = self._digest(Path(record.source.removeprefix(TREE_SOURCE)), record.path)
        except FileNotFoundError:
            return Freshness.STALE
        except OSError:
            return Freshness.UNKNOWN
        return Freshness.CURRENT if digest == record.source_digest else Freshness.STALE

    def _digest(self, root: Path, path: str) -> Digest:
        whole = os.path.join(root, path)
        found = os.stat(whole, follow_symlinks=False)
        stamp = (found.st_mtime_ns, found.st_size)
        with self._guard:
            known = self._known.get(whole)
            if known is not None and known[:2] == stamp:
                self._known.move_to_end(whole)
                return known[2]
        digest = source_digest(read_file(root, path, self._settings.file_bytes))
        with self._guard:
            self._known[whole] = (*stamp, digest)
            while len(self._known) > self._settings.remembered_files:
                self._known.popitem(last=False)
        return digest


def never_checked(record: Record) -> Freshness:
    """Say of every live record that its source was not looked at."""
    return Freshness.STALE if record.removed else Freshness.UNKNOWN
