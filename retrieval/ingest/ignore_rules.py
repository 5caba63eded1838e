"""One file of git's ignore patterns, matched as git matches them.

After git's documentation of `gitignore` and its `wildmatch.c`: the last pattern that matches decides; a pattern
without a slash inside is about names at any depth, others are about paths from the file's folder; all is compared byte
by byte. Libraries also match what lies below a matching folder, which mixes up pruning and negation; here the walk
prunes, and a pattern is asked about one entry only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"!-~",
    b"lower": b"a-z",
    b"print": b" -~",
    b"punct": b"!-/:-@\\[-`{-~",
    b"space": b" \\t-\\r",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}


class _NeverMatches(ValueError):
    """The pattern is one that git takes and that matches nothing, such as an open bracket."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One line: what it matches, and what that means."""

    matches: re.Pattern[bytes]
    ignores: bool
    folders_only: bool
    by_name: bool


class IgnoreRules:
    """The patterns of one file; they apply to paths below `base`, which is empty or ends with a slash."""

    def __init__(self, base: str, lines: Iterable[str]) -> None:
        self.base = base
        patterns = (_parse(line) for line in lines)
        self._last_first = [pattern for pattern in patterns if pattern is not None][::-1]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the path, given from the same root as `base`, is ignored; None where no pattern matches it."""
        below = path[len(self.base) :].encode("utf-8", "surrogateescape")
        name = below.rpartition(b"/")[2]
        for pattern in self._last_first:
            if (is_folder or not pattern.folders_only) and pattern.matches.fullmatch(
                name if pattern.by_name else below
            ):
                return pattern.ignores
        return None


def _parse(line: str) -> _Pattern | None:
    """Return a line's pattern, or None for blanks, comments and what never matches."""
    text = _without_trailing_blanks(line.encode("utf-8", "surrogateescape"))
    if not text or text.startswith(b"#"):
        return None
    ignores = not text.startswith(b"!")
    text = text if ignores else text[1:]
    folders_only = text.endswith(b"/")
    text = text[:-1] if folders_only else text
    by_name = b"/" not in text
    try:
        matches = re.compile(_regular(text.removeprefix(b"/")), re.DOTALL)
    except (_NeverMatches, re.error):
        return None
    return _Pattern(matches, ignores, folders_only, by_name)


def _without_trailing_blanks(text: bytes) -> bytes:
    """Drop blanks at the end that no backslash protects."""
    end = len(text)
    while end and text[end - 1 : end] == b" ":
        before = text[: end - 1]
        if (len(before) - len(before.rstrip(b"\\"))) % 2:
            break
        end -= 1
    return text[:end]


def _regular(glob: bytes) -> bytes:
    """Return the regular expression of a glob in which wildcards stop at slashes."""
    parts: list[bytes] = []
    at = 0
    while at < len(glob):
        mark = glob[at : at + 1]
        if mark == b"*":
            part, at = _stars(glob, at)
        elif mark == b"?":
            part, at = b"[^/]", at + 1
        elif mark == b"[":
            part, at = _bracket(glob, at)
        elif mark == b"\\":
            if at + 1 == len(glob):
                raise _NeverMatches
            part, at = re.escape(glob[at + 1 : at + 2]), at + 2
        else:
            part, at = re.escape(mark), at + 1
        parts.append(part)
    return b"".join(parts)


def _stars(glob: bytes, at: int) -> tuple[bytes, int]:
    """`**` crosses slashes only where it stands between slashes or ends; any other run of stars is one star."""
    end = at
    while glob[end : end + 1] == b"*":
        end += 1
    opens = at == 0 or glob[at - 1 : at] == b"/"
    if end - at >= 2 and opens:
        if end == len(glob):
            return b".*", end
        if glob[end : end + 1] == b"/":
            return b"(?:.*/)?", end + 1
    return b"[^/]*", end


def _bracket(glob: bytes, at: int) -> tuple[bytes, int]:
    """A set of bytes, never a slash. Raises _NeverMatches where it does not end."""
    at += 1
    negated = glob[at : at + 1] in {b"!", b"^"}
    at += negated
    members: list[bytes] = []
    first = True
    while True:
        mark = glob[at : at + 1]
        if not mark:
            raise _NeverMatches
        if mark == b"]" and not first:
            break
        first = False
        if mark == b"[" and glob[at + 1 : at + 2] == b":":
            member, at = _named_class(glob, at)
        else:
            member, at = _range(glob, at)
        members.append(member)
    inside = b"".join(members)
    if negated:
        return b"[^/" + inside + b"]", at + 1
    return b"(?!/)[" + inside + b"]", at + 1


def _range(glob: bytes, at: int) -> tuple[bytes, int]:
    low, at = _member(glob, at)
    if glob[at : at + 1] == b"-" and glob[at + 1 : at + 2] not in {b"]", b""}:
        high, at = _member(glob, at + 1)
        # git compares with the lower end before it sees that there is a range: reversed ones match that end
        return b"\\x%02x-\\x%02x" % (low, max(low, high)), at
    return b"\\x%02x" % low, at


def _member(glob: bytes, at: int) -> tuple[int, int]:
    if glob[at : at + 1] == b"\\":
        at += 1
    if at >= len(glob):
        raise _NeverMatches
    return glob[at], at + 1


def _named_class(glob: bytes, at: int) -> tuple[bytes, int]:
    end = glob.find(b":]", at + 2)
    name = glob[at + 2 : end] if end >= 0 else b""
    if end < 0:
        return _range(glob, at)
    if name not in _CLASSES:
        raise _NeverMatches
    return _CLASSES[name], end + 2
