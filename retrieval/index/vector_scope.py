"""The vectors of one namespace under one model: a USearch graph, and exact scans where they are cheap or asked for.

Malkov and Yashunin, HNSW (TPAMI 2020), as USearch builds it, in f16. Always one thread: USearch's own multi-threaded
adding leaves vectors that no search reaches (its issue 735), and all cores is its default. Removed slots are not
compacted, which costs recall; when they are many the graph is built anew from the vectors it holds.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexUnavailable
from retrieval.index.native import native_calls
from retrieval.index.sensor import Hit, VectorAnswer
from retrieval.index.usearch_library import Index

Floats = npt.NDArray[np.float32]

MAX_RECORD_ID: Final = 2**63 - 1
"""USearch accepts the key 2**64 - 1 and never finds it again; the store's ids have 63 bits."""

_COSINE_DIGITS: Final = 5
"""Cosines are rounded so that equal vectors tie, whichever way they were found; f16 holds no more."""


@dataclass(frozen=True, slots=True)
class VectorSettings:
    """How the vectors of a namespace are searched."""

    exact_vectors: int = 2_000
    """Up to so many, all are scanned: 0.6 ms measured, and the answer may claim to be exhaustive."""

    connectivity: int = 16
    """Neighbours in the graph. USearch's default; recall 1.0 measured at 100,000."""

    search_expansion: int = 128
    """Candidates kept during a search; twice USearch's default of 64, for 0.2 ms."""

    extra_hits: int = 32
    """Hits asked for beyond the limit, to order ties by record id and to survive removals. A guess."""

    removed_share: float = 0.3
    """Removals since the graph was built, as a share of what it holds, from which it is built anew. A guess."""

    scan_rows: int = 8_192
    """Vectors decoded at once in an exact scan of a large namespace: 12 MB. A guess."""


class VectorScope:
    """The vectors of one namespace. Writers take turns; every call holds the graph's lock, each for a short time."""

    def __init__(self, dimensions: int, settings: VectorSettings) -> None:
        self._dimensions: Final = dimensions
        self._settings: Final = settings
        self._writing: Final = threading.Lock()
        self._lock: Final = threading.Lock()
        self._graph: Any = self._empty()
        self._removed = 0
        self._rows: tuple[npt.NDArray[np.uint64], Floats] | None = None
        self.unsaved = False

    def __len__(self) -> int:
        with self._lock:
            return len(self._graph)

    def __contains__(self, record_id: int) -> bool:
        with self._lock:
            return bool(self._graph.contains(record_id))

    def replace(self, vectors: Sequence[tuple[int, Floats]]) -> None:
        """Put each record id's unit vector in place of the one it had; raises IndexUnavailable."""
        latest = dict(vectors)
        if not latest:
            return
        ids = np.fromiter(latest, dtype=np.uint64, count=len(latest))
        rows = np.stack(list(latest.values())).astype(np.float16)
        with self._writing, native_calls("adding to the vector index"):
            with self._lock:
                self._drop(list(latest))
                self._graph.add(ids, rows, threads=1)
                self._changed()
            self._rebuild_where_worn()

    def remove(self, record_ids: Sequence[int]) -> None:
        """Forget the vectors of the record ids; those it has none of do not matter. Raises IndexUnavailable."""
        with self._writing, native_calls("removing from the vector index"):
            with self._lock:
                if self._drop(record_ids):
                    self._changed()
            self._rebuild_where_worn()

    def search(self, vector: Floats, limit: int, *, exact: bool) -> VectorAnswer:
        """The nearest; raises IndexUnavailable."""
        with self._lock, native_calls("searching the vector index"):
            held = len(self._graph)
            if limit < 1 or not held:
                return VectorAnswer((), True)
            if held <= self._settings.exact_vectors:
                if self._rows is None:
                    self._rows = self._decoded(np.sort(np.asarray(self._graph.keys, dtype=np.uint64)))
                return VectorAnswer(_nearest(self._rows[0], self._rows[1] @ vector, limit), True)
            if exact:
                return VectorAnswer(self._scan(vector, limit), True)
            asked = min(held, limit + self._settings.extra_hits)
            found = self._graph.search(vector.astype(np.float16), asked, threads=1)
            ids, rows = self._decoded(np.asarray(found.keys, dtype=np.uint64))
            return VectorAnswer(_nearest(ids, rows @ vector, limit), False)

    def encode(self) -> bytearray:
        """The graph as bytes, for `decode`; raises IndexUnavailable."""
        with self._lock, native_calls("saving the vector index"):
            self.unsaved = False
            encoded: bytearray = self._graph.save()
            return encoded

    def decode(self, encoded: bytes) -> None:
        """Take over bytes of `encode` whose digest has been checked; raises IndexUnavailable."""
        with self._writing, self._lock, native_calls("loading the vector index"):
            graph = self._empty()
            graph.load(encoded)
            if graph.ndim != self._dimensions:
                raise IndexUnavailable(f"the saved vectors have {graph.ndim} dimensions, not {self._dimensions}")
            self._graph, self._rows, self._removed, self.unsaved = graph, None, 0, False

    def _empty(self) -> Any:
        settings = self._settings
        return Index(
            ndim=self._dimensions,
            metric="ip",
            dtype="f16",
            connectivity=settings.connectivity,
            expansion_search=settings.search_expansion,
        )

    def _drop(self, record_ids: Sequence[int]) -> int:
        held = [record_id for record_id in record_ids if self._graph.contains(record_id)]
        for record_id in held:
            self._graph.remove(record_id, threads=1)
        self._removed += len(held)
        return len(held)

    def _changed(self) -> None:
        self._rows = None
        self.unsaved = True

    def _rebuild_where_worn(self) -> None:
        """Build the graph anew where much was removed. Searches go on meanwhile; only writers wait."""
        with self._lock:
            settings, held = self._settings, len(self._graph)
            if self._removed <= settings.exact_vectors or self._removed <= settings.removed_share * held:
                return
            ids = np.sort(np.asarray(self._graph.keys, dtype=np.uint64))
        graph = self._empty()
        for start in range(0, len(ids), settings.scan_rows):
            with self._lock:
                part, rows = self._decoded(ids[start : start + settings.scan_rows])
            graph.add(part, rows.astype(np.float16), threads=1)
        with self._lock:
            self._graph, self._removed = graph, 0

    def _scan(self, vector: Floats, limit: int) -> tuple[Hit, ...]:
        ids = np.sort(np.asarray(self._graph.keys, dtype=np.uint64))
        step = self._settings.scan_rows
        cosines = [self._decoded(ids[at : at + step])[1] @ vector for at in range(0, len(ids), step)]
        return _nearest(ids, np.concatenate(cosines), limit)

    def _decoded(self, ids: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Floats]:
        rows = np.concatenate(self._graph.get(ids)).reshape(len(ids), self._dimensions)
        return ids, rows.astype(np.float32)


def _nearest(ids: npt.NDArray[np.uint64], cosines: Floats, limit: int) -> tuple[Hit, ...]:
    rounded = np.round(cosines.astype(np.float64), _COSINE_DIGITS)
    order = np.lexsort((ids, -rounded))[:limit]
    return tuple(map(Hit, ids[order].tolist(), rounded[order].tolist()))
