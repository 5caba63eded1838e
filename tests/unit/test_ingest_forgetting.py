"""A tree that is taken out leaves nothing of its past behind, and its neighbours are not read again for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hotsetd.corpus import RemoveCall
from hotsetd.ingesting import Header
from retrieval.history.kept import kept_trees
from retrieval.ingest.file_stamps import read_stamps
from retrieval.ingest.forgetting import forget_tree
from retrieval.ingest.git_log import GitLog, LoggedCommit
from retrieval.ingest.history_heads import seen_generation
from retrieval.store.interface import Store, WriteTransaction
from tests.daemon_room import NAMESPACE, opened
from tests.git_room import Repository
from tests.ingest_room import CODE, TENANT, contents, take
from tests.model.memory_store import MemoryDisk, MemoryStore
from workingset.vocabulary import Ref

_COMMITS = 3


@pytest.fixture
def store() -> Store:
    return MemoryStore(MemoryDisk())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many commits each reading of a log was for."""
    counts: list[int] = []
    read = GitLog.commits

    def counted(self: GitLog, hashes: Sequence[str], edge: frozenset[str]) -> Iterator[LoggedCommit]:
        counts.append(len(hashes))
        return read(self, hashes, edge)

    monkeypatch.setattr(GitLog, "commits", counted)
    return counts


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Repository, Repository]:
    """Two repositories of three commits."""
    made = Repository.begin(tmp_path / "a"), Repository.begin(tmp_path / "b")
    for repository in made:
        name = repository.root.name
        for number in range(_COMMITS):
            repository.commit(f"{name} {number}", {f"{name}/m{number}.py": f"def f{number}():\n    return 1\n"})
    return made


def _records(store: Store, source: str, kind: str = "") -> list[Ref]:
    with store.snapshot(TENANT) as txn:
        return [record.ref for record in txn.list_records(CODE, 0, 1_000, source=source, kind=kind).records]


def test_nothing_is_kept_of_a_tree_that_is_forgotten(
    store: Store, trees: tuple[Repository, Repository], asked: list[int]
) -> None:
    for repository in trees:
        take(store, repository.root, source=repository.root.name)

    def out(txn: WriteTransaction) -> None:
        for ref in _records(store, "b"):
            txn.remove_record(ref)
        forget_tree(txn, CODE, "b")

    store.write(TENANT, out)
    with store.snapshot(TENANT) as txn:
        assert [tree.source for tree in kept_trees(txn, CODE)] == ["a"]
        assert seen_generation(txn, CODE, "b") == 0
        assert seen_generation(txn, CODE, "a") > 0
        assert read_stamps(txn, CODE, "b") == {}
    asked.clear()
    trees[0].write({"a/m0.py": "def f0():\n    return 2\n"})
    take(store, trees[0].root, source="a")
    assert sum(asked) == 0, "what is known of the other tree is not read again"

    take(store, trees[1].root, source="b")
    fresh = MemoryStore(MemoryDisk())
    for repository in trees:
        take(fresh, repository.root, source=repository.root.name)
    assert contents(store) == contents(fresh)


def test_commits_that_one_tree_lacks_are_not_looked_for_in_another(
    store: Store, trees: tuple[Repository, Repository], asked: list[int]
) -> None:
    for repository in trees:
        take(store, repository.root, source=repository.root.name)
    lost = _records(store, "b", "commit")[0]
    store.write(TENANT, lambda txn: txn.remove_record(lost))
    asked.clear()

    trees[0].write({"a/m0.py": "def f0():\n    return 2\n"})
    take(store, trees[0].root, source="a")
    assert sum(asked) == 0
    take(store, trees[1].root, source="b")
    assert asked == [_COMMITS]
    assert lost in _records(store, "b", "commit")


def test_a_source_whose_records_are_removed_is_looked_at_no_longer(
    tmp_path: Path, trees: tuple[Repository, Repository]
) -> None:
    with opened(tmp_path / "home") as room:
        parts = room.parts
        for repository in trees:
            sending = parts.ingesting.begin(parts.caller, Header(NAMESPACE, "", ""))
            parts.ingesting.tree(sending, str(repository.root), False, lambda _: None, room.deadline)
        parts.corpus.remove(parts.caller, RemoveCall(namespace=NAMESPACE, source=f"tree:{trees[1].root}"))

        asked = parts.host_hints.begin(parts.caller.tenant, ())
        assert [root for _, root in asked.roots] == [str(trees[0].root)]
