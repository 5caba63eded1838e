"""The link pass does as little as an edit asks for, and no less."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.ingest import ingest_tree, tree
from retrieval.ingest.changes import Linked
from retrieval.ingest.collecting import RARELY, rare_collections
from retrieval.ingest.linking import link_namespace
from retrieval.store.collecting import collect
from retrieval.store.interface import Store
from tests.ingest_room import CODE, SETTINGS, TENANT, contents, live_records, take, titled_edges, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore
from workingset.vocabulary import Ref

FILES: dict[str, str | bytes | None] = {
    "shop.py": "from stock import reserve\n\n\ndef order():\n    return reserve()\n\n\ndef refund():\n    return 1\n",
    "stock.py": "def reserve():\n    return 1\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_order():\n    assert shop.order()\n",
    "tests/test_other.py": "import shop\n\n\ndef test_voucher():\n    assert shop\n",
}


@pytest.fixture
def linked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files each link pass of a run looked at."""
    counts: list[int] = []

    def counting(*given: object) -> Linked | None:
        done: Callable[..., Linked | None] = link_namespace
        found = done(*given)
        counts.append(-1 if found is None else found.files)
        return found

    monkeypatch.setattr(tree, "link_namespace", counting)
    return counts


def made(root: Path) -> Store:
    store = MemoryStore(MemoryDisk())
    take(store, write_tree(root, FILES))
    return store


def rebuilt(root: Path) -> tuple[list[object], list[object]]:
    fresh = MemoryStore(MemoryDisk())
    take(fresh, root)
    return contents(fresh)


def test_an_edit_that_changes_no_name_links_nothing(tmp_path: Path, linked: list[int]) -> None:
    store = made(tmp_path)
    write_tree(tmp_path, {"shop.py": str(FILES["shop.py"]).replace("return 1", "answer = 2\n    return answer")})
    take(store, tmp_path)
    assert linked == [4, 0]
    assert contents(store) == rebuilt(tmp_path)


def test_an_edit_of_what_a_function_calls_links_its_file(tmp_path: Path, linked: list[int]) -> None:
    store = made(tmp_path)
    write_tree(tmp_path, {"shop.py": str(FILES["shop.py"]).replace("return 1", "return reserve()")})
    take(store, tmp_path)
    assert linked == [4, 1]
    assert ("shop.py#refund", "stock.py#reserve") in titled_edges(store, "calls")


def test_a_new_function_links_only_the_tests_that_may_be_about_it(tmp_path: Path, linked: list[int]) -> None:
    store = made(tmp_path)
    write_tree(tmp_path, {"shop.py": f"{FILES['shop.py']}\n\ndef voucher():\n    return 3\n"})
    take(store, tmp_path)
    assert linked == [4, 2]
    assert ("tests/test_other.py#test_voucher", "shop.py#voucher") in titled_edges(store, "tests")
    assert contents(store) == rebuilt(tmp_path)


def test_records_that_change_places_are_linked_again(tmp_path: Path, linked: list[int]) -> None:
    sections: dict[str, str | bytes | None] = {"a.md": "# One\n\n## In\n\nx\n\n# Two\n\ny\n"}
    store = MemoryStore(MemoryDisk())
    take(store, write_tree(tmp_path, sections))
    write_tree(tmp_path, {"a.md": "# Two\n\ny\n\n# One\n\n## In\n\nx\n"})
    take(store, tmp_path)
    assert linked == [1, 1]
    assert contents(store) == rebuilt(tmp_path)


def test_a_file_that_was_gone_and_is_back_is_linked_again(tmp_path: Path, linked: list[int]) -> None:
    store = made(tmp_path)
    before = contents(store)
    write_tree(tmp_path, {"shop.py": None})
    never = SETTINGS
    with pytest.raises(RuntimeError):
        ingest_tree(store, TENANT, CODE, tmp_path, source="tree", settings=never, progress=_failing_at("link"))
    write_tree(tmp_path, {"shop.py": FILES["shop.py"]})
    take(store, tmp_path)
    assert contents(store) == before
    assert linked[-1] >= 1


def test_a_record_removed_and_written_again_at_once_is_marked_so(tmp_path: Path) -> None:
    store = made(tmp_path)
    record = next(record for record in live_records(store) if record.title == "reserve")
    with store.snapshot(TENANT) as snapshot:
        before = snapshot.generation(CODE)
    store.write(TENANT, lambda txn: (txn.remove_record(record.ref), txn.put_record(record)))
    with store.snapshot(TENANT) as snapshot:
        lines = snapshot.changes(CODE, before, 10)
    assert [(line.ref, line.removed, line.reborn) for line in lines] == [(record.ref, False, True)]
    take(store, tmp_path)
    assert contents(store) == rebuilt(tmp_path)


def test_collections_are_rare_while_any_run_is_under_way() -> None:
    usual = gc.get_threshold()
    with rare_collections():
        with rare_collections():
            assert gc.get_threshold() == RARELY
        assert gc.get_threshold() == RARELY
    assert gc.get_threshold() == usual


def _failing_at(stage: str) -> Callable[[object], None]:
    def fail(progress: object) -> None:
        if getattr(progress, "stage", "") == stage:
            raise RuntimeError("killed here")

    return fail


def test_where_history_was_collected_all_is_linked_again_and_nothing_is_missed(
    tmp_path: Path, linked: list[int]
) -> None:
    store = made(tmp_path)
    write_tree(tmp_path, {"shop.py": f"{FILES['shop.py']}\n\ndef voucher():\n    return 3\n"})
    take(store, tmp_path)
    write_tree(tmp_path, {"stock.py": "def reserve_all():\n    return 1\n"})
    extra = replace(next(iter(live_records(store))), ref=Ref("code:extra"), path="", source="host")
    store.write(TENANT, lambda txn: txn.put_record(extra))
    store.write(TENANT, lambda txn: txn.remove_record(extra.ref))
    with store.snapshot(TENANT) as snapshot:
        newest = snapshot.generation(CODE)
    collect(store, TENANT, CODE, newest)
    take(store, tmp_path)
    assert linked == [4, 2, 4]
    assert contents(store) == rebuilt(tmp_path)
