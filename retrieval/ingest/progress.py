"""What ingest reports: progress while it runs, a summary at the end, and the tally that both are made from."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from retrieval.ingest.changes import Linked, Written
from retrieval.ingest.guards import Reason, Refusal
from retrieval.ingest.pieces import ParsedFile
from retrieval.ingest.settings import GuardSettings
from workingset.vocabulary import Generation, Namespace


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come. `files_total` is 0 until the files have been counted."""

    stage: str
    files_done: int
    files_total: int
    records: int
    elapsed_seconds: float


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One file that was passed over, why, and what exactly was met."""

    path: str
    reason: str
    what: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did. `skipped` counts by reason everything passed over; `problems` names the first of them, and
    `by_path` has what of it is of a file, by path, for every file that was taken or refused."""

    namespace: Namespace
    generation: Generation
    files_taken: int
    files_unchanged: int
    files_removed: int
    records_written: int
    records_removed: int
    edges_written: int
    edges_removed: int
    skipped: tuple[tuple[str, int], ...]
    problems: tuple[FileProblem, ...]
    problems_truncated: bool
    elapsed_seconds: float
    stages: tuple[tuple[str, float], ...]
    bytes: int
    by_path: Mapping[str, tuple[tuple[str, int], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, int], ...]], repr=False
    )


class Tally:
    """Counts what a run does; one a run, used by one thread."""

    def __init__(self, settings: GuardSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._started = clock()
        self._skipped: dict[str, int] = {}
        self._by_path: dict[str, dict[str, int]] = {}
        self._problems: list[FileProblem] = []
        self._named: dict[str, int] = {}
        self._truncated = False
        self._stages: dict[str, float] = {}
        self.files_total = 0
        self.files_taken = 0
        self.files_unchanged = 0
        self.files_removed = 0
        self.files_skipped = 0
        self.records_written = 0
        self.records_removed = 0
        self.edges_written = 0
        self.edges_removed = 0
        self.bytes = 0

    def count(self, reason: str, times: int = 1) -> None:
        """Count something passed over that has no path worth naming."""
        if times:
            self._skipped[reason] = self._skipped.get(reason, 0) + times

    def problem(self, path: str, reason: str, what: str) -> None:
        """Count a path passed over and name it while there is room."""
        self._count_in(path, ((reason, 1),))
        named = self._named.get(reason, 0)
        room = len(self._problems) < self._settings.named_problems
        if room and named < self._settings.named_problems_per_reason:
            self._named[reason] = named + 1
            self._problems.append(FileProblem(printable_path(path), reason, what))
        else:
            self._truncated = True

    def add(self, written: Written) -> None:
        """Count what a transaction changed."""
        self.records_written += written.records_written
        self.records_removed += written.records_removed
        self.files_removed += written.files_removed
        for reason, times in written.reasons:
            self.count(reason, times)

    def add_links(self, linked: Linked) -> None:
        """Count what linking changed."""
        self.edges_written += linked.edges_written
        self.edges_removed += linked.edges_removed
        self.count(Reason.LINK_TARGET_GONE.value, linked.targets_gone)

    def refuse(self, path: str, refusal: Refusal) -> None:
        """Count and name a file that was not taken in."""
        self.files_skipped += 1
        self.problem(path, refusal.reason.value, refusal.what)

    def take(self, parsed: ParsedFile) -> None:
        """Count a file that is taken in, and what was cut from it."""
        self.files_taken += 1
        self.bytes += parsed.size_bytes
        self._count_in(parsed.path, parsed.cuts)

    def _count_in(self, path: str, reasons: Iterable[tuple[str, int]]) -> None:
        counts = self._by_path.setdefault(path, {})
        for reason, times in reasons:
            self.count(reason, times)
            counts[reason] = counts.get(reason, 0) + times

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Add the time spent inside to the stage."""
        started = self._clock()
        try:
            yield
        finally:
            self._stages[name] = self._stages.get(name, 0.0) + self._clock() - started

    def add_seconds(self, name: str, seconds: float) -> None:
        """Add time that was spent elsewhere to a stage, if it was any."""
        if seconds:
            self._stages[name] = self._stages.get(name, 0.0) + seconds

    def progress(self, stage: str) -> Progress:
        """How far the run has come."""
        done = self.files_taken + self.files_unchanged + self.files_skipped
        return Progress(stage, done, self.files_total, self.records_written, self._clock() - self._started)

    def summary(self, namespace: Namespace, generation: Generation) -> Summary:
        """What the run did so far."""
        return Summary(
            namespace=namespace,
            generation=generation,
            files_taken=self.files_taken,
            files_unchanged=self.files_unchanged,
            files_removed=self.files_removed,
            records_written=self.records_written,
            records_removed=self.records_removed,
            edges_written=self.edges_written,
            edges_removed=self.edges_removed,
            skipped=tuple(sorted(self._skipped.items())),
            problems=tuple(self._problems),
            problems_truncated=self._truncated,
            elapsed_seconds=self._clock() - self._started,
            stages=tuple(self._stages.items()),
            bytes=self.bytes,
            by_path={path: tuple(sorted(counts.items())) for path, counts in self._by_path.items()},
        )


def printable_path(path: str) -> str:
    """Return the path in characters that encode: bytes that are not UTF-8 become the replacement character."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
