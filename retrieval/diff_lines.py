"""Which lines a unified diff changed, by file: the ranges of the files as they are after it.

Lines of a hunk are counted off by its header, so that nothing in a changed file is taken for a header. Where a hunk
only deletes, the line before the gap stands for it. What is no diff has no lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workingset.vocabulary import Lines

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NO_FILE = "/dev/null"


@dataclass(frozen=True, slots=True)
class FileLines:
    """Ranges of one file, in order; none means all of it."""

    path: str
    lines: tuple[Lines, ...] = ()

    def touches(self, lines: Lines | None) -> bool:
        """Whether a range of the file's lines, or the whole file where None, holds a line of these."""
        if not self.lines or lines is None:
            return True
        return any(lines.start <= own.end and own.start <= lines.end for own in self.lines)


@dataclass(frozen=True, slots=True)
class ReadDiff:
    """What a diff changed: files that are there after it with their lines, and paths that are not.

    `unread` counts files past the bound.
    """

    files: tuple[FileLines, ...] = ()
    gone: tuple[str, ...] = ()
    unread: int = 0


@dataclass(slots=True)
class _File:
    old: str = ""
    new: str = ""
    lines: list[Lines] = field(default_factory=list[Lines])


def read_diff(text: str, files_limit: int, ranges_limit: int) -> ReadDiff:
    """Read a unified diff, git's or plain: at most so many files, and so many ranges of each, adjacent ones joined.

    A file with more ranges counts as changed from its first to its last.
    """
    files = [file for file in _files(iter(text.split("\n"))) if file.old or file.new]
    taken = files[:files_limit]
    there = (FileLines(file.new, _bounded(file.lines, ranges_limit)) for file in taken if file.new and file.lines)
    gone = {file.old for file in taken if file.old and file.old != file.new}
    return ReadDiff(tuple(there), tuple(sorted(gone)), len(files) - len(taken))


def _files(rows: Iterator[str]) -> Iterator[_File]:
    file = _File()
    for row in rows:
        hunk = _HUNK.match(row)
        if row.startswith("diff --git "):
            yield file
            file = _File()
        elif row.startswith("--- "):
            if file.lines:  # a plain diff has no line between its files
                yield file
                file = _File()
            file.old = _path(row[4:], "a/")
        elif row.startswith("+++ "):
            file.new = _path(row[4:], "b/")
        elif row.startswith("rename from "):
            file.old = _unquoted(row[12:])
        elif hunk is not None and file.new:
            file.lines += _changed(rows, int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1))
    yield file


def _changed(rows: Iterator[str], old_left: int, at: int, new_left: int) -> list[Lines]:
    """The new lines of one hunk, and the lines before places where others went and none came."""
    # Of a side without lines git names the line before.
    at = max(1, at + (new_left == 0))
    places: list[int] = []
    gap = False
    while old_left > 0 or new_left > 0:
        row = next(rows, None)
        if row is None:
            break
        mark = row[:1]
        if mark == "-":
            old_left, gap = old_left - 1, True
        elif mark == "+":
            places.append(at)
            at, new_left, gap = at + 1, new_left - 1, False
        elif mark != "\\":
            places += [at - 1] if gap else []
            at, new_left, old_left, gap = at + 1, new_left - 1, old_left - 1, False
    places += [at - 1] if gap else []
    return _ranges(max(1, place) for place in places)


def _ranges(places: Iterable[int]) -> list[Lines]:
    ranges: list[Lines] = []
    for place in sorted(set(places)):
        if ranges and place == ranges[-1].end + 1:
            ranges[-1] = Lines(ranges[-1].start, place)
        else:
            ranges.append(Lines(place, place))
    return ranges


def _bounded(lines: list[Lines], limit: int) -> tuple[Lines, ...]:
    return tuple(lines) if len(lines) <= limit else (Lines(lines[0].start, lines[-1].end),)


def _path(written: str, prefix: str) -> str:
    path = _unquoted(written.partition("\t")[0].rstrip("\r") if not written.startswith('"') else written)
    return "" if path == _NO_FILE else path.removeprefix(prefix)


def _unquoted(written: str) -> str:
    """A path as git writes it where it holds quotes, control characters or, by default, bytes beyond ASCII."""
    written = written.rstrip("\r\t")
    if len(written) < 2 or not (written.startswith('"') and written.endswith('"')):
        return written

    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 8) & 0xFF) if len(code) == 3 else _ESCAPED.get(code, code)

    raw = _ESCAPE.sub(character, written[1:-1])
    try:
        return raw.encode("latin-1").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return raw  # written with core.quotePath off: what is beyond ASCII stands for itself
