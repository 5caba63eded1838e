"""Where things go: answers to stdout, everything else to stderr."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import typer
from rich.console import Console, RenderableType

from hotset.cli import exits
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
    else:
        console().print(render(), crop=False)


def emit(text: str) -> None:
    """Write text to stdout as UTF-8, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def end(answer: Answer) -> None:
    """End the command with the status of an answer."""
    if answer is Answer.OVER_BUDGET:
        raise typer.Exit(exits.OVER_BUDGET)


def complain(error: HotsetError) -> None:
    """Print an error and what to do about it to stderr."""
    sys.stderr.write(f"hotset: {visible(error.message)}\n")
    if error.what_to_do and error.what_to_do not in error.message:
        sys.stderr.write(f"  {visible(error.what_to_do)}\n")
    sys.stderr.flush()
