"""Guards: which files are not taken in, and how the others are decoded. Every skip has a reason and is counted."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from dataclasses import dataclass
from enum import Enum, unique
from fnmatch import fnmatchcase

from retrieval.ingest.settings import GuardSettings


@unique
class Reason(Enum):
    """Why something was passed over. The values are what summaries and metrics show."""

    TOO_LARGE = "too_large"
    BINARY = "binary"
    EMPTY = "empty"
    LONG_LINES = "long_lines"
    MINIFIED = "minified"
    GENERATED = "generated"
    HOLDS_SECRETS = "holds_secrets"
    UNREADABLE = "unreadable"
    UNDECODABLE_NAME = "undecodable_name"
    SYMLINK = "symlink"
    SPECIAL_FILE = "special_file"
    GIT_IGNORED = "git_ignored"
    EXCLUDED_DIRECTORY = "excluded_directory"
    UNPARSABLE = "unparsable"
    DECODED_AS_LATIN_1 = "decoded_as_latin_1"
    PARSED_AS_TEXT = "parsed_as_text"
    USES_CUT = "uses_cut"
    SYMBOLS_CUT = "symbols_cut"
    IMPORTS_CUT = "imports_cut"
    LINK_TARGET_GONE = "link_target_gone"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file is not taken in."""

    reason: Reason
    what: str


@dataclass(frozen=True, slots=True)
class DecodedFile:
    """A file's text. `fallback` is True where it was neither UTF-8 nor named its encoding."""

    text: str
    fallback: bool = False


_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".tex", ".csv", ".tsv")
_GENERATED = re.compile(
    r"@generated\b|\bgenerated\b[^\n]*\bDO NOT EDIT\b|\bDO NOT EDIT\b[^\n]*\bgenerated\b", re.IGNORECASE
)
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def refuse_by_name(path: str, size_bytes: int, settings: GuardSettings) -> Refusal | None:
    """Return why a file is not even read, or None."""
    name = path.rpartition("/")[2]
    if any(fnmatchcase(name.lower(), pattern) for pattern in settings.secret_patterns):
        return Refusal(Reason.HOLDS_SECRETS, "known by its name as holding secrets: it never reaches a context")
    if name in settings.generated_names or name.endswith(settings.generated_suffixes):
        return Refusal(Reason.GENERATED, "known by its name as written by a program")
    if size_bytes > settings.file_bytes:
        return Refusal(Reason.TOO_LARGE, f"{size_bytes} bytes, the limit is {settings.file_bytes}")
    if size_bytes == 0:
        return Refusal(Reason.EMPTY, "no bytes")
    return None


def admit(path: str, content: bytes, settings: GuardSettings) -> DecodedFile | Refusal:
    """Return a file's text, or why it is not taken in."""
    refusal = refuse_by_name(path, len(content), settings)
    if refusal is not None:
        return refusal
    decoded = decode(path, content)
    if decoded is None or "\0" in decoded.text:
        return Refusal(Reason.BINARY, "holds NUL bytes or is not text")
    return _refuse_by_text(path, decoded.text, settings) or decoded


def decode(path: str, content: bytes) -> DecodedFile | None:
    """Decode by byte order mark, as UTF-8, by a Python coding cookie, else as Latin-1; None for what is not text."""
    if content.startswith(_UTF_32) or (b"\0" in content and not content.startswith(_UTF_16)):
        return None
    try:
        encoding = "utf-16" if content.startswith(_UTF_16) else "utf-8-sig"
        return DecodedFile(content.decode(encoding))
    except UnicodeDecodeError:
        pass
    if content.startswith(_UTF_16):
        return None
    cookie = _by_cookie(content) if path.endswith((".py", ".pyw")) else None
    return DecodedFile(cookie) if cookie is not None else DecodedFile(content.decode("latin-1"), fallback=True)


def _by_cookie(content: bytes) -> str | None:
    """The text by the coding cookie of PEP 263, None where there is none, it is wrong, or it is no text encoding."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        return None


def _refuse_by_text(path: str, text: str, settings: GuardSettings) -> Refusal | None:
    if not text or text.isspace():
        return Refusal(Reason.EMPTY, "nothing but blanks")
    longest = max(map(len, text.split("\n")))
    if longest > settings.line_characters:
        return Refusal(Reason.LONG_LINES, f"a line of {longest} characters, the limit is {settings.line_characters}")
    if not path.lower().endswith(_PROSE):
        mean = len(text) // (text.count("\n") + 1)
        if longest > settings.minified_line_characters and mean > settings.minified_mean_characters:
            return Refusal(Reason.MINIFIED, f"lines of {mean} characters on average, the longest has {longest}")
        head = "\n".join(text.split("\n", settings.generated_marker_lines)[: settings.generated_marker_lines])
        if _GENERATED.search(head):
            return Refusal(Reason.GENERATED, "says at the top that it is generated")
    return None
