"""Errors of ingest, beside those of `retrieval.errors`."""

from __future__ import annotations

from retrieval.errors import RetrievalError
from retrieval.ingest.progress import Summary


class IngestCancelled(RetrievalError):
    """The caller cancelled. What was committed stays; the same call again goes on from there."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(f"cancelled after {summary.files_taken} files; ingest again to go on")
        self.summary = summary
