"""What stands directly above a declaration: its comment and its attributes, found by rows.

Asking the tree for the node before another costs time by the number of all siblings; rows are an index away.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from tree_sitter import Node

_ROWS = 200
"""Guess: a longer comment is not read to its beginning."""
_LICENCE = re.compile(r"copyright|licen[sc]e|spdx|all rights reserved", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")


class Above:
    """The rows of one file. `line` begins a comment to the end of the row, `block` is a pair of marks, or None.

    `attributes` are the nodes of a language that writes them beside the declaration and not in it. `tagged` comments
    are XML: their tags are left out.
    """

    def __init__(
        self,
        source: bytes,
        line: str,
        block: tuple[str, str] | None,
        attributes: Iterable[Node] = (),
        *,
        tagged: bool = False,
    ) -> None:
        self._rows = source.split(b"\n")
        self._line = line
        self._block = block
        self._tagged = tagged
        self._attributes = {node.end_point[0]: node.start_point[0] for node in attributes}

    def first_row(self, row: int) -> int:
        """The row of the first attribute that belongs to what begins at the row, else that row."""
        first = row
        for begin, is_comment in self._upwards(row):
            if not is_comment:
                first = begin
        return first

    def comment(self, row: int) -> str:
        """The text of the comment directly above the row, attributes passed over."""
        parts: list[str] = []
        end = row - 1
        for begin, is_comment in self._upwards(row):
            if is_comment:
                parts.append(self._text(begin, end))
            end = begin - 1
        return "\n".join(reversed(parts))

    def head(self, declared: Collection[int]) -> str:
        """The comment at the top of the file, unless it is a licence or belongs to a declaration in these rows."""
        row = 1 if self._rows[0].startswith(b"#!") else 0
        while row < min(len(self._rows), _ROWS):
            begin = row
            while row < len(self._rows) and (after := self._comment_end(row)) is not None:
                row = after + 1
            if row > begin:
                text = self._text(begin, row - 1)
                if not _LICENCE.search(text):
                    return "" if row in declared else text
            elif self._rows[row].strip():
                return ""
            else:
                row += 1
        return ""

    def _upwards(self, row: int) -> Iterable[tuple[int, bool]]:
        """(first row, whether it is a comment) of each comment or attribute above the row, nearest first."""
        lowest = max(0, row - _ROWS)
        while row > lowest:
            start = self._attributes.get(row - 1)
            is_comment = start is None
            if start is None:
                start = self._comment_start(row - 1, lowest)
            if start is None:
                return
            yield start, is_comment
            row = start

    def _comment_start(self, row: int, lowest: int) -> int | None:
        """The row at which the comment that ends on this row begins; None where there is none."""
        text = self._at(row)
        if text.startswith(self._line):
            return row
        if self._block is None or not text.endswith(self._block[1]):
            return None
        for begin in range(row, lowest - 1, -1):
            text = self._at(begin)
            if self._block[0] in text:
                return begin if text.startswith(self._block[0]) else None
        return None

    def _comment_end(self, row: int) -> int | None:
        """The row at which the comment that begins on this row ends; None where there is none."""
        text = self._at(row)
        if text.startswith(self._line):
            return row
        if self._block is None or not text.startswith(self._block[0]):
            return None
        for end in range(row, min(len(self._rows), row + _ROWS)):
            if self._block[1] in self._at(end)[len(self._block[0]) if end == row else 0 :]:
                return end
        return None

    def _at(self, row: int) -> str:
        return self._rows[row].decode("utf-8", "replace").strip().lstrip("\ufeff")

    def _text(self, first: int, last: int) -> str:
        lines = (uncommented(self._at(row)) for row in range(first, last + 1))
        text = "\n".join(_TAG.sub("", line).strip() for line in lines) if self._tagged else "\n".join(lines)
        return text.strip("\n")


def uncommented(line: str) -> str:
    """A line without comment marks."""
    return line.strip().removesuffix("*/").lstrip("/*#!").strip()
