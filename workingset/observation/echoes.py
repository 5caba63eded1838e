"""Our own block inside what was observed: it is taken out, since being rendered is not use.

A host that shows the block to its agent will hand it back, in a tool's output, in the words that it puts before the
user's, or from a file with numbered lines. A segment is known by its header and the fence that follows
(`workingset.rendering`), a line of the frontier or a gist by its ref and place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from workingset.entry import Entry
from workingset.rendering import place_of
from workingset.vocabulary import Ref

_QUOTED = r"(?:[ \t]{0,8}\d{1,7}(?:→|\t|:|\|| {1,2})|> ?|[ \t]{0,8})"
_HEADER = re.compile(rf"^{_QUOTED}## (?=\S+?:\S)[^\n]*+\n{_QUOTED}(?P<fence>~{{3,}})[ \t\r]*\n", re.MULTILINE)
_LINE = re.compile(rf"^{_QUOTED}- (?P<place>(?P<ref>[^\s:]+:[^\s:]+)[^\n]*)", re.MULTILINE)

_AFTER_PLACE = re.compile(r"\.?(?: \[[^\]]*\])?(?:: .*|\s*)$")
"""Marks, of this turn or an earlier one, and a gist."""


def without_echoes(text: str, entries: Mapping[Ref, Entry]) -> tuple[str, int]:
    """Return the text without pieces of our block, and how many there were. Takes time linear in the text."""
    count = 0
    if "~~~" in text:
        text, count = _without_segments(text)
    if "- " in text:
        text, lines = _without_lines(text, entries)
        count += lines
    return text, count


def _without_segments(text: str) -> tuple[str, int]:
    kept: list[str] = []
    position = count = 0
    while (header := _HEADER.search(text, position)) is not None:
        kept.append(text[position : header.start()])
        count += 1
        closing = _closing(header.group("fence")).search(text, header.end())
        # An echo that was cut off before its end hides all that follows: better too little use than a false one.
        position = closing.end() if closing else len(text)
    return "".join((*kept, text[position:])), count


def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"^{_QUOTED}{fence}[ \t\r]*$", re.MULTILINE)


def _without_lines(text: str, entries: Mapping[Ref, Entry]) -> tuple[str, int]:
    count = 0

    def drop(line: re.Match[str]) -> str:
        nonlocal count
        entry = entries.get(Ref(line.group("ref")))
        if entry is None or not _is_ours(line.group("place"), entry):
            return line.group()
        count += 1
        return ""

    return _LINE.sub(drop, text), count


def _is_ours(written: str, entry: Entry) -> bool:
    place = place_of(entry)
    if written.startswith(place) and _AFTER_PLACE.match(written, len(place)):
        return True
    # The line may be of an earlier turn, when the entry stood at other lines of its file.
    return bool(entry.path) and written.startswith(f"{entry.ref} {entry.path}:")
