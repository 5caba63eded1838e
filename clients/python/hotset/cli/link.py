"""The connection of one command."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import typer

from hotset.cli import exits
from hotset.client import HotsetClient


@contextmanager
def connect(
    address: str | None,
    home: Path | None,
    *,
    no_autostart: bool,
    timeout: float | None,
    agent: str | None = None,
) -> Generator[HotsetClient, None, None]:
    """Open a client for one command; Ctrl-C cancels the call in the daemon and ends the command."""
    try:
        with HotsetClient(
            address,
            home=home,
            agent=agent,
            timeout_seconds=timeout,
            autostart=not no_autostart,
            token=os.environ.get("HOTSET_TOKEN") or None,
        ) as client:
            yield client
    except KeyboardInterrupt:
        sys.stderr.write("hotset: cancelled\n")
        raise typer.Exit(exits.INTERRUPTED) from None
