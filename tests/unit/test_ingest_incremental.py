"""After edits a store holds what a rebuild gives; running again writes nothing; a killed run is made up for."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from retrieval.errors import BadField, StorageFull
from retrieval.ingest import IngestCancelled, IngestSettings, ingest_tree
from retrieval.ingest.progress import Progress
from retrieval.ingest.settings import BatchSettings, LinkSettings
from retrieval.store.interface import Store, WriteTransaction
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.ingest_room import CODE, SETTINGS, TENANT, contents, live_records, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore
from workingset.vocabulary import TenantId

T = TypeVar("T")

TREE: dict[str, str | bytes | None] = {
    "pkg/__init__.py": "from .a import alpha\n",
    "pkg/a.py": (
        "import os\nfrom pkg import b\n\n\ndef alpha():\n    return beta() + gamma()\n\n\nclass A:\n"
        "    def m(self):\n        return self.n()\n\n    def n(self):\n        return alpha()\n"
    ),
    "pkg/b.py": "from .a import A\n\nLIMIT = 3\n\n\ndef beta():\n    return A().m()\n",
    "web/app.ts": "import { go } from './go';\n\nexport function main() { go(); help(); }\n",
    "web/go.ts": "export const one = 1;\n\nexport function go() { return 1; }\n",
    "go.mod": "module ex.org/m\n",
    "x/x.go": 'package x\n\nimport "ex.org/m/y"\n\nfunc X() { y.Y(); z() }\n',
    "x/z.go": "package x\n\nfunc z() {}\n",
    "y/y.go": "package y\n\nfunc Y() {}\n",
    "README.md": "# Read\n\nintro\n\n## More\n\ntext\n",
    "notes.txt": "one\n\ntwo\n",
}
EDITS: list[dict[str, str | bytes | None]] = [
    {"pkg/b.py": "from .a import A\n\n\ndef beta():\n    return 1\n\n\ndef gamma():\n    return 2\n"},
    {"pkg/c.py": "import os\n\n\ndef gamma():\n    return help()\n"},
    {"pkg/a.py": None, "pkg/moved.py": TREE["pkg/a.py"]},
    {"pkg/a.py": TREE["pkg/a.py"], "pkg/moved.py": None},
    {
        "web/go.ts": None,
        "web/go/index.ts": "const k = 1;\n\nexport function go() { return help(); }\nexport function help() {}\n",
    },
    {"go.mod": "module ex.org/other\n"},
    {
        "go.mod": "module ex.org/m\n",
        "y/y.go": "package y\n\nfunc Other() {}\n",
        "y/more.go": "package y\n\nfunc Y() {}\n",
    },
    {"README.md": "# Read\n\n## More\n\n### Deep\n\ntext\n\n# Second\n"},
    {"pkg/__init__.py": ""},
    {"pkg/b.py": "def beta(:\n    broken (\n"},
    {"notes.txt": None, "x/z.go": None},
    {"src/pkg/b.py": "import os\n\n\ndef beta():\n    return 5\n", "pkg/b.py": None},
    {"pkg/b.py": "from .a import A\r\n\r\n\r\ndef beta():\r\n    return '日本 🎉'"},
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store", LmdbSettings(map_bytes=2**25))
    yield opened
    opened.close()


def rebuilt(root: Path, settings: IngestSettings = SETTINGS) -> tuple[list[object], list[object]]:
    """What the tree gives from nothing."""
    fresh = MemoryStore(MemoryDisk())
    take(fresh, root, settings=settings)
    return contents(fresh)


def test_each_edit_gives_what_a_rebuild_gives(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TREE)
    take(store, root)
    assert contents(store) == rebuilt(root)
    for edit in EDITS:
        write_tree(root, edit)
        take(store, root)
        assert contents(store) == rebuilt(root), edit


@pytest.mark.parametrize("seed", range(4))
def test_edits_in_any_order_give_what_a_rebuild_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    versions: dict[str, list[str | bytes | None]] = {path: [text, None] for path, text in TREE.items()}
    for edit in EDITS:
        for path, text in edit.items():
            versions.setdefault(path, [None]).append(text)
    root = write_tree(tmp_path / "tree", TREE)
    store = MemoryStore(MemoryDisk())
    few = IngestSettings(batches=BatchSettings(files=2), links=LinkSettings(definers=1, batch_files=2, batch_edges=3))
    for _ in range(12):
        for path in chance.sample(sorted(versions), chance.randint(1, 5)):
            text = chance.choice(versions[path])
            if text is not None or (root / path).exists():
                write_tree(root, {path: text})
        take(store, root, settings=few)
        assert contents(store) == rebuilt(root, few)


def test_running_again_writes_nothing(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TREE)
    first = take(store, root)
    again = take(store, root)
    assert first.files_taken == len(TREE)
    assert (again.files_taken, again.files_unchanged) == (0, len(TREE))
    assert (again.records_written, again.records_removed, again.edges_written, again.edges_removed) == (0, 0, 0, 0)
    assert again.generation == first.generation
    forced = ingest_tree(store, TENANT, CODE, root, source="tree", force=True)
    assert (forced.files_taken, forced.records_written, forced.edges_written) == (len(TREE), 0, 0)
    assert forced.generation == first.generation


def test_the_summary_adds_up(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", TREE)
    seen: list[Progress] = []
    summary = ingest_tree(store, TENANT, CODE, root, source="tree", progress=seen.append)
    with store.snapshot(TENANT) as snapshot:
        counts = snapshot.counts(CODE)
    assert (summary.records_written, summary.edges_written) == (counts.records, counts.edges)
    assert summary.generation == counts.generation
    assert summary.bytes == sum(len(str(text).encode()) for text in TREE.values())
    assert {stage for stage, _ in summary.stages} >= {"walk", "read", "parse", "write", "link"}
    assert seen[-1].files_done == seen[-1].files_total == len(TREE)
    assert [progress.files_done for progress in seen] == sorted(progress.files_done for progress in seen)


def test_two_sources_of_a_namespace_do_not_touch_each_other(store: Store, tmp_path: Path) -> None:
    one = write_tree(tmp_path / "one", {"a.py": "def f(): pass\n", "b.py": "def g(): pass\n"})
    two = write_tree(tmp_path / "two", {"a.py": "def f(): pass\n"})
    take(store, one, source="one")
    take(store, two, source="two")
    assert [(record.source, record.path) for record in live_records(store)] in (
        [("one", "a.py"), ("two", "a.py"), ("one", "b.py")],
        [("two", "a.py"), ("one", "a.py"), ("one", "b.py")],
    )
    take(store, write_tree(one, {"a.py": None}), source="one")
    assert [(record.source, record.path) for record in live_records(store)] == [("two", "a.py"), ("one", "b.py")]


class DyingStore:
    """A store whose writes fail after so many, as by a full disk."""

    def __init__(self, store: Store, writes: int) -> None:
        self._store = store
        self._left = writes

    def write(self, tenant: TenantId, job: Callable[[WriteTransaction], T]) -> T:
        if self._left == 0:
            raise StorageFull("no space left")
        self._left -= 1
        return self._store.write(tenant, job)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


@pytest.mark.parametrize("writes", range(0, 12, 2))
def test_a_run_that_died_anywhere_is_made_up_for(tmp_path: Path, writes: int) -> None:
    few = IngestSettings(batches=BatchSettings(files=2), links=LinkSettings(batch_files=3, batch_edges=4))
    root = write_tree(tmp_path / "tree", TREE)
    store = MemoryStore(MemoryDisk())
    with pytest.raises(StorageFull):
        take(DyingStore(store, writes), root, settings=few)  # type: ignore[arg-type]
    write_tree(root, EDITS[0])
    summary = take(store, root, settings=few)
    assert summary.files_unchanged <= 2 * writes
    assert contents(store) == rebuilt(root, few)


def test_a_cancelled_run_says_what_it_did_and_goes_on_later(store: Store, tmp_path: Path) -> None:
    few = IngestSettings(batches=BatchSettings(files=2))
    root = write_tree(tmp_path / "tree", TREE)
    asked = iter([False] * (len(TREE) + 5))
    with pytest.raises(IngestCancelled) as raised:
        ingest_tree(store, TENANT, CODE, root, source="tree", settings=few, cancelled=lambda: next(asked, True))
    assert raised.value.summary.files_taken == 5
    assert take(store, root, settings=few).files_unchanged == 4
    assert contents(store) == rebuilt(root)


def test_a_root_that_is_no_folder_is_named(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for root in (tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(BadField, match=r"tree\.root"):
            take(store, root)
