"""One file's bytes as pieces: guards, secrets out, then the parser that its path asks for. Pure; opens nothing."""

from __future__ import annotations

from dataclasses import replace

from retrieval.ingest.code import parse_code, parse_unknown
from retrieval.ingest.digests import source_digest
from retrieval.ingest.documents import DOCUMENT_EXTENSIONS, parse_document
from retrieval.ingest.guards import Reason, Refusal, admit
from retrieval.ingest.identity import digests_of, first_names
from retrieval.ingest.languages.registry import language_of
from retrieval.ingest.languages.testing import is_test, is_test_path, tested_names
from retrieval.ingest.pieces import CALLABLE, ParsedFile, Piece
from retrieval.ingest.secrets import redact
from retrieval.ingest.settings import IngestSettings
from workingset.vocabulary import Digest

_TESTS_INSIDE = ".rs"
"""Files that hold tests of their own."""


def parse_file(
    path: str, content: bytes, settings: IngestSettings, digest: Digest | None = None
) -> ParsedFile | Refusal:
    """Return the file in pieces, or why it is not taken in. `digest` is that of the content, if known."""
    admitted = admit(path, content, settings.guards)
    if isinstance(admitted, Refusal):
        return admitted
    redacted = redact(admitted.text, path, settings.secrets)
    parsed = _parse_text(path, redacted.text, digest or source_digest(content), len(content), settings)
    fallback = ((Reason.DECODED_AS_LATIN_1.value, 1),) if admitted.fallback else ()
    cuts = (*parsed.cuts, *redacted.reasons, *fallback)
    pieces = _with_subjects(path, parsed.pieces)
    return replace(parsed, pieces=pieces, cuts=cuts, digests=digests_of(path, pieces), locals=first_names(path, pieces))


def _with_subjects(path: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Tests with the names of what they may be about, by which they are found when that comes or goes."""
    if not (is_test_path(path) or path.endswith(_TESTS_INSIDE)):
        return pieces
    return tuple(
        replace(piece, tested=(*piece.tested, *(name for names in tested_names(piece.title) for name in names)))
        if piece.kind in CALLABLE and is_test(path, piece.title)
        else piece
        for piece in pieces
    )


def _parse_text(path: str, text: str, digest: Digest, size_bytes: int, settings: IngestSettings) -> ParsedFile:
    lowered = path.lower()
    if lowered.endswith(DOCUMENT_EXTENSIONS):
        return parse_document(path, text, digest, size_bytes, settings)
    language = language_of(path, text.partition("\n")[0])
    if language is None:
        return parse_unknown(path, text, "", "file", digest, size_bytes, settings)
    return parse_code(path, text, language, digest, size_bytes, settings)
