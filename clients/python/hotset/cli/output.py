"""Where things go: answers to stdout, everything else to stderr."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

import typer
from rich.console import Console, RenderableType

from hotset.cli import exits
from hotset.cli.advice import advice
from hotset.cli.render import visible
from hotset.errors import HotsetError
from hotset.plain import as_json
from hotset.types import Answer


def console() -> Console:
    """Return a console for stdout in which texts are taken as they are; what its encoding lacks is escaped."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=False)


def error_console() -> Console:
    """Return a console for stderr in which texts are taken as they are."""
    return Console(stderr=True, markup=False, emoji=False, highlight=False)


def show(answer: object, render: Callable[[], RenderableType], *, json: bool) -> None:
    """Print an answer, for programs or for people."""
    if json:
        emit(as_json(answer) + "\n")
        return
    with _writing():
        console().print(render(), crop=False)


def emit(text: str) -> None:
    """Write text to stdout as UTF-8, byte for byte."""
    with _writing():
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()


@contextmanager
def _writing() -> Generator[None, None, None]:
    """End the command where stdout takes nothing: the call was answered, only showing the answer failed."""
    if sys.stdout is None:
        raise _unwritable("standard output is closed")
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # whoever read it has seen enough; typer ends such a command without a word
        raise _unwritable(error.strerror or str(error)) from None


def _unwritable(why: str) -> typer.Exit:
    """Say so, and point stdout at nothing, so that what is left to write is not tried again when the process ends."""
    sys.stderr.write(f"hotset: the answer cannot be written: {why}\n")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    if nothing != 1:
        os.close(nothing)
    return typer.Exit(exits.ERROR)


def agreed(question: str) -> bool:
    """Ask on stderr and read a line of stdin: only y and yes agree. Not by click, whose prompt writes to stdout."""
    sys.stderr.write(f"{question} [y/N]: ")
    sys.stderr.flush()
    try:
        said = sys.stdin.readline() if sys.stdin else ""
    except KeyboardInterrupt:
        sys.stderr.write("\nhotset: cancelled\n")
        raise typer.Exit(exits.INTERRUPTED) from None
    if not said.endswith("\n"):
        sys.stderr.write("\n")
    return said.strip().lower() in {"y", "yes"}


def end(answer: Answer) -> None:
    """End the command with the status of an answer."""
    if answer is Answer.OVER_BUDGET:
        raise typer.Exit(exits.OVER_BUDGET)


def complain(error: HotsetError) -> None:
    """Print an error and what to do about it to stderr."""
    sys.stderr.write(f"hotset: {visible(error.message)}\n")
    to_do = advice(error)
    if to_do and to_do not in error.message:
        sys.stderr.write(f"  {visible(to_do)}\n")
    sys.stderr.flush()
