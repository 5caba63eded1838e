"""What commands that show files show of them: which lines, as far as their arguments tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from workingset.observation.command_line import STANDARD_INPUT, SimpleCommand
from workingset.observation.known_words import PRINTERS
from workingset.observation.path_use import PathUse
from workingset.observation.places import named_lines, place_of_word
from workingset.transitions.touch import Action
from workingset.vocabulary import Lines

_SED_PRINT = re.compile(r"(\d{1,7})(?:,(\d{1,7}|\$|\+\d{1,7}))?p")
_SED_EDIT = re.compile(r"(\d{1,7})(?:,(\d{1,7}))?\s*[sdaic]")
_SED_WORDS = re.compile(r"s([/|#,@])((?:(?!\1)[\w ():,.'\"-])+)\1((?:(?!\1)[^\\&])*)\1[gIi0-9]*")
_AWK_RANGE = re.compile(r"NR\s*>=?\s*(\d{1,7})\s*&&\s*NR\s*<=?\s*(\d{1,7})|NR\s*==\s*(\d{1,7})")
_COUNT = re.compile(r"(?:-n|--lines=|-)(\+?)(\d{1,7})")
_BAT_RANGE = re.compile(r"(?:-r|--line-range=)?(\d{1,7}):(\d{1,7})")
_START = re.compile(r"\+(\d{1,7})")
_DEFAULT_COUNT = 10


@dataclass(frozen=True, slots=True)
class Printing:
    """Reads the arguments of such commands; a range without an end is taken to have `open_end_lines` lines."""

    open_end_lines: int

    def shown(self, command: SimpleCommand) -> list[PathUse]:
        """Return the files that a command shows, or edits in place; none for other commands."""
        if command.name in PRINTERS:
            return self._whole(command)
        if command.name in {"sed", "gsed"}:
            return self._sed(command)
        if command.name in {"head", "tail"}:
            return self._counted(command)
        return _awk(command) if command.name in {"awk", "gawk"} else []

    def passed_on(self, command: SimpleCommand) -> PathUse | None:
        """Return what part of its input a command passes on; None where that cannot be told."""
        from_input = SimpleCommand(command.name, [*command.arguments, STANDARD_INPUT])
        parts = [use for use in self.shown(from_input) if use.action is Action.READ and not use.is_whole]
        return parts[0] if parts else None

    def _whole(self, command: SimpleCommand) -> list[PathUse]:
        lines: tuple[Lines, ...] = ()
        files: list[str] = []
        for word in command.operands:
            if start := _START.fullmatch(word):
                lines = self._from(int(start.group(1)))
            elif span := _BAT_RANGE.fullmatch(word):
                lines = _lines(span.group(1), span.group(2))
            else:
                files.append(word)
        places = [place_of_word(file) for file in files]
        return [PathUse(place.path, Action.READ, (place.lines,) if place.lines else lines) for place in places]

    def _sed(self, command: SimpleCommand) -> list[PathUse]:
        arguments = command.arguments
        given = [after for before, after in pairwise(arguments) if before == "-e"]
        operands = [word for word in command.operands if word not in given]
        scripts, files = (given, operands) if given else (operands[:1], operands[1:])
        options = [word for word in arguments if word.startswith("-")]
        script = ";".join(scripts)
        if any(re.match(r"-\w*i|--in-place", word) for word in options):
            return _edited_in_place(script, files)
        quiet = any(re.match(r"-\w*n|--quiet|--silent", word) for word in options)
        parts = [_SED_PRINT.fullmatch(part.strip()) for part in script.split(";")] if quiet else []
        ranges = [lines for match in parts if match is not None for lines in self._sed_range(match)]
        return [PathUse(file, Action.READ, tuple(ranges)) for file in files]

    def _sed_range(self, match: re.Match[str]) -> tuple[Lines, ...]:
        start, end = match.group(1), match.group(2)
        if end == "$":
            return self._from(int(start))
        if end and end.startswith("+"):
            return _lines(start, str(int(start) + int(end[1:])))
        return _lines(start, end)

    def _counted(self, command: SimpleCommand) -> list[PathUse]:
        """Head and tail."""
        count, from_start, files = _DEFAULT_COUNT, command.name == "head", list[str]()
        words = iter(command.arguments)
        for word in words:
            if word in {"-n", "--lines"}:
                word = f"-n{next(words, '')}"
            if (match := _COUNT.fullmatch(word)) is not None:
                count = max(1, int(match.group(2)))
                if match.group(1) and command.name == "tail":
                    return [PathUse(file, Action.READ, self._from(count)) for file in [*files, *words]]
            elif not word.startswith("-") or word == STANDARD_INPUT:
                files.append(word)
        if from_start:
            return [PathUse(file, Action.READ, (Lines(1, count),)) for file in files]
        return [PathUse(file, Action.READ, tail_lines=count) for file in files]

    def _from(self, start: int) -> tuple[Lines, ...]:
        first = max(1, start)
        return (Lines(first, first + self.open_end_lines - 1),)


def _edited_in_place(script: str, files: Sequence[str]) -> list[PathUse]:
    parts = [_SED_EDIT.match(part.strip()) for part in script.split(";")]
    lines = [found for match in parts if match is not None for found in _lines(match.group(1), match.group(2))]
    words = None if lines else _SED_WORDS.fullmatch(script.strip())
    quotes = ((words.group(2), words.group(3)),) if words else ()
    return [PathUse(file, Action.EDIT, tuple(lines), quotes) for file in files]


def _awk(command: SimpleCommand) -> list[PathUse]:
    script, files = "".join(command.operands[:1]), command.operands[1:]
    match = _AWK_RANGE.search(script)
    if match is None:
        return [PathUse(file, Action.CITE) for file in files]
    return [PathUse(file, Action.READ, _lines(match.group(1) or match.group(3), match.group(2))) for file in files]


def _lines(start: str, end: str | None) -> tuple[Lines, ...]:
    lines = named_lines(start, end)
    return (lines,) if lines is not None else ()
