"""Paths in a text, with the lines that are named beside them, in the forms that people and tools write.

`p:12`, `p:12-40`, `p:12:5`, `p#L12-L40`, `p(12,5)`, `p lines 12-40`, `"p", line 12`, `lines 12-40 of p`, and the
hunks of unified diffs and of patches that begin with `*** Update File: p`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workingset.vocabulary import Lines

_TOKEN = re.compile(r"[\w.@+~\\/-]+")
_ASCII_TAIL = re.compile(r"[A-Za-z0-9_.@+~\\/-]+$")
_TO = r"(?:-|–|\.\.|,| to | through | and )"
_AFTER = re.compile(
    rf"""[`"'*\]]{{0,3}}(?:
        :(?P<colon>\d{{1,7}})(?:-(?P<colon_end>\d{{1,7}}))?(?!\w)
      | \#L(?P<hash>\d{{1,7}})(?:C\d+)?(?:-L?(?P<hash_end>\d{{1,7}}))?(?!\w)
      | \((?P<bracket>\d{{1,7}})(?:,\d{{1,7}})?\)
      | ,?\ (?:(?:at|on|in)\ )?\(?lines?\ \#?(?P<word>\d{{1,7}})(?:\ ?{_TO}\ ?(?P<word_end>\d{{1,7}}))?(?!\w)
    )""",
    re.VERBOSE,
)
_BEFORE = re.compile(
    rf"\blines?\s+(?P<start>\d{{1,7}})(?:\s?{_TO}\s?(?P<end>\d{{1,7}}))?\s+(?:of|in)\s+(?:the file\s+)?[`\"'*]{{0,3}}$",
    re.IGNORECASE,
)
_BEFORE_CHARACTERS = 60
_LONGEST = 1_024
_PATCH = re.compile(
    r"""^(?:
        (?P<old>---)\ (?:a/)?(?P<old_path>[^\t\n]+)[^\n]*+
      | (?P<new>\+\+\+)\ (?:b/)?(?P<new_path>[^\t\n]+)[^\n]*+
      | \*\*\*\ (?P<verb>Update|Add|Delete)\ File:\ (?P<path>[^\n]+)
      | @@\ -(?P<from>\d{1,7})(?:,\d{1,7})?\ \+(?P<start>\d{1,7})(?:,(?P<count>\d{1,7}))?\ @@[^\n]*
    )$""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A path as it is written, the lines named with it, if any, and the words that say both."""

    path: str
    lines: Lines | None
    matched: str


def places_in(text: str, last_parts: frozenset[str]) -> Iterator[Place]:
    """Yield the mentions of paths whose last part is one of these, in order. Takes time linear in the text."""
    for token in _TOKEN.finditer(text):
        written = _path_in(token.group(), last_parts)
        if not written:
            continue
        end = token.start() + token.group().rindex(written) + len(written)
        yield _place(text, written, end - len(written), end)


def patches_in(text: str) -> Iterator[Place]:
    """Yield the hunks of unified diffs with the lines they now stand at, and the files of patches without lines."""
    if "@@ -" not in text and "*** " not in text:
        return
    path = ""
    for mark in _PATCH.finditer(text):
        if mark.group("old"):
            path = mark.group("old_path").strip()
        elif mark.group("new"):
            # A file that was deleted is known by its old name.
            new = mark.group("new_path").strip()
            path = path if new == "/dev/null" else new
        elif mark.group("verb"):
            yield Place(mark.group("path").strip(), None, mark.group().strip())
        elif path and path != "/dev/null":
            lines = named_lines(mark.group("start"), None, int(mark.group("count") or 1))
            yield Place(path, lines, f"{path} {mark.group()[:40].strip()}")


def place_of_word(word: str) -> Place:
    """Return the place that a whole word names, as a command's operand does: `p`, `p:12`, `p#L12-L40`, `p::name`."""
    path, _, _ = word.partition("::")
    match = _TOKEN.match(path)
    if match is not None and match.end() < len(path) and (after := _AFTER.fullmatch(path, match.end())):
        return Place(match.group(), _lines_of(after), word)
    return Place(path, None, word)


def named_lines(start: str | int, end: str | int | None, count: int = 1) -> Lines | None:
    """Return the range from `start` to `end`, or of `count` lines; None where the numbers name none."""
    first = int(start)
    last = int(end) if end else first + max(1, count) - 1
    return Lines(first, last) if 1 <= first <= last else None


def _path_in(token: str, last_parts: frozenset[str]) -> str:
    """The path that a token is, without what a sentence hangs on it; empty where its last part is not asked for."""
    if len(token) > _LONGEST:
        return ""
    bare = token.rstrip(".-")
    ascii_tail = _ASCII_TAIL.search(bare)
    for candidate in (token, bare, ascii_tail.group() if ascii_tail else bare):
        if candidate.replace("\\", "/").rpartition("/")[2] in last_parts:
            return candidate
    return ""


def _place(text: str, written: str, start: int, end: int) -> Place:
    after = _AFTER.match(text, end)
    if after is not None:
        return Place(written, _lines_of(after), text[start : after.end()])
    before = _BEFORE.search(text, max(0, start - _BEFORE_CHARACTERS), start)
    if before is not None:
        return Place(written, named_lines(before.group("start"), before.group("end")), text[before.start() : end])
    return Place(written, None, written)


def _lines_of(after: re.Match[str]) -> Lines | None:
    for form in ("colon", "hash", "word"):
        if after.group(form):
            return named_lines(after.group(form), after.group(f"{form}_end"))
    return named_lines(after.group("bracket"), None)
