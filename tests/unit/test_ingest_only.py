"""A partial scan looks at what it is told to and nothing else, and then the store holds what a rebuild gives."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.errors import BadField
from retrieval.ingest import Summary, ingest_tree
from retrieval.ingest.chosen import Chosen
from retrieval.store.interface import Store
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.ingest_room import CODE, TENANT, contents, live_records, refs_by_title, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

BODY = "\n".join(f"    x{row} = {row}" for row in range(6)) + "\n"
FILES: dict[str, str | bytes | None] = {
    "a.py": "from b import beta\n\n\ndef alpha():\n    return beta()\n",
    "b.py": "def beta():\n    return gamma()\n",
    "c/d.py": "def gamma():\n    return 1\n",
    "c/e.md": "# Title\n\nwords\n",
    "c2/f.py": f"def far():\n{BODY}",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store", LmdbSettings(map_bytes=2**25))
    yield opened
    opened.close()


def look(store: Store, root: Path, *only: str) -> Summary:
    return ingest_tree(store, TENANT, CODE, root, source="tree", only=only)


def rebuilt(root: Path) -> tuple[list[object], list[object]]:
    fresh = MemoryStore(MemoryDisk())
    take(fresh, root)
    return contents(fresh)


def test_only_what_is_named_is_looked_at(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    take(store, root)
    write_tree(root, {"a.py": "A = 1\n", "b.py": "B = 1\n", "c/d.py": None, "new.py": "N = 1\n"})
    summary = look(store, root, "a.py")
    assert (summary.files_taken, summary.files_unchanged, summary.files_removed) == (1, 0, 0)
    assert {record.path for record in live_records(store)} == {"a.py", "b.py", "c/d.py", "c/e.md", "c2/f.py"}
    look(store, root, "b.py", "c/d.py", "new.py")
    assert contents(store) == rebuilt(root)


def test_a_folder_stands_for_what_it_holds_and_held(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    take(store, root)
    write_tree(root, {"c/d.py": None, "c/e.md": None, "c/g/h.py": "H = 1\n", "c2/f.py": None})
    (root / "c2").rmdir()
    assert look(store, root, "c/").files_removed == 2
    assert "c2/f.py" in {record.path for record in live_records(store)}
    look(store, root, "c2")
    assert contents(store) == rebuilt(root)


def test_a_folder_that_became_a_file_and_a_file_that_became_a_folder(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    take(store, root)
    write_tree(root, {"c2/f.py": None, "b.py": None})
    (root / "c2").rmdir()
    write_tree(root, {"c2": "plain words\n", "b.py/x.py": "X = 1\n"})
    look(store, root, "c2", "b.py")
    assert contents(store) == rebuilt(root)


def test_a_rename_within_the_set_keeps_its_refs(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    take(store, root)
    before = refs_by_title(store, "c2/f.py")
    write_tree(root, {"c2/f.py": None, "moved/g.py": FILES["c2/f.py"]})
    look(store, root, "c2/f.py", "moved/g.py")
    assert refs_by_title(store, "moved/g.py")["far"] == before["far"]
    assert contents(store) == rebuilt(root)


def test_new_rules_hold_for_their_folder(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {**FILES, ".git/HEAD": "ref: refs/heads/main\n"})
    take(store, root)
    write_tree(root, {"c/.gitignore": "*.md\n"})
    look(store, root, "c/.gitignore")
    assert contents(store) == rebuilt(root)
    assert "c/e.md" not in {record.path for record in live_records(store)}


def test_what_rules_exclude_is_excluded_though_named(store: Store, tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree", {**FILES, ".git/HEAD": "", ".gitignore": "c/\n", "node_modules/m.js": "go()\n"}
    )
    summary = look(store, root, "c/d.py", "node_modules/m.js", ".git/HEAD", "b.py")
    assert summary.files_taken == 1
    assert {record.path for record in live_records(store)} == {"b.py"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../out.py", "c/../../out.py"])
def test_a_path_that_leaves_the_root_is_refused(store: Store, tmp_path: Path, path: str) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    with pytest.raises(BadField, match="below the tree's root"):
        look(store, root, path)


@pytest.mark.parametrize("everything", ["", ".", "./", ".gitignore"])
def test_the_root_itself_means_all_of_it(store: Store, tmp_path: Path, everything: str) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    look(store, root, everything, "a.py")
    assert contents(store) == rebuilt(root)


def test_no_path_at_all_changes_nothing(store: Store, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    take(store, root)
    before = contents(store)
    write_tree(root, {"a.py": None})
    assert look(store, root).generation > 0
    assert contents(store) == before


def test_paths_inside_named_folders_are_not_listed_twice() -> None:
    chosen = Chosen(["c/d/e.py", "c", "a//b.py", "./a/b.py"])
    assert chosen.roots == ("a/b.py", "c")
    assert [chosen.leads_to(path) for path in ("a", "a/b.py", "a/b", "c/x/y", "cc", "")] == [
        *(True, True, False, True, False, True),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_following_edits_path_by_path_gives_what_a_rebuild_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    followed = MemoryStore(MemoryDisk())
    root = write_tree(tmp_path / "tree", FILES)
    take(followed, root)
    places = [*FILES, "n.py", "c/n.py", "z/y/x.py"]
    for _ in range(12):
        touched: set[str] = set()
        for path in chance.sample(places, chance.randint(1, 3)):
            name = chance.choice(("alpha", "beta", "gamma", "far"))
            if (root / path).exists() and chance.random() < 0.4:
                write_tree(root, {path: None})
            else:
                write_tree(root, {path: f"import b\n\n\ndef {name}():\n    return {chance.choice(places)[0]}eta()\n"})
            touched.add(path)
        look(followed, root, *touched)
        assert contents(followed) == rebuilt(root)
