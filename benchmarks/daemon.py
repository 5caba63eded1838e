"""A real daemon in a home of its own, for the demo and the benchmarks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hotset import HotsetClient
from hotset.errors import HotsetError

START_SECONDS = 30.0


@dataclass
class Daemon:
    """One `hotsetd` process at a time over one home."""

    home: Path
    options: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    started_seconds: float = 0.0
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.home.parent / "hotsetd.log"

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"unix:{self.home / 'run' / 'hotsetd.sock'}"

    def start(self) -> None:
        """Start it and wait until it serves."""
        began = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "hotsetd", "--home", str(self.home), "--log-level", "warning", *self.options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        with HotsetClient(self.address) as client:
            while True:
                try:
                    client.wait_ready(timeout_seconds=1.0)
                    break
                except HotsetError as error:
                    if self.process.poll() is not None or time.monotonic() - began > START_SECONDS:
                        raise SystemExit(f"hotsetd did not start: {error}\n{self.log.read_text()}") from error
        self.started_seconds = time.monotonic() - began

    def kill(self) -> None:
        """`kill -9`: nothing of the process gets to say goodbye."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stop it in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=60)

    def memory_mib(self, what: str) -> float:
        """`VmRSS` (now) or `VmHWM` (peak) of the process, in MiB."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(what))
        return int(line.split()[1]) / 1024


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Daemon]:
    """A started daemon, stopped on leaving."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    daemon = Daemon(folder / "home", options)
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.stop()
