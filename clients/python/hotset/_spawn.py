"""Starting a local daemon that outlives its client."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from hotset.errors import AutostartFailed
from hotset.settings import StartSettings

PROGRAM = "hotsetd"
HOME_IS_TAKEN = 3
"""The status with which it ends where another daemon holds the home's lock."""


@dataclass(frozen=True, slots=True)
class Started:
    """A daemon process that was started, and the file that holds what it printed, from the byte `since` on."""

    process: subprocess.Popen[bytes]
    log: Path
    since: int = 0

    def exit_status(self) -> int | None:
        """Return its exit status, or None while it runs."""
        return self.process.poll()

    def last_words(self, lines: int) -> str:
        """Return the last lines that were printed since it was started; starts before have their words in the log."""
        try:
            with self.log.open("rb") as file:
                file.seek(self.since)
                said = b"".join(deque(file, maxlen=lines))
            return said.decode("utf-8", "backslashreplace").strip()
        except OSError as error:
            return f"(its log cannot be read: {error})"


def find_daemon() -> Path:
    """Return the daemon's program: beside this interpreter, else on PATH. Raises AutostartFailed where neither is."""
    beside = Path(sys.executable).parent / PROGRAM
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(PROGRAM)
    if found is None:
        raise AutostartFailed(
            f"{PROGRAM} is neither beside {sys.executable} nor on PATH",
            reason="DAEMON_NOT_INSTALLED",
            what_to_do="`pip install .` in a checkout of Hotset, or set $HOTSET_ADDRESS to a daemon that runs",
        )
    return Path(found)


def start_daemon(home: Path, settings: StartSettings) -> Started:
    """Start a daemon for `home` in a session of its own, with its output appended to `<home>/autostart.log`.

    Two clients may do so at once: the daemon's own lock lets one of the two processes live.
    """
    program = find_daemon()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = home / "autostart.log"
        if log.exists() and log.stat().st_size > settings.log_bytes:
            log.replace(log.with_suffix(".log.1"))
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            since = os.fstat(descriptor).st_size
            process = subprocess.Popen(  # noqa: S603 -- our own program, an argument list, no shell
                [str(program), "--home", str(home)],
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                start_new_session=True,
            )
        finally:
            os.close(descriptor)
    except OSError as error:
        raise AutostartFailed(
            f"cannot start {program} for {home}: {error}",
            reason="DAEMON_NOT_STARTED",
            what_to_do="check that the home is a directory that this user may write, or set $HOTSET_HOME",
        ) from error
    # Waiting for the child keeps it from staying a zombie when it exits before this process does.
    threading.Thread(target=process.wait, name="hotsetd-exit", daemon=True).start()
    return Started(process, log, since)
