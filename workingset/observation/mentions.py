"""Mentions of the set's own entries in words: by ref, by path with or without lines, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workingset.entry import Entry
from workingset.observation.names import Names
from workingset.observation.places import Place, patches_in, places_in
from workingset.observation.seen import merged
from workingset.settings import ObservationSettings
from workingset.vocabulary import Lines, Ref

_REF = re.compile(r"(?<![A-Za-z0-9._/:-])[A-Za-z0-9][A-Za-z0-9._/-]*:[A-Za-z0-9._-]+")
_CHAIN = re.compile(r"(?<!\w)[^\W\d]\w*(?:(?:\.|::|->|#)[^\W\d]\w*)*")
_JOINT = re.compile(r"::|->|#")
_BACKTICKED = re.compile(r"(?<!`)`([^\W\d]\w*)(?:\(\))?`(?!`)")


@dataclass(frozen=True, slots=True)
class Mention:
    """An entry that was mentioned, the lines of it that were named (none: all of it), and the words."""

    entry: Entry
    lines: tuple[Lines, ...]
    matched: str


@dataclass(slots=True)
class Mentions:
    """Collects mentions in one observation: one an entry, in the order of the first.

    Where a path is named with lines anywhere, naming it without them says no more. `wide` counts paths without lines
    of which the set holds more pages than can have been meant.
    """

    names: Names
    settings: ObservationSettings
    wide: int = 0
    _lines: dict[Ref, list[Lines]] = field(default_factory=dict[Ref, list[Lines]])
    _matched: dict[Ref, str] = field(default_factory=dict[Ref, str])
    _whole: dict[str, str] = field(default_factory=dict[str, str])
    _in_part: set[str] = field(default_factory=set[str])

    def read_refs(self, text: str) -> None:
        """Take in refs, word for word."""
        for match in _REF.finditer(text):
            written = match.group()
            for candidate in (written, written.rstrip("._-")):
                if (entry := self.names.refs.get(Ref(candidate))) is not None:
                    self._add(entry, None, candidate)
                    break

    def read_places(self, text: str, *, with_lines_only: bool = False) -> None:
        """Take in paths; a tool's output may list files that nobody looked into, so there only those with lines."""
        for place in (*patches_in(text), *places_in(text, self.names.last_parts)):
            path = self.names.path_of(place.path)
            if path is None:
                continue
            if place.lines is not None:
                self._add_lines(path, place)
            elif not with_lines_only:
                self._whole.setdefault(path, place.matched)

    def read_names(self, text: str, *, backticks: bool) -> None:
        """Take in names of entries' own; plain ones in backticks where those are a way to write names."""
        for match in _CHAIN.finditer(text):
            if (entry := self.names.named(_JOINT.sub(".", match.group()))) is not None:
                self._add(entry, None, match.group())
        if backticks:
            for match in _BACKTICKED.finditer(text):
                if (entry := self.names.plain.get(match.group(1))) is not None:
                    self._add(entry, None, match.group())

    def found(self, used_paths: Iterable[str] = ()) -> Iterator[Mention]:
        """Yield what was mentioned; paths that were used in a stronger way are not mentioned as well."""
        in_part = self._in_part.union(used_paths)
        for path, matched in self._whole.items():
            pages = self.names.paths[path]
            if path in in_part:
                continue
            if len(pages) > self.settings.pages_of_mentioned_file:
                self.wide += 1
                continue
            for entry in pages:
                self._add(entry, None, matched)
        for ref, matched in self._matched.items():
            yield Mention(self.names.refs[ref], merged(self._lines[ref]), matched)

    def _add_lines(self, path: str, place: Place) -> None:
        self._in_part.add(path)
        for entry in self.names.paths[path]:
            if place.lines is None or entry.lines is None or entry.lines.overlap(place.lines):
                self._add(entry, place.lines, place.matched)

    def _add(self, entry: Entry, lines: Lines | None, matched: str) -> None:
        named = self._lines.setdefault(entry.ref, [])
        if lines is not None and entry.lines is not None:
            named.append(Lines(max(lines.start, entry.lines.start), min(lines.end, entry.lines.end)))
        elif entry.lines is not None:
            named.append(entry.lines)
        self._matched.setdefault(entry.ref, matched)
