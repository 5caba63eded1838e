"""Documents as pieces: Markdown, reStructuredText and HTML by headings, plain text by paragraphs. Any script."""

from __future__ import annotations

from retrieval.ingest.headings import sections
from retrieval.ingest.html import HTML_EXTENSIONS, parse_html
from retrieval.ingest.markdown import MARKDOWN_EXTENSIONS, markdown_headings
from retrieval.ingest.pieces import ParsedFile, SourceLines
from retrieval.ingest.plain_text import TEXT_EXTENSIONS, parse_text
from retrieval.ingest.restructured import RESTRUCTURED_EXTENSIONS, restructured_headings
from retrieval.ingest.settings import IngestSettings
from workingset.vocabulary import Digest

DOCUMENT_EXTENSIONS = MARKDOWN_EXTENSIONS + RESTRUCTURED_EXTENSIONS + HTML_EXTENSIONS + TEXT_EXTENSIONS
"""In lower case."""


def parse_document(path: str, text: str, digest: Digest, size_bytes: int, settings: IngestSettings) -> ParsedFile:
    """Cut a document into sections or chunks; those of all but HTML tile it."""
    lowered = path.lower()
    if lowered.endswith(HTML_EXTENSIONS):
        return parse_html(path, text, digest, size_bytes, settings)
    if lowered.endswith(TEXT_EXTENSIONS):
        return parse_text(path, text, digest, size_bytes, settings)
    lines = SourceLines(text)
    markdown = lowered.endswith(MARKDOWN_EXTENSIONS)
    headings = markdown_headings(lines.rows) if markdown else restructured_headings(lines.rows)
    language = "markdown" if markdown else "restructuredtext"
    return ParsedFile(path, language, digest, size_bytes, sections(lines, headings, path.rpartition("/")[2], settings))
