"""Plain text of any script in parts of a readable size: by pages and paragraphs, else by sentences.

A part ends, in this order: before a page (a form feed) or after a blank row; before an indented row, as typesetters and
East Asian writers begin paragraphs, or after a row that ends a sentence; after any row. A row far too long for one part
(a paragraph a line, or scripts that are written without blanks) is cut within: at a sentence's end, else at a blank,
else between two characters, never before a mark that joins the one before. Sentences end as in Latin, Chinese,
Japanese, Devanagari, Arabic, Urdu, Ethiopic, Khmer, Burmese and Tibetan writing; Thai and Lao put blanks there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.ingest.pieces import ParsedFile, Piece, SourceLines
from retrieval.ingest.settings import IngestSettings, PieceSettings
from retrieval.text.renderings import clip, one_line, render_document
from workingset.vocabulary import Digest, Lines

TEXT_EXTENSIONS = (".txt", ".text", ".adoc", ".org", ".log", ".tex")

_ENDS = r"[.!?…]['\")\]»”’]*(?=\s)|[。！？｡．।॥؟۔។။༎።][」』”’）)]*"
_SENTENCE_END = re.compile(_ENDS)
_ROW_END = re.compile(rf"(?:[.!?…:]['\")\]»”’]*|{_ENDS})\s*$")
_BLANK = re.compile(r"\s(?=\S)")
_INDENTED = re.compile(r"(?:\u3000| {2,}|\t)\S")
_PARAGRAPH = 3
_JOINERS = {"\u200d", "\u200c"}


@dataclass(frozen=True, slots=True)
class Part:
    """Rows from first to last and their text; of a row that was cut within, a piece of it."""

    first: int
    last: int
    text: str


def parse_text(path: str, text: str, digest: Digest, size_bytes: int, settings: IngestSettings) -> ParsedFile:
    """Cut a plain text into chunks, the first titled with the file's name."""
    lines = SourceLines(text)
    name = path.rpartition("/")[2]
    pieces: list[Piece] = []
    for part in prose_parts(lines, 0, len(lines) - 1, settings.pieces):
        made = render_document(part.text, "", settings.renderings)
        title = clip(one_line(made.gist), settings.pieces.title_characters) if pieces else name
        where = Lines(part.first + 1, part.last + 1)
        pieces.append(Piece("chunk", title, where, part.text, made.outline, made.gist))
    return ParsedFile(path, "text", digest, size_bytes, tuple(pieces))


def prose_parts(lines: SourceLines, first: int, last: int, settings: PieceSettings) -> Iterator[Part]:
    """Yield the rows in parts that tile them, of at most `chunk_lines` rows and, where rows allow, `chunk_characters`.

    Only rows of more than twice those characters are cut within.
    """
    begin = first
    while begin <= last:
        end = _end(lines, begin, last, settings)
        text = lines.slice(begin, end)
        if begin == end and len(text) > 2 * settings.chunk_characters:
            yield from (Part(begin, end, piece) for piece in cut_within(text, settings.chunk_characters))
        else:
            yield Part(begin, end, text)
        begin = end + 1


def cut_within(text: str, characters: int) -> Iterator[str]:
    """Yield the text in pieces of at most so many characters, together equal to it."""
    start = 0
    while len(text) - start > characters:
        end = start + characters
        end = (
            _last(_SENTENCE_END, text, start + characters // 3, end)
            or _last(_BLANK, text, start + characters // 2, end)
            or _between(text, start, end)
        )
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _end(lines: SourceLines, begin: int, last: int, settings: PieceSettings) -> int:
    """The last row of the part that begins at a row."""
    furthest = begin
    while furthest < last and furthest + 1 - begin < settings.chunk_lines:
        if lines.length(begin, furthest + 1) > settings.chunk_characters:
            break
        furthest += 1
    if furthest == last:
        return last
    middle = begin + (furthest - begin) // 2
    breaks = [(_break(lines, row), row) for row in range(begin + 1, furthest + 2)]
    best, row = max((kind, row) for kind, row in breaks if kind == _PARAGRAPH or row > middle)
    return (row if best else furthest + 1) - 1


def _break(lines: SourceLines, row: int) -> int:
    """How good a place the row is to begin a part: `_PARAGRAPH`, 2 indented, 1 after a sentence, 0 none."""
    if lines.is_blank(row):
        return 0  # blank rows stay with what stands above
    text, above = lines.rows[row], lines.rows[row - 1]
    if text.startswith("\f") or lines.is_blank(row - 1):
        return _PARAGRAPH
    if _INDENTED.match(text) and not _INDENTED.match(above):
        return 2
    return int(_ROW_END.search(above) is not None)


def _last(pattern: re.Pattern[str], text: str, least: int, end: int) -> int:
    """Where the last match that begins in the range ends, at most `end`; 0 where there is none."""
    return max((match.end() for match in pattern.finditer(text, least, end) if match.end() <= end), default=0)


def _between(text: str, start: int, end: int) -> int:
    """The last place up to `end` that parts no character from its marks."""
    at = end
    while at > start + 1 and (unicodedata.category(text[at])[0] == "M" or {text[at], text[at - 1]} & _JOINERS):
        at -= 1
    return at if at > start + 1 else end
