"""The headings of Markdown: ATX and setext, outside code fences, front matter, comments and raw HTML blocks.

After CommonMark 0.31, sections 4.2, 4.3, 4.5 and 4.6. Fences may stand in list items and quotations. Where we deviate:
of a setext heading of several lines the last one counts, headings inside list items and quotations are text, and front
matter between lines of `---` or `+++` is not Markdown.
"""

from __future__ import annotations

import re

from retrieval.ingest.headings import Heading
from retrieval.text.renderings import one_line

MARKDOWN_EXTENSIONS = (".md", ".markdown", ".mdx", ".mkd")

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"(?:[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+|[ ]{0,3}>[ \t]?)* {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_CLOSING = re.compile(r"(?:[ ]{0,3}>[ \t]?)*[ \t]*(`{3,}|~{3,})[ \t]*$")
_RAW = re.compile(r" {0,3}<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_NO_SETEXT = re.compile(r" {0,3}(?:[-*+>|<]|\d+[.)]|#{1,6}[ \t])|[ \t]*$| {4}|\t")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_BLOCK = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]| {0,3}>")
_FRONT_MATTER_ROWS = 200


def markdown_headings(rows: list[str]) -> list[Heading]:
    """The headings, in order of their rows."""
    found: list[Heading] = []
    ends: re.Pattern[str] | None = None
    fence = ""
    start = front_matter_end(rows)
    for row in range(start, len(rows)):
        line = rows[row].rstrip("\r")
        if fence:
            closing = _CLOSING.match(line)
            fence = "" if closing and closing[1].startswith(fence) else fence
            continue
        if ends is not None:
            ends = None if ends.search(line) else ends
            continue
        mark = _FENCE.match(line)
        if mark:
            fence = mark[1]
            continue
        ends = _raw_end(line)
        if ends is not None:
            continue
        heading = _atx(row, line) or _setext(rows, row, start, found)
        if heading is not None:
            found.append(heading)
    return found


def front_matter_end(rows: list[str]) -> int:
    """The row after the front matter, 0 where there is none."""
    opening = rows[0].rstrip() if rows else ""
    if opening not in {"---", "+++"}:
        return 0
    closing = {"---", "..."} if opening == "---" else {"+++"}
    return next((row + 1 for row in range(1, min(len(rows), _FRONT_MATTER_ROWS)) if rows[row].rstrip() in closing), 0)


def _raw_end(line: str) -> re.Pattern[str] | None:
    """What ends a comment or a block of raw HTML that the line begins, None where it begins none or ends it too."""
    if line.lstrip(" ").startswith("<!--") and len(line) - len(line.lstrip(" ")) < 4:
        return None if "-->" in line else re.compile("-->")
    raw = _RAW.match(line)
    if raw is None:
        return None
    ending = re.compile(f"</{raw[1]}>", re.IGNORECASE)
    return None if ending.search(line) else ending


def _atx(row: int, line: str) -> Heading | None:
    mark = _ATX.match(line)
    return Heading(row, len(mark[1]), one_line(mark[2] or "")) if mark else None


def _setext(rows: list[str], row: int, start: int, found: list[Heading]) -> Heading | None:
    """The heading whose underline the row is."""
    mark = _SETEXT.match(rows[row].rstrip("\r"))
    above = row - 1
    if mark is None or above < start or _NO_SETEXT.match(rows[above].rstrip("\r")):
        return None
    if found and (found[-1].row >= above or _is_underline(rows, above, found[-1].row)):
        return None
    if _is_inside_a_block(rows, above, found[-1].row if found else start - 1) or _CLOSING.match(
        rows[above].rstrip("\r")
    ):
        return None
    return Heading(above, 1 if mark[1][0] == "=" else 2, one_line(rows[above]))


def _is_underline(rows: list[str], row: int, heading: int) -> bool:
    """True where the row already underlines the heading."""
    return (
        row == heading + 1
        and bool(_SETEXT.match(rows[row].rstrip("\r")))
        and not _ATX.match(rows[heading].rstrip("\r"))
    )


def _is_inside_a_block(rows: list[str], row: int, after: int) -> bool:
    """True where the row goes on with a list item or a quotation: without a blank row between, it is part of it."""
    for above in range(row - 1, after, -1):
        line = rows[above].rstrip("\r")
        if not line.strip() or line.lstrip().startswith("<") or _RULE.match(line) or _CLOSING.match(line):
            return False
        if _BLOCK.match(line):
            return True
    return False
