"""Refs stay with their records over edits and moves, and go with what is deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.ingest import digests, identity
from retrieval.store.interface import Store
from tests.ingest_room import CODE, TENANT, live_records, refs_by_title, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

FILE = "import os\n\n\ndef one():\n    return 1\n\n\nclass Box:\n    def put(self):\n        return one()\n"


@pytest.fixture
def store() -> Iterator[Store]:
    opened = MemoryStore(MemoryDisk())
    yield opened
    opened.close()


def body(name: str, lines: int = 6) -> str:
    return f"def {name}():\n" + "".join(f"    step_{n}({n})\n" for n in range(lines))


def test_refs_are_short_names_within_the_namespace(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {"a.py": FILE}))
    assert all(re.fullmatch(r"code:[a-z2-7]{12}", record.ref) for record in live_records(store))


def test_the_same_tree_gives_the_same_refs_everywhere(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path / "here", {"a.py": FILE}))
    other = MemoryStore(MemoryDisk())
    take(other, write_tree(tmp_path / "there", {"a.py": FILE}))
    assert refs_by_title(store, "a.py") == refs_by_title(other, "a.py")


def test_an_edited_record_keeps_its_ref_and_so_do_its_neighbours(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {"a.py": FILE}))
    before = refs_by_title(store, "a.py")
    take(store, write_tree(tmp_path, {"a.py": "# more\n" + FILE.replace("return 1", "return 1 + 2")}))
    assert refs_by_title(store, "a.py") == before


def test_a_renamed_function_keeps_its_ref_by_its_lines(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {"a.py": body("old") + body("other", 2)}))
    before = refs_by_title(store, "a.py")
    take(store, write_tree(tmp_path, {"a.py": body("new") + body("other", 2)}))
    assert refs_by_title(store, "a.py") == {"new": before["old"], "other": before["other"]}


def test_a_replaced_function_loses_its_ref(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {"a.py": body("old")}))
    before = refs_by_title(store, "a.py")
    take(store, write_tree(tmp_path, {"a.py": "def fresh():\n    return 'nothing like it'\n"}))
    assert refs_by_title(store, "a.py")["fresh"] != before["old"]
    with store.snapshot(TENANT) as snapshot:
        old = snapshot.record(next(r for r in [before["old"]]))  # type: ignore[arg-type]
    assert old is not None
    assert old.removed


def test_of_ten_equal_names_the_others_keep_theirs_when_one_goes(store: Store, tmp_path: Path) -> None:
    same = [f"def same():\n    return {n}\n\n\n" for n in range(10)]
    take(store, write_tree(tmp_path, {"a.py": "".join(same)}))
    before = {record.text.strip(): record.ref for record in live_records(store)}
    assert len(set(before.values())) == 10
    take(store, write_tree(tmp_path, {"a.py": "".join(same[:4] + same[5:])}))
    after = {record.text.strip(): record.ref for record in live_records(store)}
    assert after == {text: ref for text, ref in before.items() if "return 4" not in text}


def test_chunks_are_matched_by_content_then_by_order(store: Store, tmp_path: Path) -> None:
    paragraphs = ["\n".join(f"{word} {n}" for n in range(40)) + "\n\n" for word in ("red", "green", "blue")]
    take(store, write_tree(tmp_path, {"notes.txt": "".join(paragraphs)}))
    before = [record.ref for record in live_records(store)]
    take(store, write_tree(tmp_path, {"notes.txt": "".join([paragraphs[2], paragraphs[0], paragraphs[1]])}))
    assert [record.ref for record in live_records(store)] == [before[2], before[0], before[1]]
    changed = paragraphs[1].replace("green", "grey")
    take(store, write_tree(tmp_path, {"notes.txt": "".join([paragraphs[2], paragraphs[0], changed])}))
    assert [record.ref for record in live_records(store)] == [before[2], before[0], before[1]]


@pytest.mark.parametrize("edit", ["", "\n\ndef added():\n    pass\n"])
def test_a_moved_file_keeps_its_refs(store: Store, tmp_path: Path, edit: str) -> None:
    take(store, write_tree(tmp_path, {"pkg/a.py": FILE, "b.py": body("b")}))
    before = refs_by_title(store, "pkg/a.py")
    summary = take(store, write_tree(tmp_path, {"pkg/a.py": None, "lib/deep/renamed.py": FILE + edit}))
    after = refs_by_title(store, "lib/deep/renamed.py")
    assert after["one"] == before["one"]
    assert after["Box.put"] == before["Box.put"]
    assert after["renamed.py"] == before["a.py"]
    assert summary.files_removed == 0
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.path_records(CODE, "pkg/a.py") == []


def test_two_files_that_change_places_by_a_third_name_keep_theirs(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {"a.py": body("one"), "b.py": body("two", 9)}))
    one, two = refs_by_title(store, "a.py")["one"], refs_by_title(store, "b.py")["two"]
    take(store, write_tree(tmp_path, {"a.py": None, "b.py": None, "c.py": body("two", 9), "d.py": body("one")}))
    assert refs_by_title(store, "c.py") == {"two": two}
    assert refs_by_title(store, "d.py") == {"one": one}


def test_a_new_file_at_the_old_place_of_a_moved_one_gets_refs_of_its_own(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {"a.py": body("one")}))
    take(store, write_tree(tmp_path, {"a.py": None, "b.py": body("one")}))
    moved = refs_by_title(store, "b.py")["one"]
    take(store, write_tree(tmp_path, {"a.py": body("one", 3)}))
    assert refs_by_title(store, "b.py")["one"] == moved
    assert refs_by_title(store, "a.py")["one"] != moved


def test_a_deleted_file_that_comes_back_is_itself_again(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {"a.py": FILE, "b.py": body("b")}))
    before = refs_by_title(store, "a.py")
    summary = take(store, write_tree(tmp_path, {"a.py": None}))
    assert (summary.files_removed, summary.records_removed) == (1, len(before))
    take(store, write_tree(tmp_path, {"a.py": FILE}))
    assert refs_by_title(store, "a.py") == before


def test_colliding_hashes_are_told_apart(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = digests.local_name
    monkeypatch.setattr(identity, "local_name", lambda *parts: good(*parts)[:1])
    take(store, write_tree(tmp_path, {"a.py": "".join(body(f"f{n}", 2) for n in range(25))}))
    assert len({record.ref for record in live_records(store)}) == 25
