"""The headings of reStructuredText: titles by their adornment (Docutils, "Sections").

The order in which styles appear gives their level. Deviation: without a full parser a one-column table of two rules
("===", a row, "===") after a blank row is read as a title with an overline, as Docutils warns of too.
"""

from __future__ import annotations

import re

from retrieval.ingest.headings import Heading
from retrieval.text.renderings import one_line

RESTRUCTURED_EXTENSIONS = (".rst", ".rest")

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")


def restructured_headings(rows: list[str]) -> list[Heading]:
    """The titles, in order of their rows."""
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
