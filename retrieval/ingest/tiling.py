"""Cutting a file's rows: head, declarations and what lies between them, so that each row is in exactly one segment.

A class keeps its rows up to its first method. Comments that stand directly above a declaration go with it. Between
declarations, blank rows and comments stay with what is above; up to a few rows that define nothing (a closing brace,
an `else:`) join a neighbour; other code is a segment of its own. Of declarations that share a row the first takes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.ingest.languages.language import Declaration
from retrieval.ingest.pieces import SourceLines
from retrieval.ingest.settings import PieceSettings

_OPENERS = (":", "(", "{", "[")


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows of one record. `declaration` is what it declares; None for the file's head and for code in between.

    `scope` is the qualified name of the class that code in between stands in, empty for the file's own.
    """

    first: int
    last: int
    declaration: Declaration | None = None
    scope: str = ""
    is_head: bool = False


@dataclass(frozen=True, slots=True)
class CommentMarks:
    """How a language writes comments: to the end of the line, and between two marks."""

    line: str
    block: tuple[str, str] | None


class Tiler:
    """Cuts one file. `value_rows` are the rows on which something outside functions gets a name."""

    def __init__(
        self, lines: SourceLines, value_rows: frozenset[int], comments: CommentMarks, settings: PieceSettings
    ) -> None:
        self._lines = lines
        self._value_rows = value_rows
        self._comments = comments
        self._settings = settings
        self._segments: list[Segment] = []

    def cut(self, declarations: Sequence[Declaration]) -> list[Segment]:
        """Return the segments, in order; together they are all rows."""
        self._region(0, len(self._lines) - 1, None, [d for d in declarations if not d.nested])
        return self._segments

    def _region(self, first: int, last: int, owner: Declaration | None, inside: Sequence[Declaration]) -> None:
        """Cut the rows of the file or of a class."""
        cursor, at, headless = first, 0, True
        lowest = first if owner is None else owner.first_row + 1
        while at < len(inside):
            child = inside[at]
            if child.first_row < max(cursor, lowest) or child.first_row > last:
                at += 1
                continue
            after = _after_inner(inside, at)
            begin = self._with_comments(child.first_row, max(cursor, lowest))
            begin = self._head(cursor, begin, owner) if headless else self._between(cursor, begin, owner)
            headless = False
            end = min(child.last_row, last)
            if child.is_class:
                self._region(begin, end, child, inside[at + 1 : after])
            else:
                self._segments.append(Segment(begin, end, child))
            cursor, at = end + 1, after
        if headless:
            self._segments.append(Segment(first, last, owner, is_head=owner is None))
        elif cursor <= last:
            self._between(cursor, last + 1, owner, opens_next=False)

    def _head(self, first: int, begin: int, owner: Declaration | None) -> int:
        """Place the rows before the first declaration; return where that begins."""
        if owner is None and all(self._lines.is_blank(row) for row in range(first, begin)):
            return first
        self._segments.append(Segment(first, begin - 1, owner, is_head=owner is None))
        return begin

    def _between(self, first: int, begin: int, owner: Declaration | None, *, opens_next: bool = True) -> int:
        """Place the rows from `first` to before `begin`; return where the next declaration begins then."""
        code = [row for row in range(first, begin) if not self._is_filling(row)]
        if len(code) > self._settings.attached_gap_lines or any(row in self._value_rows for row in code):
            start = next(row for row in range(first, begin) if not self._lines.is_blank(row))
            self._extend(start - 1)
            self._segments.append(Segment(start, begin - 1, scope=owner.scope if owner else ""))
            return begin
        if opens_next and code and self._lines.rows[code[-1]].rstrip().endswith(_OPENERS):
            begin = code[0]
        self._extend(begin - 1)
        return begin

    def _extend(self, last: int) -> None:
        """Give the rows up to `last` to the segment above."""
        if last > self._segments[-1].last:
            self._segments[-1] = replace(self._segments[-1], last=last)

    def _is_filling(self, row: int) -> bool:
        text = self._lines.rows[row].strip()
        return not text or text.startswith(self._comments.line)

    def _with_comments(self, row: int, floor: int) -> int:
        """The first row of the comments that stand directly above the row, not above `floor`."""
        rows, block = self._lines.rows, self._comments.block
        while row > floor:
            above = rows[row - 1].strip()
            if above.startswith(self._comments.line):
                row -= 1
                continue
            if block is None or not above.endswith(block[1]):
                break
            begin = row - 1
            while begin > floor and block[0] not in rows[begin]:
                begin -= 1
            if not rows[begin].lstrip().startswith(block[0]):
                break
            row = begin
        return row


def _after_inner(inside: Sequence[Declaration], at: int) -> int:
    """The position after all declarations that begin within the rows of the one at `at`."""
    last = inside[at].last_row
    after = at + 1
    while after < len(inside) and inside[after].first_row <= last:
        after += 1
    return after
