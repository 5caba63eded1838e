"""Parsing beside the process: a few worker processes take chunks of files, and their answers come back in order.

Workers are started anew, never forked, since the store's environment does not outlive a fork; they open nothing. A
worker that dies, hangs or answers nonsense is replaced, and its files are tried again one by one: what kills a worker
alone is refused, the rest is taken. Where no worker can be started, files are parsed in this process, and that is
counted; but none that a worker died of, or may have: those are refused.
"""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec

from retrieval.ingest.guards import Reason, Refusal
from retrieval.ingest.parse_worker import FileToParse, decode_reply, encode, parse, receive_frame, send_frame
from retrieval.ingest.pieces import ParsedFile
from retrieval.ingest.settings import IngestSettings

Outcome = ParsedFile | Refusal
COMMAND = (sys.executable, "-P", "-c", "from retrieval.ingest.parse_worker import main; main()")
"""What starts a worker; its socket's number is added. `-P`: this process's own folder is no place for code."""
WORKERS_UNAVAILABLE = "parse_workers_unavailable"
"""Counts chunks of files that were parsed in this process since no worker could be started."""
_PACKAGES = str(Path(__file__).resolve().parents[2])
_GOODBYE_SECONDS = 5.0
_GIVEN_UP = "the run ended before it was parsed"


class WorkerLost(Exception):
    """A worker gave no answer, and why."""


class Worker:
    """One worker process. Raises WorkerLost where it cannot be started or gives no answer."""

    def __init__(self, settings: IngestSettings, command: Sequence[str] | None = None) -> None:
        ours, theirs = socket.socketpair()
        path = os.pathsep.join(filter(None, (_PACKAGES, os.environ.get("PYTHONPATH"))))
        try:
            self.process = subprocess.Popen(  # noqa: S603  # the program is this Python, and no shell reads the words
                [*(command or COMMAND), str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
            )
        except OSError as error:
            ours.close()
            raise WorkerLost(f"it could not be started: {error.strerror or error}") from error
        finally:
            theirs.close()
        self._connection = ours
        self._connection.settimeout(settings.parallel.start_seconds)
        try:
            send_frame(ours, encode(settings))
            receive_frame(ours)
        except OSError as error:
            raise self._lost(error) from error
        self._connection.settimeout(settings.parallel.patience_seconds)

    def parse(self, files: Sequence[FileToParse]) -> tuple[list[Outcome], float]:
        """Return what came of the files, in their order, and the processor seconds that it took."""
        try:
            send_frame(self._connection, encode(files))
            reply = decode_reply(receive_frame(self._connection))
        except (OSError, msgspec.MsgspecError, MemoryError) as error:
            raise self._lost(error) from error
        outcomes = [parsed or refusal for parsed, refusal in reply.outcomes]
        found: list[Outcome] = [outcome for outcome in outcomes if outcome is not None]
        if len(found) != len(files):
            raise self._lost(ValueError(f"{len(found)} answers to {len(files)} files"))
        return found, reply.cpu_seconds

    def end(self) -> None:
        """Let the worker end by itself, and end it where it does not."""
        self._connection.close()
        try:
            self.process.wait(_GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def kill(self) -> None:
        """End the worker at once, from any thread: who waits for its answer learns that it is lost."""
        self.process.kill()

    def _lost(self, error: Exception) -> WorkerLost:
        """End the worker and say what became of it."""
        hung = isinstance(error, TimeoutError)
        self._connection.close()
        if hung or not isinstance(error, OSError):
            self.process.kill()
        self.end()
        code = self.process.returncode
        if hung:
            return WorkerLost("its parser gave no answer in time")
        if not isinstance(error, OSError):
            return WorkerLost(f"its parser's answer made no sense: {error}")
        return WorkerLost(f"its parser ended by signal {-code}" if code < 0 else f"its parser ended with code {code}")


class ParsePool:
    """Workers, started when they are first needed, one for each thread that waits for one. Close it at the end."""

    def __init__(self, settings: IngestSettings, start: Callable[[], Worker] | None = None) -> None:
        """`start` makes a worker; without it, the module's own are made."""
        self._settings = settings
        self._start = start or (lambda: Worker(settings))
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        workers = max(1, min(settings.parallel.workers, os.cpu_count() or 1))
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="hotset-parse")
        self._guard = threading.Lock()
        self._busy: set[Worker] = set()
        self._closed = False
        self.cpu_seconds = 0.0
        self.unavailable = 0

    def submit(self, files: Sequence[FileToParse]) -> Future[list[Outcome]]:
        """Have the files parsed; the outcomes come in their order."""
        return self._threads.submit(self._parse, files)

    def close(self) -> None:
        """Give up what is not done, and end the workers."""
        with self._guard:
            self._closed = True
            for worker in self._busy:
                worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        while not self._idle.empty():
            self._idle.get().end()

    def _parse(self, files: Sequence[FileToParse]) -> list[Outcome]:
        try:
            worker = self._worker()
        except WorkerLost:
            with self._guard:
                self.unavailable += not self._closed
            return [self._here(file) for file in files]
        try:
            return self._by(worker, files)
        except WorkerLost as lost:
            if len(files) == 1 or self._closed:
                return [Refusal(Reason.UNPARSABLE, str(lost))] * len(files)
        return [self._alone(file) for file in files]

    def _alone(self, file: FileToParse) -> Outcome:
        """Try a file again that a worker may have died of: by a worker, or not at all."""
        try:
            return self._by(self._worker(), [file])[0]
        except WorkerLost as lost:
            return Refusal(Reason.UNPARSABLE, str(lost))

    def _here(self, file: FileToParse) -> Outcome:
        return Refusal(Reason.UNPARSABLE, _GIVEN_UP) if self._closed else parse(file, self._settings)

    def _by(self, worker: Worker, files: Sequence[FileToParse]) -> list[Outcome]:
        with self._guard:
            closed = self._closed
            self._busy.add(worker)
        if closed:
            worker.kill()
        try:
            outcomes, seconds = worker.parse(files)
        finally:
            with self._guard:
                self._busy.remove(worker)
        self._idle.put(worker)
        with self._guard:
            self.cpu_seconds += seconds
        return outcomes

    def _worker(self) -> Worker:
        """A worker that is free, or a new one. Raises WorkerLost where none can be started."""
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            pass
        if self._closed:
            raise WorkerLost(_GIVEN_UP)
        return self._start()
