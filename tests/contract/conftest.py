"""The engines of the store that the contract tests run on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.store.interface import Store
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.contract.store_invariants import check_invariants
from tests.contract.store_room import Open
from tests.model.memory_store import MemoryDisk, MemoryStore


@pytest.fixture(params=["lmdb", "memory"])
def open_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """One engine after the other."""
    if request.param == "memory":
        disk = MemoryDisk()
        return lambda read_only: MemoryStore(disk, read_only=read_only)
    settings = LmdbSettings(map_bytes=2**24)
    return lambda read_only: open_store(tmp_path / "store", settings, read_only=read_only)


@pytest.fixture
def store(open_engine: Open) -> Iterator[Store]:
    """The engine, open for writing and empty; what holds in every store is checked at the end."""
    opened = open_engine(False)
    yield opened
    check_invariants(opened)
    opened.close()
