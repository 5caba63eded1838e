"""What a goal says of code: its first line, the names in it, tracebacks, and messages word for word."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.goal import Goal, NameForm
from retrieval.index.sensor import WeightedTerm
from retrieval.text.stop_words import STOP_WORDS
from retrieval.text.tokens import analyse, path_mentions

_WORD = re.compile(r"[^\W\d]\w*")
_ERROR_LINE = re.compile(r"^.*(?:Error|Exception|Warning|error|panic|fatal)\b.*$", re.MULTILINE)
_QUOTED = re.compile(r"\"([^\"\n]{10,300})\"|'([^'\n]{10,300})'|`([^`\n]{10,300})`")
_PIECE = re.compile(r"[^\"'`0-9<>%{}()\[\]:\n]+")
_SHORTEST_PHRASE = 10
_LONGEST_ERROR_LINE = 300
_PART_WEIGHT = 0.5
_LONGER_THAN = 3


@dataclass(frozen=True, slots=True)
class CodeQuestion:
    """`names` are identifiers with how surely each was meant, the surest first. `frames` are paths with how late in
    the traceback each stands, in (0.5, 1]. `phrases` are pieces of messages."""

    first_line: tuple[WeightedTerm, ...]
    names: tuple[tuple[str, float], ...]
    frames: tuple[tuple[str, float], ...]
    phrases: tuple[str, ...]


def question_of(goal: Goal, names: int, phrases: int) -> CodeQuestion:
    """Read what a ranker of code needs beside the goal's terms, at most so many names and phrases."""
    text = goal.read
    first = next((line for line in text.splitlines() if line.strip()), "")
    return CodeQuestion(
        tuple(WeightedTerm(term, 1.0) for term in sorted(set(analyse(first)))),
        _names(goal, first)[:names],
        _frames(text),
        _phrases(text)[:phrases],
    )


def _names(goal: Goal, first_line: str) -> tuple[tuple[str, float], ...]:
    """Recipes, 1.3: names as in code 1, parts of dotted names and longer words of the first line one half."""
    found: dict[str, float] = {}
    for name in goal.names:
        if name.form is not NameForm.IDENTIFIER:
            continue
        parts = name.text.split(".")
        weight = 1.0 if len(parts) == 1 else _PART_WEIGHT
        for part in parts:
            if len(part) > 1:
                found[part] = max(found.get(part, 0.0), weight)
    for word in _WORD.findall(first_line):
        if len(word) > _LONGER_THAN and word.lower() not in STOP_WORDS:
            found.setdefault(word, _PART_WEIGHT)
    return tuple(sorted(found.items(), key=lambda pair: -pair[1]))


def _frames(text: str) -> tuple[tuple[str, float], ...]:
    frames = [mention.path for mention in path_mentions(text) if mention.line is not None]
    late = {path: 0.5 + 0.5 * (place + 1) / len(frames) for place, path in enumerate(frames)}
    return tuple(late.items())


def _phrases(text: str) -> tuple[str, ...]:
    """Literal pieces of error lines and quoted strings that hold a blank, the longest first."""
    spans = [m.group() for m in _ERROR_LINE.finditer(text) if len(m.group()) <= _LONGEST_ERROR_LINE]
    spans += [next(group for group in m.groups() if group) for m in _QUOTED.finditer(text)]
    pieces = {piece.strip(" .,;") for span in spans for piece in _PIECE.findall(span)}
    kept = [piece for piece in pieces if len(piece) >= _SHORTEST_PHRASE and " " in piece]
    return tuple(sorted(kept, key=lambda piece: (-len(piece), piece)))
