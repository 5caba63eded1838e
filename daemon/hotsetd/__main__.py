"""`hotsetd`: arguments to configuration, then serve until told to stop."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from hotsetd import __version__, telemetry
from hotsetd.allocator import limit_arenas
from hotsetd.clock import SystemClock
from hotsetd.config import Home, Settings, load
from hotsetd.config_example import example
from hotsetd.errors import DaemonError
from hotsetd.server import serve
from retrieval.errors import RetrievalError

EXIT_FAILED = 1
EXIT_ALREADY_RUNNING = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the daemon; returns the process's exit code."""
    options = _parser().parse_args(arguments)
    if options.print_config:
        sys.stdout.write(example())
        return 0
    home = Home(options.home.expanduser().resolve()) if options.home else Home.default()
    try:
        settings = _settings(home, options)
        log = telemetry.configure(settings.log)
        limit_arenas(settings.server.allocator_arenas)
        sys.setswitchinterval(settings.server.switch_interval_seconds)
        asyncio.run(serve(home, settings, SystemClock(), log, read_only=options.read_only))
    except (DaemonError, RetrievalError, OSError) as error:
        sys.stderr.write(f"hotsetd: {error}\n")
        return EXIT_ALREADY_RUNNING if type(error).__name__ == "AlreadyRunning" else EXIT_FAILED
    return 0


def _settings(home: Home, options: argparse.Namespace) -> Settings:
    own = home.configuration if home.configuration.exists() else None
    settings = load(options.config or own)
    if options.tcp is not None:
        settings = dataclasses.replace(settings, server=dataclasses.replace(settings.server, tcp_address=options.tcp))
    if options.log_level is not None:
        settings = dataclasses.replace(settings, log=dataclasses.replace(settings.log, level=options.log_level))
    return settings


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hotsetd", description="Keeps one working set per agent over a corpus.")
    parser.add_argument(
        "--home", type=Path, help="where everything is kept (default: $HOTSET_HOME or ~/.local/state/hotset)"
    )
    parser.add_argument(
        "--config", type=Path, help="a TOML file (default: hotsetd.toml in the home, where there is one)"
    )
    parser.add_argument("--tcp", metavar="HOST:PORT", help="listen on this loopback address too")
    parser.add_argument("--read-only", action="store_true", help="serve reads from a store that is not written to")
    parser.add_argument("--log-level", choices=["debug", "info", "warning", "error"])
    parser.add_argument("--print-config", action="store_true", help="print every setting with its default, and stop")
    parser.add_argument("--version", action="version", version=f"hotsetd {__version__}")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
