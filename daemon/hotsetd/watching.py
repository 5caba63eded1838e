"""Follows one source: a thread that hears of changes, gathers them, and scans what they touch.

The thread alone touches the listener and the gathering. Others read `report`, and `ask` for what happened before now
to be taken in. Nothing is believed of a notification but that a path is worth a look, so that a file seen half-written
is only the state before the next notification.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

from hotsetd import telemetry
from hotsetd.clock import Clock
from hotsetd.errors import Stopping
from hotsetd.listening import Heard, Listen, Listener, ListeningFailed
from hotsetd.source_reports import Identity, Scans, SourceReport, SourceState, Unsettled
from hotsetd.telemetry import Log
from retrieval.errors import RetrievalError
from retrieval.ingest.errors import IngestCancelled
from retrieval.ingest.git_history import HISTORY_UNAVAILABLE
from retrieval.ingest.progress import Progress, Summary
from retrieval.ingest.settings import GuardSettings
from retrieval.ingest.watch import Batch, Gathering, Happened, WatchSettings
from retrieval.ingest.watched_paths import RULE_FILES, WatchedPaths
from retrieval.ingest.work_tree import GitStamp, git_stamp
from workingset.vocabulary import Namespace

_ASKED_TICK_SECONDS = 0.005


class _RootGone(Exception):
    """The root is not there, or not the folder whose records are kept."""


class Following:
    """One followed source. `start`, then `stop_soon` and `join`; the other methods are safe from any thread."""

    def __init__(
        self,
        namespace: Namespace,
        root: Path,
        known: Identity | None,
        scans: Scans,
        listen: Listen,
        echoes: Path,
        settings: WatchSettings,
        guards: GuardSettings,
        clock: Clock,
        log: Log,
    ) -> None:
        """`known` is the folder that was scanned before, None for a source that never was."""
        self._root = root
        self._scans = scans
        self._listen = listen
        self._echoes = echoes
        self._settings = settings
        self._clock = clock
        self._log = log
        self._report = SourceReport(namespace, str(root))
        self._gathering = Gathering(settings)
        self._watched = WatchedPaths(root, guards)
        self._listener: Listener | None = None
        self._known = known
        self._identity: Identity = (0, 0)
        self._stamp = GitStamp()
        self._history_due: float | None = None
        self._verified = 0.0
        self._retry_seconds = settings.retry_seconds
        self._missed_echoes = 0
        self._skipped: Counter[str] = Counter()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._answers = threading.Condition()
        self._asked = self._heard = self._answered = 0
        self._asked_at = 0.0
        self._thread = threading.Thread(target=self._run, name="source", daemon=True)

    # --- from any thread ---

    def start(self) -> None:
        """Begin: a whole scan, then whatever happens."""
        self._thread.start()

    def stop_soon(self) -> None:
        """End at the next file."""
        self._stop.set()
        self._wake.set()
        with self._answers:
            self._answers.notify_all()

    def join(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, so long at most; returns whether it has."""
        if self._thread.is_alive():
            self._thread.join(None if seconds is None else min(max(0.0, seconds), threading.TIMEOUT_MAX))
        return not self._thread.is_alive()

    @property
    def report(self) -> SourceReport:
        """What is to be said now."""
        return self._report

    def ask(self) -> int:
        """Have what happened before this call taken in; returns a number to `settled` by, 0 where waiting is no use.

        Nobody waits for a thread that has answered nobody for as long as anybody would wait.
        """
        with self._answers:
            now = self._clock.monotonic()
            if self._waited_for():
                overdue = now - self._asked_at >= self._settings.settle_seconds  # or was last answered then
            else:
                self._asked_at, overdue = now, False
            if overdue or self._hindrance():
                return 0
            self._asked += 1
            number = self._asked
        self._wake.set()
        return number

    def settled(self, number: int, seconds: float) -> Unsettled | None:
        """Wait until what was asked for is in the store; else returns why it may not be."""

        def over() -> bool:
            return self._answered >= number or bool(self._hindrance())

        with self._answers:
            self._answers.wait_for(over, max(0.0, seconds))
            if self._answered >= number > 0 and not self._report.polling:
                return None
        report = self._report
        because = self._hindrance() or ("all of it is being scanned" if report.state is SourceState.SCANNING else "")
        return Unsettled(report.namespace, report.root, because or "changes are still being taken in", report.pending)

    def _hindrance(self) -> str:
        """Why nobody should wait; empty where it may be of use."""
        if self._stop.is_set():
            return "it is followed no longer"
        if self._report.state is SourceState.DEGRADED or self._report.polling:
            return self._report.because or "files' times are compared now and then only"
        # Reading a tree for the first time takes longer than any caller waits.
        return "it is being read for the first time" if self._known is None else ""

    # --- the thread ---

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._wake.clear()
                pause = self._guarded()
                if not self._stop.is_set():
                    self._wake.wait(pause)
        finally:
            self._hear_no_more()

    def _guarded(self) -> float:
        """One step that nothing ends but a stop; returns how long to pause."""
        try:
            return self._step()
        except (IngestCancelled, Stopping):
            return 0.0
        except (RetrievalError, OSError, ListeningFailed) as error:
            return self._degrade(str(error))
        except _RootGone as gone:
            return self._degrade(str(gone), self._settings.retry_seconds)
        except Exception as error:
            # A thread that ended here would leave its source behind for good, and nobody would be told.
            self._log.error(telemetry.DEFECT, job="source", exc_info=error)
            return self._degrade(f"unexpected {type(error).__name__}")

    def _step(self) -> float:
        listener = self._attend()
        with self._answers:
            asked = self._asked
        if asked > self._heard:
            heard, complete = listener.echo(self._settings.echo_seconds)
            self._missed_echoes = 0 if complete or listener.polling else self._missed_echoes + 1
            if complete or listener.polling:
                self._heard = asked
        else:
            heard = listener.heard()
        self._take_in(heard)
        if self._missed_echoes >= self._settings.echoes_missed:
            raise ListeningFailed("notifications of changes do not arrive")
        self._look_at_git()
        now = self._clock.monotonic()
        if now - self._verified >= self._settings.verify_seconds:
            self._gathering.everything(now)
        self._say(pending=self._gathering.pending)
        if self._gathering.due(now, asked=self._waited_for(), busy=self._stamp.busy):
            self._scan(self._gathering.take())
            self._say(pending=self._gathering.pending)
        self._answer()
        self._read_history()
        return _ASKED_TICK_SECONDS if self._waited_for() else self._settings.tick_seconds

    def _waited_for(self) -> bool:
        return self._asked > self._answered

    def _answer(self) -> None:
        if self._gathering.pending or self._heard == self._answered:
            return
        with self._answers:
            self._answered, self._asked_at = self._heard, self._clock.monotonic()
            self._answers.notify_all()

    def _attend(self) -> Listener:
        """Have a listener on the folder that is now at the root; a new one means that anything may have happened."""
        try:
            found = os.stat(self._root)
            identity = (found.st_dev, found.st_ino)
            if self._listener is not None and identity == self._identity:
                return self._listener
            self._hear_no_more()
            with os.scandir(self._root) as entries:
                is_empty = next(entries, None) is None
        except OSError as error:
            self._hear_no_more()
            raise _RootGone(f"{self._root}: {error.strerror}: its records are kept until it is back") from error
        if is_empty and self._known not in (None, identity):
            what = "is empty and not the folder that was scanned: is something not mounted?"
            raise _RootGone(f"{self._root} {what} Its records are kept until it has files or the source is removed")
        self._listener = self._listen(self._root.resolve(), self._echoes)
        self._identity = identity
        self._missed_echoes = 0
        self._gathering.everything(self._clock.monotonic())
        self._say(polling=self._listener.polling)
        return self._listener

    def _hear_no_more(self) -> None:
        if self._listener is not None:
            self._listener.close()
        self._listener = None

    def _take_in(self, heard: Heard) -> None:
        if any(path.rpartition("/")[2] in RULE_FILES for _, path in heard):
            self._watched.forget()
        may_matter = [(kind, path) for kind, path in heard if path and self._watched.matters(path)]
        self._gathering.saw(may_matter, self._clock.monotonic())

    def _look_at_git(self) -> None:
        """See what git did, and whether rules around the root have changed, of which nothing is heard. Files that git
        began or ceased to track are looked at: no rule ignores those."""
        before, self._stamp, now = self._stamp, git_stamp(self._root), self._clock.monotonic()
        if self._stamp.rules != before.rules:
            self._watched.forget()
            self._gathering.everything(now)
        if self._stamp.index != before.index:
            differing = self._watched.forget()
            self._gathering.saw([(Happened.CHANGED, path) for path in sorted(differing)], now)
        if self._stamp.head != before.head:
            self._history_due = now

    def _read_history(self) -> None:
        """After the files are in, and a while after the last of them: nobody waits for what git tells of the past."""
        due = self._history_due is not None and self._clock.monotonic() >= self._history_due
        if due and not self._gathering.pending and not self._waited_for():
            generation, problem = self._scans.history(self._stop.is_set)
            self._skipped.pop(HISTORY_UNAVAILABLE, None)
            if problem:
                self._skipped[HISTORY_UNAVAILABLE] = 1
            self._say(generation=generation, skipped=tuple(sorted(self._skipped.items())))
            self._history_due = None

    def _scan(self, batch: Batch) -> None:
        if batch.whole:
            self._look_around()
        try:
            summary = self._scans.scan(batch, self._progressed if batch.whole else _ignored, self._stop.is_set)
        except BaseException:
            self._gathering.put_back(batch, self._clock.monotonic())
            raise
        self._retry_seconds = self._settings.retry_seconds
        history = 0 if batch.whole else self._skipped[HISTORY_UNAVAILABLE]
        self._skipped = Counter(dict(summary.skipped))  # of the whole tree, whatever was scanned of it
        if history:
            self._skipped[HISTORY_UNAVAILABLE] = history
        self._say(generation=summary.generation, skipped=tuple(sorted(self._skipped.items())), progress=None)
        if batch.whole:
            self._whole_is_in(summary)
        elif self._stamp.head:
            # What changed takes part in what files changed together, though HEAD stands still.
            self._history_due = self._clock.monotonic() + self._settings.history_seconds

    def _look_around(self) -> None:
        """Before a whole scan: what the rules and the repository are now."""
        self._watched.forget()
        self._stamp = git_stamp(self._root)
        self._say(state=SourceState.SCANNING, because="", progress=None)

    def _whole_is_in(self, summary: Summary) -> None:
        self._verified = self._clock.monotonic()
        self._history_due = None  # a whole scan reads it too
        if self._known != self._identity:
            self._scans.scanned(self._identity)
            self._known = self._identity
        polling = self._report.polling
        self._say(
            state=SourceState.CURRENT,
            because=_polling_because(self._settings) if polling else "",
            scanned_at_seconds=self._clock.now_seconds(),
            files=summary.files_taken + summary.files_unchanged,
        )
        if polling:
            self._log.warning(telemetry.SOURCE, root=str(self._root), because=self._report.because)

    def _progressed(self, progress: Progress) -> None:
        self._say(progress=progress)

    def _degrade(self, because: str, pause_seconds: float | None = None) -> float:
        """Say why nothing is taken in; the next scan is of the whole tree."""
        if because != self._report.because:
            self._log.warning(telemetry.SOURCE, root=str(self._root), because=because)
        self._hear_no_more()
        self._say(state=SourceState.DEGRADED, because=because, progress=None, pending=self._gathering.pending)
        with self._answers:
            self._answers.notify_all()
        if pause_seconds is None:
            pause_seconds = self._retry_seconds
            self._retry_seconds = min(2 * self._retry_seconds, self._settings.retry_limit_seconds)
        return pause_seconds

    def _say(self, **changed: object) -> None:
        self._report = replace(self._report, **changed)  # type: ignore[arg-type]  # names of its own fields


def _ignored(progress: Progress) -> None:
    """A partial scan is over before anybody could be told."""
    del progress


def _polling_because(settings: WatchSettings) -> str:
    what = "the system has no notifications left (fs.inotify.max_user_watches, max_user_instances)"
    return f"{what}: files' times are compared every {settings.poll_seconds:g} s"
