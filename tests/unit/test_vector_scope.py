"""The vectors of one namespace while they change: no search is kept waiting by a rebuild, and all is still found."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from retrieval.index.vector_scope import Floats, VectorScope, VectorSettings

DIMENSIONS = 16
SETTINGS = VectorSettings(exact_vectors=20, removed_share=0.1, scan_rows=8)


def unit_rows(count: int, seed: int) -> Floats:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def found(scope: VectorScope, row: Floats) -> set[int]:
    return {hit.record_id for hit in scope.search(row, 5, exact=False).hits}


def test_a_worn_graph_is_built_anew_while_searches_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    scope, rows = VectorScope(DIMENSIONS, SETTINGS), unit_rows(200, 1)
    scope.replace(list(enumerate(rows)))
    seen: list[set[int]] = []
    builds: list[int] = []
    empty = VectorScope._empty

    def watched(self: VectorScope) -> object:
        builds.append(1)
        searching = threading.Thread(target=lambda: seen.append(found(self, rows[150])))
        searching.start()
        searching.join(timeout=20)
        assert not searching.is_alive()
        return empty(self)

    monkeypatch.setattr(VectorScope, "_empty", watched)
    scope.remove(list(range(60)))

    assert builds == [1]
    assert all(150 in hits for hits in seen)
    assert len(scope) == 140
    for at in range(60, 200, 7):
        assert at in found(scope, rows[at])
        assert not found(scope, rows[at]) & set(range(60))


def test_few_removals_build_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    scope, rows = VectorScope(DIMENSIONS, SETTINGS), unit_rows(200, 2)
    scope.replace(list(enumerate(rows)))
    monkeypatch.setattr(VectorScope, "_empty", lambda self: pytest.fail("built anew"))

    scope.remove(list(range(20)))

    assert len(scope) == 180
    assert 100 in found(scope, rows[100])


def test_the_graph_finds_what_comparing_all_finds() -> None:
    scope, rows = VectorScope(DIMENSIONS, SETTINGS), unit_rows(3_000, 3)
    for start in range(0, 3_000, 250):
        scope.replace([(at, rows[at]) for at in range(start, start + 250)])
    hits = total = 0
    for row in unit_rows(40, 4):
        exact, graph = (scope.search(row, 32, exact=exact) for exact in (True, False))
        assert (exact.exhaustive, graph.exhaustive) == (True, False)
        hits += len({hit.record_id for hit in exact.hits} & {hit.record_id for hit in graph.hits})
        total += len(exact.hits)
    assert hits >= 0.97 * total
