"""Pieces: what a file is cut into, before it has refs. The pieces of a file tile it, but for HTML."""

from __future__ import annotations

from dataclasses import dataclass

from workingset.vocabulary import Digest, Lines

CALLABLE = frozenset(("function", "class"))
"""Kinds that a name may call."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One record to be. `lines` is its one contiguous range and `text` exactly those lines, line ends included.

    Two kinds share lines: pieces of one line of prose too long for a record, and extracts of HTML, whose lines are the
    range of the source that they were taken from. Secrets have been taken out of the text.
    The names are those of `NameKind`.
    """

    kind: str
    title: str
    lines: Lines
    text: str
    outline: str
    gist: str
    symbols: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A file cut into pieces, in order. `cuts` counts names that were left out, by reason.

    `digests` and `locals` are the pieces' record digests and the names that their refs end with at first sight; empty
    until `parse_file` adds them.
    """

    path: str
    language: str
    digest: Digest
    size_bytes: int
    pieces: tuple[Piece, ...]
    cuts: tuple[tuple[str, int], ...] = ()
    digests: tuple[Digest, ...] = ()
    locals: tuple[str, ...] = ()


class SourceLines:
    """A text with its lines, counted from row 0. A line ends with a line feed and nothing else."""

    __slots__ = ("_starts", "rows", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        rows = text.split("\n")
        if not rows[-1]:
            rows.pop()
        self.rows = rows
        starts = [0]
        at = 0
        for row in rows:
            at += len(row) + 1
            starts.append(at)
        starts[-1] = len(text)
        self._starts = starts

    def __len__(self) -> int:
        return len(self.rows)

    def slice(self, first: int, last: int) -> str:
        """The text of the rows from first to last, both included."""
        return self.text[self._starts[first] : self._starts[last + 1]]

    def length(self, first: int, last: int) -> int:
        """How many characters the rows from first to last have."""
        return self._starts[last + 1] - self._starts[first]

    def is_blank(self, row: int) -> bool:
        """True where the row holds nothing but blanks."""
        return not self.rows[row] or self.rows[row].isspace()
