"""The command that becomes the daemon."""

from __future__ import annotations

import os

import typer

from hotset._spawn import find_daemon
from hotset.cli import options as o
from hotset.errors import AutostartFailed


def serve(context: typer.Context, home: o.Home = None) -> None:
    """Run the daemon in this terminal. Further options go to hotsetd as they are: hotset serve -- --help."""
    program = str(find_daemon())
    arguments = [program, *(["--home", str(home)] if home else []), *context.args]
    try:
        os.execv(program, arguments)  # noqa: S606 -- our own program, an argument list, no shell
    except OSError as error:
        raise AutostartFailed(
            f"cannot run {program}: {error}", reason="DAEMON_NOT_STARTED", what_to_do="install it with pip"
        ) from error
