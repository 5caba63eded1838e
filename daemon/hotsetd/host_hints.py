"""Hints of one Focus: what the host sent, and what the daemon finds in the work trees of the scope by itself.

A work tree is looked at anew for each Focus, in a thread of its own, and the Focus waits for a moment only. Where
another Focus's look is under way, that one counts, and where a look takes longer, the last one that was finished; the
host lane's note says how old it is.
"""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from hotsetd import limits, telemetry
from hotsetd.clock import Clock
from hotsetd.config import RepositorySettings
from hotsetd.repository_state import RepositoryReader
from hotsetd.telemetry import Log
from retrieval.diff_lines import FileLines
from retrieval.hints import BranchCommit, Hints
from retrieval.history.reading import Histories
from retrieval.ingest.settings import GitHistorySettings
from retrieval.store.interface import Store
from workingset.vocabulary import Namespace, TenantId

_ROOTS_REMEMBERED = 256
"""Guess: work trees whose last look is kept, some 20 kB each."""
_THREADS = 2
"""Guess: as many as there are cores; git itself runs beside."""


class Reader(Protocol):
    """Looks at one work tree, one look at a time."""

    def read(self) -> Hints: ...


ReadBy = Callable[[Path, RepositorySettings, GitHistorySettings], Reader]
"""Makes the reader of a work tree."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at one work tree, and when it was begun."""

    begun: float
    hints: Future[Hints]


@dataclass(slots=True)
class _Place:
    """One work tree: what reads it, the look begun last, and when the last finished look was begun and what it saw."""

    reader: Reader
    look: _Look | None = None
    seen: tuple[float, Hints] | None = None


@dataclass(frozen=True, slots=True)
class _Taken:
    """A look that one Focus takes part in; `age_seconds` is None where it was begun for it, and sees all before it."""

    namespace: Namespace
    place: _Place
    look: _Look
    age_seconds: float | None


@dataclass(frozen=True, slots=True)
class Asked:
    """Work trees being looked at for one Focus, by namespace and root; `left` counts those that are not."""

    roots: tuple[tuple[Namespace, str], ...] = ()
    looks: tuple[_Taken, ...] = ()
    left: int = 0


class HostHints:
    """Gathers hints. Safe from any thread; `close` waits for looks under way."""

    def __init__(
        self,
        store: Store,
        histories: Histories,
        clock: Clock,
        log: Log,
        settings: RepositorySettings,
        history: GitHistorySettings,
        read_by: ReadBy = RepositoryReader,
    ) -> None:
        self._store = store
        self.histories = histories
        self._clock = clock
        self._log = log
        self._settings = settings
        self._history = history
        self._read_by = read_by
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="work-tree")
        self._places: dict[str, _Place] = {}
        self._guard = threading.Lock()

    def begin(self, tenant: TenantId, namespaces: Sequence[Namespace]) -> Asked:
        """Begin to look at the work trees of the namespaces, all of the tenant's where none are named."""
        if not self._settings.enabled:
            return Asked()
        with self._store.snapshot(tenant) as txn:
            within = namespaces or [name for name in txn.namespaces() if not name.startswith(limits.AGENT_PREFIX)]
            places = [(name, root) for name in within for root in self.histories.of(txn, name).roots]
        taken = tuple(places[: self._settings.trees])
        return Asked(taken, tuple(self._begun(name, root) for name, root in taken), len(places) - len(taken))

    def hints(self, asked: Asked, sent: Hints) -> tuple[Hints, ...]:
        """What the host sent and what the looks saw, those that take longer left out."""
        wait_for([taken.look.hints for taken in asked.looks], self._settings.wait_seconds)
        found = [self._seen(taken) for taken in asked.looks]
        left = [Hints(note=f"{asked.left} more work trees not looked at")] if asked.left else []
        parted = _parted(sent, asked.roots)
        return tuple(hints for hints in (*parted, *found, *left) if not hints.empty or hints.note)

    def close(self) -> None:
        """Stop looking."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _begun(self, namespace: Namespace, root: str) -> _Taken:
        """A new look, or the one under way: a work tree is looked at once at a time."""
        now = self._clock.monotonic()
        with self._guard:
            if root not in self._places:
                if len(self._places) >= _ROOTS_REMEMBERED:
                    self._places.clear()
                self._places[root] = _Place(self._read_by(Path(root), self._settings, self._history))
            place = self._places[root]
            if place.look is not None and not place.look.hints.done():
                return _Taken(namespace, place, place.look, now - place.look.begun)
            place.look = _Look(now, self._threads.submit(self._read, place, now))
            return _Taken(namespace, place, place.look, None)

    def _read(self, place: _Place, begun: float) -> Hints:
        try:
            hints = place.reader.read()
        except Exception as error:
            # A defect in a look costs the hints of its tree, and no answer.
            self._log.error(telemetry.DEFECT, job="work-tree", exc_info=error)
            hints = Hints(note=f"the work tree could not be read: unexpected {type(error).__name__}")
        place.seen = (begun, hints)
        return hints

    def _seen(self, taken: _Taken) -> Hints:
        namespace, age = taken.namespace, taken.age_seconds
        if taken.look.hints.done():
            hints = taken.look.hints.result()
            note = "" if age is None else f"the work tree of {namespace} was looked at {age:.1f} s before this call"
        else:
            milliseconds = round(self._settings.wait_seconds * 1000)
            note, hints = f"the work tree of {namespace} was not read within {milliseconds} ms", Hints()
            if taken.place.seen is not None:
                begun, hints = taken.place.seen
                note += f"; what is known is {self._clock.monotonic() - begun:.1f} s old"
        return replace(hints, namespace=namespace, note="; ".join(part for part in (hints.note, note) if part))


def _parted(sent: Hints, places: Sequence[tuple[Namespace, str]]) -> list[Hints]:
    """The host's hints, absolute paths below known roots taken out into hints of their trees' namespaces: of the
    innermost root that holds a path, and of all namespaces that have it."""
    roots = [(namespace, posixpath.normpath(root).rstrip("/") + "/") for namespace, root in places]

    def nearest(path: str) -> str:
        return max((root for _, root in roots if path.startswith(root)), key=len, default="")

    below = [replace(_below(sent, root, nearest), namespace=namespace) for namespace, root in roots]
    return [replace(_below(sent, "", nearest), namespace=sent.namespace, note=sent.note), *below]


def _below(sent: Hints, root: str, nearest: Callable[[str], str]) -> Hints:
    """What is said of files whose nearest root is this one, by their paths from there."""

    def paths(given: Sequence[str]) -> tuple[str, ...]:
        return tuple(path.removeprefix(root) for path in given if nearest(path) == root)

    def lines(given: Sequence[FileLines]) -> tuple[FileLines, ...]:
        return tuple(replace(file, path=file.path.removeprefix(root)) for file in given if nearest(file.path) == root)

    commits = (BranchCommit(commit.message, paths(commit.paths)) for commit in sent.branch_commits)
    return Hints(
        changed=paths(sent.changed),
        open=paths(sent.open),
        read=paths(sent.read),
        diff_lines=lines(sent.diff_lines),
        branch_commits=tuple(commit for commit in commits if commit.paths),
        branch_lines=lines(sent.branch_lines),
    )
