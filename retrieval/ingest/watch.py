"""When what was seen of a tree becomes one partial scan: changes are gathered until the tree is quiet, or long enough.

Pure: paths and times go in, batches come out. What belongs together stays together: a rename's two ends, a branch
switch's thousands. A large burst, lost events or new ignore rules become one look at the whole tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, unique


@unique
class Happened(Enum):
    """What a notification says of a path. It is a hint: what holds is what the file system shows at the scan."""

    APPEARED = "appeared"
    CHANGED = "changed"
    VANISHED = "vanished"


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How sources are followed."""

    tick_seconds: float = 0.04
    """Guess: how often notifications are collected; a Focus does not wait for it, it asks."""
    quiet_seconds: float = 0.1
    """Guess: longer than an editor takes from setting the old file aside to writing the new one."""
    burst_paths: int = 64
    """Guess: more changed paths than hands make: a program is at work, and what it does is taken in at once."""
    burst_quiet_seconds: float = 0.4
    """Guess: a checkout pauses shorter than that between two files."""
    hold_seconds: float = 3.0
    """Guess: changes do not wait longer than that for quiet, nor for git to let go of its lock."""
    rescan_paths: int = 2_000
    """Guess: of so many changed paths a whole scan is as quick, and sees what an overflow of the queue lost."""
    verify_seconds: float = 3600.0
    """Guess: a whole scan so often finds what notifications missed; the library does not tell of lost ones."""
    history_seconds: float = 1.0
    """Guess: so long after the last scan the history's edges are brought up to date; a commit does it at once."""
    retry_seconds: float = 1.0
    """Guess: how soon a root that is gone, or a scan that failed, is tried again."""
    retry_limit_seconds: float = 60.0
    """Guess: a scan that fails again and again waits twice as long each time, up to this."""
    poll_seconds: float = 1.0
    """Guess: how often every file's time is compared where the system has no notifications left."""
    echo_seconds: float = 0.1
    """Measured: notifications arrive 2.2 ms after the change, 2.6 ms at the 98th of 100; this is for a busy machine."""
    echoes_missed: int = 20
    """Guess: so many times nothing is heard of our own files before the notifications are begun anew."""
    settle_seconds: float = 1.0
    """Guess: a Focus waits so long for changes made before it in the sources it searches."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one scan looks at: these paths from the root, sorted, or the `whole` tree."""

    paths: tuple[str, ...]
    whole: bool = False


class Gathering:
    """What was seen of one tree and not yet scanned. `now` is any clock that never falls, in seconds."""

    def __init__(self, settings: WatchSettings) -> None:
        self._settings = settings
        self._seen: dict[str, Happened] = {}
        self._whole = False
        self._first = 0.0
        self._last = 0.0

    @property
    def pending(self) -> int:
        """How many changed paths wait; a whole scan that waits counts as one more."""
        return len(self._seen) + self._whole

    def saw(self, changes: Iterable[tuple[Happened, str]], now: float) -> None:
        """Add what was seen; of one path the last word counts."""
        for happened, path in changes:
            self._begin(now)
            self._seen[path] = happened

    def everything(self, now: float) -> None:
        """Ask for a whole scan."""
        self._begin(now)
        self._whole = True

    def due(self, now: float, *, asked: bool = False, busy: bool = False) -> bool:
        """Whether to scan now. `asked`: somebody waits for it. `busy`: git holds its lock, more is to come."""
        if not self.pending:
            return False
        if now - self._first >= self._settings.hold_seconds:
            return True
        return not busy and now - self._last >= self._quiet(asked)

    def take(self) -> Batch:
        """Return all that waits and forget it."""
        whole = self._whole or len(self._seen) >= self._settings.rescan_paths
        batch = Batch(() if whole else tuple(sorted(self._seen)), whole)
        self._seen, self._whole = {}, False
        return batch

    def put_back(self, batch: Batch, now: float) -> None:
        """Take back what could not be scanned; what was seen meanwhile is newer and stays."""
        if batch.whole:
            self.everything(now)
        for path in batch.paths:
            self._begin(now)
            self._seen.setdefault(path, Happened.CHANGED)

    def _begin(self, now: float) -> None:
        if not self.pending:
            self._first = now
        self._last = now

    def _quiet(self, asked: bool) -> float:
        if self._whole:
            return 0.0
        if len(self._seen) >= self._settings.burst_paths:
            return self._settings.burst_quiet_seconds
        # A file that is set aside and not replaced yet would lose its identity to a scan in between.
        halfway = self._halfway()
        return 0.0 if asked and not halfway else self._settings.quiet_seconds

    def _halfway(self) -> bool:
        kinds = set(self._seen.values())
        return Happened.VANISHED in kinds and Happened.APPEARED not in kinds
