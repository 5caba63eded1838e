"""What a tool call used, going by its name and its arguments: a JSON object, or a command line.

Nothing is known of any one tool. A call edits, reads or only searches by the words of its name, by a verb among its
arguments, or by the command that it runs; keys are taken by the names that the tools of common agents give them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from workingset.observation.commands import command_uses
from workingset.observation.known_words import (
    COMMAND_KEYS,
    EDITING,
    END_KEYS,
    NEW_KEYS,
    OLD_KEYS,
    PATH_KEYS,
    RANGE_KEYS,
    READING,
    REF_KEYS,
    SHELLS,
    START_KEYS,
)
from workingset.observation.path_use import PathUse
from workingset.observation.places import named_lines, place_of_word
from workingset.settings import ObservationSettings
from workingset.transitions.touch import Action
from workingset.vocabulary import Lines

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_RANGE_TEXT = re.compile(r"L?(\d{1,7})(?:\s*[-:,–]\s*L?(\d{1,7}))?")
_PATH_ALONE = re.compile(r"[^\s*?\[\]{}$`\"'<>|]+")
_LARGEST_LINE = 9_999_999
_DEPTH = 8


@dataclass(slots=True)
class ToolCall:
    """What a call used: paths; refs that it named under such a key; and the rest of its words."""

    uses: list[PathUse] = field(default_factory=list[PathUse])
    refs: list[tuple[str, Action]] = field(default_factory=list[tuple[str, Action]])
    words: list[str] = field(default_factory=list[str])


def read_call(tool: str, text: str, settings: ObservationSettings) -> ToolCall:
    """Return what a call of this tool with these arguments used."""
    call = ToolCall()
    action = action_of(tool)
    try:
        arguments = json.loads(text) if text.lstrip()[:1] in {"{", "["} else None
    except (ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        _Arguments(call, settings).read(cast("dict[str, object]", arguments), action, (), 0)
    elif isinstance(arguments, list):
        _Arguments(call, settings).command(cast("list[object]", arguments))
    else:
        _plain(call, text, action, settings)
    return call


def action_of(name: str) -> Action:
    """Return what a tool does to the files it is given, going by the words of its name."""
    words = {word.lower() for word in _WORDS.findall(name)}
    if words & EDITING:
        return Action.EDIT
    return Action.READ if words & READING else Action.CITE


def _plain(call: ToolCall, text: str, action: Action, settings: ObservationSettings) -> None:
    """A command line; or, for a tool that reads or edits, nothing but a path."""
    word = text.strip()
    if action is not Action.CITE and len(word) <= settings.path_characters and _PATH_ALONE.fullmatch(word):
        place = place_of_word(word)
        call.uses.append(PathUse(place.path, action, (place.lines,) if place.lines else ()))
        return
    call.words.append(text)
    call.uses.extend(command_uses(text, settings))


@dataclass(frozen=True, slots=True)
class _Arguments:
    """Walks a call's arguments. Tables inside a table that names a path are about that path."""

    call: ToolCall
    settings: ObservationSettings

    def read(self, table: Mapping[str, object], action: Action, about: tuple[str, ...], depth: int) -> bool:
        """Take in one table; True where it says which part of its paths is meant."""
        plain = {re.sub(r"[^a-z]", "", key.lower()): value for key, value in table.items()}
        paths = tuple(path for key in sorted(PATH_KEYS & plain.keys()) for path in self._paths(plain[key]))
        verb = plain.get("command", plain.get("action", plain.get("operation")))
        if isinstance(verb, str) and (about or paths) and re.fullmatch(r"[a-z_]+", verb):
            action = action_of(verb) if action_of(verb) is not Action.CITE else action
            plain.pop("command", None)
        lines = self._lines(plain, action)
        quote = _texts(plain, OLD_KEYS) + _texts(plain, NEW_KEYS) if action is Action.EDIT and not lines else ()
        inner = self._inner(plain, action, paths or about, depth)
        precise = bool(lines or quote)
        if precise or (paths and not inner):
            quotes = (quote,) if quote else ()
            self.call.uses.extend(PathUse(path, action, lines, quotes) for path in paths or about)
        return precise or inner

    def command(self, value: object) -> None:
        """Take in a command line, given whole or as a list of words."""
        if isinstance(value, list):
            words = [word for word in cast("list[object]", value) if isinstance(word, str)]
            is_shell = len(words) > 1 and words[0].rpartition("/")[2] in SHELLS and words[1].startswith("-")
            value = words[-1] if is_shell else shlex.join(words)
        if isinstance(value, str):
            self.call.words.append(value)
            self.call.uses.extend(command_uses(value, self.settings))

    def _inner(self, plain: Mapping[str, object], action: Action, about: tuple[str, ...], depth: int) -> bool:
        precise = False
        for key, value in plain.items():
            if key in COMMAND_KEYS:
                self.command(value)
            elif key in REF_KEYS:
                named = Action.READ if action is Action.READ else Action.CITE
                self.call.refs.extend((ref, named) for ref in _strings(value))
            elif isinstance(value, str):
                if key not in PATH_KEYS:
                    self.call.words.append(value)
            elif depth < _DEPTH:
                precise |= self._walk(value, action, about, depth)
        return precise

    def _walk(self, value: object, action: Action, about: tuple[str, ...], depth: int) -> bool:
        if isinstance(value, dict):
            return self.read(cast("dict[str, object]", value), action, about, depth + 1)
        precise = False
        if isinstance(value, list):
            for part in cast("list[object]", value):
                if isinstance(part, str):
                    self.call.words.append(part)
                elif isinstance(part, dict | list):
                    precise |= self._walk(cast("object", part), action, about, depth + 1)
        return precise

    def _paths(self, value: object) -> Iterator[str]:
        """The paths of an argument; those of tables inside are taken where the tables are."""
        for text in _strings(value):
            if 0 < len(text) <= self.settings.path_characters and "\n" not in text:
                yield text.removeprefix("file://")

    def _lines(self, plain: Mapping[str, object], action: Action) -> tuple[Lines, ...]:
        for key in sorted(RANGE_KEYS & plain.keys()):
            if (lines := _range(plain[key], self.settings)) is not None:
                return (lines,)
        start = next((n for key in sorted(START_KEYS & plain.keys()) if (n := _number(plain[key])) is not None), None)
        end = next((n for key in sorted(END_KEYS & plain.keys()) if (n := _number(plain[key])) is not None), None)
        limit = _number(plain.get("limit"))
        if start is None and end is None and limit is None:
            return ()
        first = max(1, start or 1)
        if end is None or end < first:
            whole = 1 if action is Action.EDIT else self.settings.open_end_lines
            end = first + (limit or whole) - 1
        return tuple(lines for lines in (named_lines(first, end),) if lines is not None)


def _range(value: object, settings: ObservationSettings) -> Lines | None:
    """A range of lines as a text, or as a list whose end may be -1 for the end of the file."""
    if isinstance(value, str) and (match := _RANGE_TEXT.fullmatch(value.strip())):
        return named_lines(match.group(1), match.group(2))
    if not isinstance(value, list):
        return None
    numbers = [_number(part) for part in cast("list[object]", value)]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return None
    first = max(1, numbers[0])
    return named_lines(first, numbers[1] if numbers[1] >= first else first + settings.open_end_lines - 1)


def _number(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,7}", value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST_LINE:
        return None
    return value


def _texts(plain: Mapping[str, object], keys: frozenset[str]) -> tuple[str, ...]:
    return tuple(text for key in sorted(keys) if isinstance(text := plain.get(key), str) and text)


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(part for part in cast("list[object]", value) if isinstance(part, str))
    return ()
