"""A shell command line as pipelines of simple commands, without here-documents. Nothing is expanded or run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from workingset.observation.known_words import VALUE_OPTIONS, WRAPPERS

_HERE = re.compile(r"<<-?\s*(?P<quote>['\"]?)(?P<word>\w+)(?P=quote)")
_STREAMS = re.compile(r"\d?>&\d|&?\d?>>?\s*/dev/null|<<<")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_OPTION_OF_WRAPPER = re.compile(r"-{1,2}\w[\w-]*(?:=.*)?|\d+[smh]?")


STANDARD_INPUT = "-"
"""The operand that stands for what a pipeline hands on."""


@dataclass(slots=True)
class SimpleCommand:
    """One command: its name without folders, its arguments, and the files its output goes to and its input is from."""

    name: str = ""
    arguments: list[str] = field(default_factory=list[str])
    outputs: list[str] = field(default_factory=list[str])
    inputs: list[str] = field(default_factory=list[str])

    @property
    def operands(self) -> list[str]:
        """The arguments that are no options, nor values of options that take one."""
        takes = VALUE_OPTIONS.get(self.name, frozenset[str]())
        operands: list[str] = []
        words = iter(self.arguments)
        for word in words:
            if word in takes:
                next(words, None)
            elif not word.startswith("-") or word == STANDARD_INPUT:
                operands.append(word)
        return operands


def pipelines(line: str, characters: int) -> Iterator[list[SimpleCommand]]:
    """Yield the pipelines of a command line in order.

    Raises ValueError where its quotes do not match, or it has more characters, here-documents apart.
    """
    commands = without_here_documents(line)
    if len(commands) > characters:
        raise ValueError("the command line is too long to be taken apart")
    lexer = shlex.shlex(_STREAMS.sub(" ", commands), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    pipeline: list[SimpleCommand] = []
    words: list[str] = []
    for piece in _without_comments(list(lexer)):
        if piece == "|":
            pipeline.append(_command(words))
            words = []
        elif not piece.strip("();|&\n"):
            pipeline.append(_command(words))
            yield pipeline
            pipeline, words = [], []
        else:
            words.append(piece)
    yield [*pipeline, _command(words)]


def without_here_documents(line: str) -> str:
    """Return the command line without the bodies of its here-documents: they are texts and no commands."""
    if "<<" not in line:
        return line
    kept: list[str] = []
    waiting: list[str] = []
    for row in line.split("\n"):
        if waiting:
            if row.strip() == waiting[0]:
                waiting.pop(0)
            continue
        waiting.extend(match.group("word") for match in _HERE.finditer(row))
        kept.append(_HERE.sub(" ", row))
    return "\n".join(kept)


def _without_comments(tokens: list[str]) -> Iterator[str]:
    in_comment = False
    for token in tokens:
        in_comment = "\n" not in token if in_comment else token.startswith("#")
        if not in_comment:
            yield token


def _command(words: list[str]) -> SimpleCommand:
    command = SimpleCommand()
    rest = iter(words)
    for word in rest:
        if word in {">", ">>", ">|", "&>", "&>>"}:
            command.outputs.append(next(rest, ""))
        elif word == "<":
            command.inputs.append(next(rest, ""))
        elif not command.name:
            _begin(command, word)
        else:
            command.arguments.append(word)
    return command


def _begin(command: SimpleCommand, word: str) -> None:
    name = word.rpartition("/")[2]
    if name in WRAPPERS or _ASSIGNMENT.fullmatch(word) or _OPTION_OF_WRAPPER.fullmatch(word):
        return
    command.name = name
