"""Documents as pieces: Markdown and reStructuredText by headings, plain text by paragraphs. Any script.

A section is a heading with its text up to the next heading; its title is the path of headings. Long sections are cut
at paragraphs. What stands before the first heading is a section named after the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.ingest.pieces import ParsedFile, Piece, SourceLines
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.splitting import is_long, pack_rows
from retrieval.text.renderings import clip, one_line, render_document
from workingset.vocabulary import Digest, Lines

SEPARATOR = " > "
"""Stands between the headings of a section's title."""

MARKDOWN_EXTENSIONS = (".md", ".markdown", ".mdx", ".mkd")
RESTRUCTURED_EXTENSIONS = (".rst", ".rest")
TEXT_EXTENSIONS = (".txt", ".text", ".adoc", ".org", ".log", ".tex")

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_NO_SETEXT = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)]|#{1,6}[ \t])|[ \t]*$| {4}")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at its first row; level 1 is the outermost."""

    row: int
    level: int
    text: str


def parse_document(path: str, text: str, digest: Digest, size_bytes: int, settings: IngestSettings) -> ParsedFile:
    """Cut a document into sections that tile it."""
    lines = SourceLines(text)
    markdown = path.lower().endswith(MARKDOWN_EXTENSIONS)
    headings = markdown_headings(lines.rows) if markdown else restructured_headings(lines.rows)
    name = path.rpartition("/")[2]
    pieces: list[Piece] = []
    starts = [heading.row for heading in headings]
    if not headings or any(not lines.is_blank(row) for row in range(starts[0])):
        end = starts[0] - 1 if headings else len(lines) - 1
        pieces.extend(_section(lines, 0, end, name, "", settings))
        first = starts[0] if headings else 0
    else:
        first = 0
    for at, heading in enumerate(headings):
        title = SEPARATOR.join(h for h in heading_path(headings, at) if h) or name
        end = starts[at + 1] - 1 if at + 1 < len(headings) else len(lines) - 1
        pieces.extend(_section(lines, first if at == 0 else heading.row, end, title, heading.text, settings))
    return ParsedFile(path, "markdown" if markdown else "restructuredtext", digest, size_bytes, tuple(pieces))


def heading_path(headings: list[Heading], at: int) -> list[str]:
    """The texts of the headings that hold the one at `at`, outermost first, with its own."""
    path = [headings[at].text]
    level = headings[at].level
    for heading in reversed(headings[:at]):
        if heading.level < level:
            path.append(heading.text)
            level = heading.level
            if level == 1:
                break
    return path[::-1]


def markdown_headings(rows: list[str]) -> list[Heading]:
    """The ATX and setext headings outside code fences and front matter (CommonMark 0.31, sections 4.2, 4.3, 4.5)."""
    found: list[Heading] = []
    fence = ""
    skip_to = _front_matter_end(rows)
    for row, raw in enumerate(rows):
        line = raw.rstrip("\r")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if row < skip_to:
            continue
        if mark:
            fence = mark.group(1)
            continue
        atx = _ATX.match(line)
        if atx:
            found.append(Heading(row, len(atx.group(1)), one_line(atx.group(2) or "")))
            continue
        setext = _SETEXT.match(line)
        above = row - 1
        is_text = above >= skip_to and not _NO_SETEXT.match(rows[above].rstrip("\r"))
        if setext and is_text and (not found or found[-1].row < above):
            found.append(Heading(above, 1 if setext.group(1)[0] == "=" else 2, one_line(rows[above])))
    return found


def restructured_headings(rows: list[str]) -> list[Heading]:
    """Titles by their adornment; the order in which styles appear gives their level (Docutils, "Sections")."""
    found: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    row = 0
    while row < len(rows):
        line = rows[row].rstrip()
        title = _title_at(rows, row)
        if title is None:
            row += 1
            continue
        overlined = _ADORNMENT.match(line) is not None
        style = (line[0] if overlined else rows[row + 1][0], overlined)
        if style not in styles:
            styles.append(style)
        found.append(Heading(row, styles.index(style) + 1, one_line(title)))
        row += 3 if overlined else 2
    return found


def _title_at(rows: list[str], row: int) -> str | None:
    """The title that begins at the row, by an overline or by its text, or None."""
    line = rows[row].rstrip()
    after = rows[row + 1].rstrip() if row + 1 < len(rows) else ""
    if not line or not after:
        return None
    if _ADORNMENT.match(line):
        under = rows[row + 2].rstrip() if row + 2 < len(rows) else ""
        is_title = under == line and not _ADORNMENT.match(after) and len(line) >= len(after.strip())
        return after if is_title and (row == 0 or not rows[row - 1].strip()) else None
    if line[0].isspace() or not _ADORNMENT.match(after) or (row > 0 and rows[row - 1].strip()):
        return None
    return line if len(after) >= min(len(line), 4) else None


def _front_matter_end(rows: list[str]) -> int:
    """The row after YAML front matter, 0 where there is none."""
    if not rows or rows[0].rstrip() != "---":
        return 0
    return next((row + 1 for row in range(1, min(len(rows), 200)) if rows[row].rstrip() in {"---", "..."}), 0)


def _section(
    lines: SourceLines, first: int, last: int, title: str, heading: str, settings: IngestSettings
) -> list[Piece]:
    """The section's piece or, where it is long, its parts."""
    cuts = [(first, last)]
    if is_long(lines, first, last, settings.pieces):
        cuts = pack_rows(lines, first, last, settings.pieces)
    pieces: list[Piece] = []
    title = clip(title, settings.pieces.title_characters)
    named = (heading,) if heading and len(heading) <= settings.pieces.name_characters else ()
    for number, (begin, end) in enumerate(cuts):
        text = lines.slice(begin, end)
        renderings = render_document(text, "" if number else heading, settings.renderings)
        pieces.append(
            Piece(
                kind="chunk" if number else "section",
                title=f"{title} (part {number + 1})" if number else title,
                lines=Lines(begin + 1, end + 1),
                text=text,
                outline=renderings.outline,
                gist=renderings.gist,
                symbols=() if number else named,
            )
        )
    return pieces
