"""Which lines a unified diff changed, by file: the ranges of the files as they are after it.

Lines of a hunk are counted off by its header, so that nothing in a changed file is taken for a header. Where a hunk
only deletes, the line before the gap stands for it. Of a merge (`diff --cc`) a line counts that any side has not. What
is no diff has no lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workingset.vocabulary import Lines

_HUNK = re.compile(r"(@@+)((?: -\d{1,9}(?:,\d{1,9})?)+) \+(\d{1,9})(?:,(\d{1,9}))? \1")
_OLD = re.compile(r"-\d+(?:,(\d+))?")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NO_FILE = "/dev/null"
_UNMERGED = "* Unmerged path "


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
    """What a diff changed: files that are there after it with their lines, those of which no line changed, as by a
    rename or a new mode, and paths that are not there.

    `unread` counts files past the bound, and those whose path could not be told.
    """

    files: tuple[FileLines, ...] = ()
    touched: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unread: int = 0


@dataclass(slots=True)
class _File:
    """One file of a diff as its header and hunks tell of it. `named` is what git's first line calls it, both before and
    after, empty where that tells two names; the other names are what other lines tell."""

    git: bool = False
    named: str = ""
    old: str = ""
    new: str = ""
    moved_from: str = ""
    moved_to: str = ""
    ends: bool = False
    content: bool = False
    lines: list[Lines] = field(default_factory=list[Lines])

    @property
    def after(self) -> str:
        """Its path after the diff; empty where it is not there, or not told."""
        return "" if self.ends else self.moved_to or self.named or self.new

    @property
    def before(self) -> str:
        """The path that is not there any more; empty where none is."""
        return (self.named or self.old) if self.ends else self.moved_from

    @property
    def known(self) -> bool:
        """Whether it is a file that the diff says something of; of a plain diff, its lines alone are."""
        return bool(self.git or self.before or (self.after and self.lines))


def read_diff(text: str, files_limit: int, ranges_limit: int) -> ReadDiff:
    """Read a unified diff, git's or plain: at most so many files, and so many ranges of each, adjacent ones joined.

    A file with more ranges counts as changed from its first to its last; one whose content changed without lines, as
    that of a binary file, as changed all over.
    """
    files = [file for file in _files(iter(text.split("\n"))) if file.known]
    named = [file for file in files if file.before or file.after]
    taken = named[:files_limit]
    there = [file for file in taken if file.after]
    changed = tuple(FileLines(f.after, _bounded(f.lines, ranges_limit)) for f in there if f.lines or f.content)
    touched = {file.after for file in there}.difference(file.path for file in changed)
    gone = {file.before for file in taken if file.before}
    return ReadDiff(changed, tuple(sorted(touched)), tuple(sorted(gone)), len(files) - len(taken))


def _files(rows: Iterator[str]) -> Iterator[_File]:
    file = _File()
    for row in rows:
        hunk = _HUNK.match(row)
        if row.startswith(("diff --git ", "diff --cc ", "diff --combined ")):
            yield file
            _, kind, path = row.split(" ", 2)
            file = _File(git=True, named=_named_twice(path) if kind == "--git" else _unquoted(path))
        elif row.startswith(_UNMERGED):
            yield file
            file = _File(git=True, named=_unquoted(row.removeprefix(_UNMERGED)))
        elif row.startswith("--- "):
            if file.lines:  # a plain diff has no line between its files
                yield file
                file = _File()
            file.old = _path(row[4:], "a/")
        elif row.startswith("+++ "):
            file.new = _path(row[4:], "b/")
            file.ends |= not file.new
        elif hunk is not None:
            old = [int(each[1] or 1) for each in _OLD.finditer(hunk[2])]
            file.lines += _changed(rows, old, int(hunk[3]), int(hunk[4] or 1))
        elif file.git and not file.lines:
            _note(file, row)
    yield file


def _named_twice(written: str) -> str:
    """The path of `a/path b/path`, whatever the prefixes; empty where these are two paths."""
    written = written.rstrip("\r")
    half = len(written) // 2
    if len(written) % 2 == 0 or written[half] != " ":
        return ""
    first, second = _unquoted(written[:half]), _unquoted(written[half + 1 :])
    if first == second:
        return first
    first, second = first.partition("/")[2], second.partition("/")[2]
    return first if first == second else ""


def _note(file: _File, row: str) -> None:
    """Take in a line of git's own header."""
    if row.startswith("rename from "):
        file.moved_from = _unquoted(row[12:])
    elif row.startswith(("rename to ", "copy to ")):
        file.moved_to = _unquoted(row.partition(" to ")[2])
        file.content |= row.startswith("copy")
    elif row.startswith("deleted file mode "):
        file.ends = True
    elif row.startswith(("new file mode ", "index ")):
        file.content = True


def _changed(rows: Iterator[str], old_left: list[int], at: int, new_left: int) -> list[Lines]:
    """The new lines of one hunk, and the lines before places where others went and none came.

    `old_left` are the lines of each side before: one of a diff, more of a merge, whose rows have as many marks.
    """
    # Of a side without lines git names the line before.
    at = max(1, at + (new_left == 0))
    places: list[int] = []
    gap = False
    while new_left > 0 or any(left > 0 for left in old_left):
        row = next(rows, None)
        if row is None:
            break
        if row.startswith("\\"):
            continue
        marks = row[: len(old_left)].ljust(len(old_left))
        lost = "-" in marks
        held = [mark == "-" if lost else mark != "+" for mark in marks]
        old_left = [left - one for left, one in zip(old_left, held, strict=True)]
        if lost:
            gap = True
            continue
        if "+" in marks:
            places.append(at)
        elif gap:
            places.append(at - 1)
        at, new_left, gap = at + 1, new_left - 1, False
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
