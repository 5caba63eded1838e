"""The real daemon as a process of its own, with the embedding thread off so that answers do not change under a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hotset import HotsetClient

CONFIGURATION = """
[jobs]
embed_in_background = false
"""


class RealDaemon:
    """Starts, kills and stops `hotsetd` over one home."""

    def __init__(self, home: Path, configuration: str = CONFIGURATION, *options: str) -> None:
        self.home = home
        self.address = f"unix:{home / 'run' / 'hotsetd.sock'}"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        home.mkdir(parents=True, exist_ok=True)
        (home / "hotsetd.toml").write_text(configuration)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def start(self) -> None:
        """Start and wait until it serves."""
        command = [sys.executable, "-m", "hotsetd", "--home", str(self.home), "--log-level", "warning", *self._options]
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            with HotsetClient(self.address) as client:
                client.wait_ready(timeout_seconds=60)
        except BaseException:
            self.stop()
            raise

    def kill(self) -> None:
        """Kill without warning and wait until it is gone."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Stop in order; returns the exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(timeout=60)

    def last_words(self) -> str:
        """For failures: whether it still runs, else how it ended, and the end of its log."""
        return f"exit code {self.process.poll()}; log: {self.log()[-2000:]!r}"

    def log(self) -> str:
        """What it has written so far."""
        return (self.home / "log").read_text()
