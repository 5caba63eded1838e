"""The command that ends the daemon."""

from __future__ import annotations

from dataclasses import dataclass

from hotset._stopping import stop_daemon
from hotset.address import endpoint
from hotset.cli import options as o
from hotset.cli.output import show
from hotset.settings import ClientSettings


@dataclass(frozen=True, slots=True)
class Stopped:
    """Which process was stopped, 0 where none listened at the address."""

    address: str
    process: int


def stop(json: o.AsJson = False, address: o.Address = None, home: o.Home = None, timeout: o.Timeout = None) -> None:
    """Stop the daemon in order, and wait until it is gone. Where none runs there is nothing to do."""
    where = endpoint(address, home)
    stopped = Stopped(where.target, stop_daemon(where, timeout or ClientSettings().timeout_seconds) or 0)
    said = f"process {stopped.process} has stopped" if stopped.process else "no daemon runs"
    show(stopped, lambda: f"{said} at {stopped.address}", json=json)
