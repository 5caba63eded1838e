"""Hints of one Focus: what the host sent, and what the daemon finds in the work trees of the scope by itself.

A work tree is looked at in a thread of its own, and a Focus waits for it for a moment only. Where it takes longer, the
last look counts, and the host lane's note says so; the look goes on and serves the next Focus.
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

from hotsetd import limits
from hotsetd.calls import HintsCall
from hotsetd.clock import Clock
from hotsetd.config import LimitSettings, RepositorySettings
from hotsetd.repository_state import Marks, RepositoryReader, moved_marks
from retrieval.hints import Hints
from retrieval.history.reading import Histories
from retrieval.store.interface import Store
from workingset.vocabulary import Namespace, TenantId

_ROOTS_REMEMBERED = 256
"""Guess: work trees whose last look is kept, some 20 kB each."""
_THREADS = 2
"""Guess: as many as there are cores; git itself runs beside."""


class Reader(Protocol):
    """Looks at one work tree, one look at a time."""

    def read(self) -> Hints: ...


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at one work tree, what it would show to have moved, and when it was begun."""

    marks: Marks
    begun: float
    hints: Future[Hints]


@dataclass(frozen=True, slots=True)
class Asked:
    """Work trees being looked at for one Focus, by namespace and root; `left` counts those that are not."""

    looks: tuple[tuple[Namespace, str, _Look], ...] = ()
    left: int = 0


class HostHints:
    """Gathers hints. Safe from any thread; `close` waits for looks under way."""

    def __init__(
        self,
        store: Store,
        histories: Histories,
        clock: Clock,
        settings: RepositorySettings,
        bounds: LimitSettings,
        reader: Callable[[Path, RepositorySettings], Reader] = RepositoryReader,
    ) -> None:
        self._store = store
        self.histories = histories
        self._clock = clock
        self._settings = settings
        self._bounds = bounds
        self._reader = reader
        self._readers: dict[str, Reader] = {}
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="work-tree")
        self._looks: dict[str, _Look] = {}
        self._last: dict[str, tuple[float, Hints]] = {}
        self._guard = threading.Lock()

    def begin(self, tenant: TenantId, namespaces: Sequence[Namespace]) -> Asked:
        """Begin to look at the work trees of the namespaces, all of the tenant's where none are named."""
        if not self._settings.enabled:
            return Asked()
        with self._store.snapshot(tenant) as txn:
            within = namespaces or [name for name in txn.namespaces() if not name.startswith(limits.AGENT_PREFIX)]
            places = [(name, root) for name in within for root in self.histories.of(txn, name).roots]
        taken = places[: self._settings.trees]
        return Asked(tuple((name, root, self._begun(root)) for name, root in taken), len(places) - len(taken))

    def hints(self, asked: Asked, given: HintsCall) -> tuple[Hints, ...]:
        """What the host sent, checked, and what the looks saw. Raises BadField naming a field of `given`."""
        sent = limits.hints(given, self._bounds, self._settings)
        wait_for([look.hints for _, _, look in asked.looks], self._settings.wait_seconds)
        found = [self._seen(name, root, look) for name, root, look in asked.looks]
        left = [Hints(note=f"{asked.left} more work trees not looked at")] if asked.left else []
        parted = _parted(sent, [(name, root) for name, root, _ in asked.looks])
        return tuple(hints for hints in (*parted, *found, *left) if not hints.empty or hints.note)

    def close(self) -> None:
        """Stop looking."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _begun(self, root: str) -> _Look:
        """The look under way or young enough, else a new one."""
        marks, now = moved_marks(Path(root)), self._clock.monotonic()
        with self._guard:
            look = self._looks.get(root)
            if look is not None and (not look.hints.done() or self._is_young(look, marks, now)):
                return look
            if len(self._looks) >= _ROOTS_REMEMBERED:
                self._looks.clear()
                self._last.clear()
                self._readers.clear()
            if root not in self._readers:
                self._readers[root] = self._reader(Path(root), self._settings)
            look = _Look(marks, now, self._threads.submit(self._readers[root].read))
            self._looks[root] = look
        return look

    def _is_young(self, look: _Look, marks: Marks, now: float) -> bool:
        return look.marks == marks and now - look.begun < self._settings.remembered_seconds

    def _seen(self, namespace: Namespace, root: str, look: _Look) -> Hints:
        if look.hints.done():
            hints = look.hints.result()
            with self._guard:
                self._last[root] = (look.begun, hints)
            return replace(hints, namespace=namespace)
        with self._guard:
            begun, last = self._last.get(root, (0.0, Hints()))
        milliseconds = round(self._settings.wait_seconds * 1000)
        age = f"; what is known is {self._clock.monotonic() - begun:.0f} s old" if begun else ""
        note = f"the work tree of {namespace} was not read within {milliseconds} ms{age}"
        return replace(last, namespace=namespace, note="; ".join(part for part in (last.note, note) if part))


def _parted(sent: Hints, places: Sequence[tuple[Namespace, str]]) -> list[Hints]:
    """The host's hints, absolute paths below a known root taken out into hints of that tree's namespace."""
    parts: list[Hints] = []
    for namespace, root in places:
        inside = posixpath.normpath(root) + "/"

        def below(paths: tuple[str, ...], inside: str = inside) -> tuple[str, ...]:
            return tuple(path.removeprefix(inside) for path in paths if path.startswith(inside))

        def beyond(paths: tuple[str, ...], inside: str = inside) -> tuple[str, ...]:
            return tuple(path for path in paths if not path.startswith(inside))

        parts.append(Hints(namespace, below(sent.changed), below(sent.open), below(sent.read)))
        sent = replace(sent, changed=beyond(sent.changed), open=beyond(sent.open), read=beyond(sent.read))
    return [sent, *parts]
