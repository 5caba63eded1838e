"""One daemon a home: an advisory lock that the kernel drops when its holder dies, taken before anything is bound."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from hotsetd.errors import AlreadyRunning, BadConfiguration


class InstanceLock:
    """Holds `path` locked while open; raises AlreadyRunning where a live process has it, else BadConfiguration.

    A context manager. The file stays behind, empty after an orderly end. What a killed holder leaves in it is the
    number of no process, or of a stranger: only the lock counts.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def __enter__(self) -> InstanceLock:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BadConfiguration("home", f"{self._path} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise AlreadyRunning(f"process {holder or 'unknown'} runs on {self._path.parent}") from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._file = descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None
