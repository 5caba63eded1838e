"""Headings, and sections as pieces: what the parsers of marked-up documents share.

A section is a heading with its text up to the next heading; its title is the path of headings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.ingest.pieces import Piece, SourceLines
from retrieval.ingest.plain_text import Part, prose_parts
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.splitting import is_long
from retrieval.text.renderings import clip, render_document
from workingset.vocabulary import Lines

SEPARATOR = " > "
"""Stands between the headings of a section's title."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at its first row; level 1 is the outermost."""

    row: int
    level: int
    text: str


def heading_paths(headings: Sequence[Heading]) -> list[list[str]]:
    """For each heading the texts of those that hold it, outermost first, with its own."""
    paths: list[list[str]] = []
    open_ones: list[Heading] = []
    for heading in headings:
        while open_ones and open_ones[-1].level >= heading.level:
            open_ones.pop()
        open_ones.append(heading)
        paths.append([each.text for each in open_ones])
    return paths


def sections(
    lines: SourceLines,
    headings: Sequence[Heading],
    name: str,
    settings: IngestSettings,
    lines_of: Callable[[int, int], Lines] = lambda first, last: Lines(first + 1, last + 1),
) -> tuple[Piece, ...]:
    """Cut the rows at the headings; what stands before the first is a section with the file's name.

    Long sections are cut at paragraphs. `lines_of` says which lines of the file rows are or come from.
    """
    pieces: list[Piece] = []
    starts = [heading.row for heading in headings]
    first = 0
    if not headings or any(not lines.is_blank(row) for row in range(starts[0])):
        end = starts[0] - 1 if headings else len(lines) - 1
        pieces.extend(_section(lines, (0, end), name, "", settings, lines_of))
        first = starts[0] if headings else 0
    for at, (heading, path) in enumerate(zip(headings, heading_paths(headings), strict=True)):
        title = SEPARATOR.join(text for text in path if text) or name
        end = starts[at + 1] - 1 if at + 1 < len(headings) else len(lines) - 1
        begin = first if at == 0 else heading.row
        pieces.extend(_section(lines, (begin, end), title, heading.text, settings, lines_of))
    return tuple(pieces)


def _section(
    lines: SourceLines,
    rows: tuple[int, int],
    title: str,
    heading: str,
    settings: IngestSettings,
    lines_of: Callable[[int, int], Lines],
) -> list[Piece]:
    """The section's piece or, where it is long, its parts."""
    parts = [Part(*rows, lines.slice(*rows))]
    if is_long(lines, *rows, settings.pieces):
        parts = list(prose_parts(lines, *rows, settings.pieces))
    pieces: list[Piece] = []
    title = clip(title, settings.pieces.title_characters)
    named = (heading,) if heading and len(heading) <= settings.pieces.name_characters else ()
    for number, part in enumerate(parts):
        made = render_document(part.text, "" if number else heading, settings.renderings)
        pieces.append(
            Piece(
                kind="chunk" if number else "section",
                title=f"{title} (part {number + 1})" if number else title,
                lines=lines_of(part.first, part.last),
                text=part.text,
                outline=made.outline,
                gist=made.gist,
                symbols=() if number else named,
            )
        )
    return pieces
