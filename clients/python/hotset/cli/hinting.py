"""What the options of focus say of where the work is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from hotset.cli.places import whole
from hotset.types import Hints


def hints_of(
    changed: Sequence[str] | None, opened: Sequence[str] | None, read: Sequence[str] | None, diff: str | None
) -> Hints | None:
    """Return the hints, None where no option gives any. Raises typer.BadParameter for a diff that cannot be read."""
    if not (changed or opened or read or diff):
        return None
    return Hints(_paths(changed), _paths(opened), _paths(read), _diff(diff) if diff else "")


def _paths(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(whole(path) for path in given or ())


def _diff(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror or error}", param_hint="--diff") from error
    return raw.decode("utf-8", "replace")
