"""Ways in: a tree on this machine, documents over the wire, typed records; and the link pass that closes each."""

from __future__ import annotations

from retrieval.ingest.errors import IngestCancelled
from retrieval.ingest.linking import link_namespace
from retrieval.ingest.progress import FileProblem, Progress, Summary
from retrieval.ingest.sending import Document, complete_source, ingest_documents, prepare, put_documents
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.tree import ingest_tree
from retrieval.ingest.typed_records import EdgeInput, RecordInput, put_records

__all__ = [
    "Document",
    "EdgeInput",
    "FileProblem",
    "IngestCancelled",
    "IngestSettings",
    "Progress",
    "RecordInput",
    "Summary",
    "complete_source",
    "ingest_documents",
    "ingest_tree",
    "link_namespace",
    "prepare",
    "put_documents",
    "put_records",
]
