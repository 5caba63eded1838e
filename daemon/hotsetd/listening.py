"""Hears of changes below a root: the system's notifications through `watchfiles`, or polling where there are none left.

`echo` answers whether all that happened before it has been heard: it makes a file of our own under the same queue of
notifications, which keeps their order, and waits until that file is heard of (as Watchman's cookies do).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from watchfiles import Change
from watchfiles._rust_notify import RustNotify

from retrieval.ingest.watch import Happened

Heard = list[tuple[Happened, str]]
"""What happened to which path from the root, the root itself being the empty path."""
_HAPPENED = {
    int(Change.added): Happened.APPEARED,
    int(Change.modified): Happened.CHANGED,
    int(Change.deleted): Happened.VANISHED,
}
_STEP_MS = 1
_GROUPED_MS = 20


class ListeningFailed(Exception):
    """The system cannot tell of changes: no watches left, or its queue broke."""


class Listener(Protocol):
    """Follows one root from when it was made. Used by one thread."""

    @property
    def polling(self) -> bool:
        """Whether files' times are compared now and then, for want of notifications."""
        ...

    def heard(self) -> Heard:
        """What has come in since the last look; waits a few milliseconds at most. Raises ListeningFailed."""
        ...

    def echo(self, seconds: float) -> tuple[Heard, bool]:
        """What has come in, and whether that is all that happened before the call; waits so long at most."""
        ...

    def close(self) -> None:
        """Hear no more."""
        ...


Listen = Callable[[Path, Path], Listener]
"""Makes a listener from a root and a folder of our own for echoes; raises OSError for the root, ListeningFailed."""


class FileListener:
    """A listener over `watchfiles`."""

    def __init__(self, root: Path, echoes: Path, poll_seconds: float, now: Callable[[], float]) -> None:
        """Begin to follow, by polling where no notifications are to be had. Raises OSError and ListeningFailed."""
        self._root = str(root)
        self._echoes = str(echoes)
        self._now = now
        self._echo = 0
        os.makedirs(echoes, mode=0o700, exist_ok=True)
        os.scandir(root).close()
        try:
            self._notify = _notify([self._root, self._echoes], polling=False, poll_seconds=poll_seconds)
            self.polling = False
        except (RuntimeError, OSError):
            self._notify = _polling(self._root, poll_seconds)
            self.polling = True

    def heard(self) -> Heard:
        """What has come in since the last look. Raises ListeningFailed."""
        return self._of_root(self._drained())

    def echo(self, seconds: float) -> tuple[Heard, bool]:
        """What has come in, and whether that is all of it; never so where we poll."""
        if self.polling:
            return self.heard(), False
        self._echo += 1
        sign = os.path.join(self._echoes, str(self._echo))
        os.close(os.open(sign, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        os.unlink(sign)
        until = self._now() + seconds
        seen: list[tuple[int, str]] = []
        while self._now() < until:
            drained = self._drained()
            seen.extend(drained)
            if any(path == sign for _, path in drained):
                return self._of_root(seen), True
        return self._of_root(seen), False

    def close(self) -> None:
        """Hear no more."""
        self._notify.close()

    def _drained(self) -> Iterable[tuple[int, str]]:
        try:
            heard = self._notify.watch(_GROUPED_MS, _STEP_MS, _STEP_MS, None)
        except (RuntimeError, OSError) as error:
            raise ListeningFailed(str(error)) from error
        return heard if isinstance(heard, set) else ()

    def _of_root(self, seen: Iterable[tuple[int, str]]) -> Heard:
        below = self._root.rstrip(os.sep) + os.sep
        heard: Heard = []
        for kind, path in seen:
            if path == self._root:
                heard.append((_HAPPENED[kind], ""))
            elif path.startswith(below):
                heard.append((_HAPPENED[kind], path[len(below) :].replace(os.sep, "/")))
        return heard


def _notify(paths: list[str], *, polling: bool, poll_seconds: float) -> RustNotify:
    return RustNotify(paths, False, polling, int(poll_seconds * 1000), True, True)


def _polling(root: str, poll_seconds: float) -> RustNotify:
    try:
        return _notify([root], polling=True, poll_seconds=poll_seconds)
    except RuntimeError as error:
        raise ListeningFailed(str(error)) from error
