"""A tree's past: the ancestors of HEAD and no others, without people, the same however they came in."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.history.history import RECENT_HALF_LIFE_COMMITS, History
from retrieval.history.kept import KeptTree, kept_trees
from retrieval.history.reading import Histories
from retrieval.history.settings import HistorySettings
from retrieval.ingest import IngestSettings, Summary, ingest_tree
from retrieval.ingest.git_command import Git, GitUnavailable
from retrieval.ingest.git_history import HISTORY_UNAVAILABLE, RENAMES_UNTOLD
from retrieval.ingest.git_log import plain_message
from retrieval.ingest.settings import GitHistorySettings
from retrieval.record import NameKind, Record
from retrieval.store.interface import Store
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.git_room import Repository
from tests.ingest_room import CODE, TENANT, contents, live_edges, live_records, reasons, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

_TREE: dict[str, str | bytes | None] = {
    "pkg/a.py": "def a():\n    return 1\n",
    "pkg/b.py": "def b():\n    return 2\n",
    "README.md": "# Read\n\nWords.\n",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store", LmdbSettings(map_bytes=2**25))
    yield opened
    opened.close()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.begin(tmp_path / "tree", _TREE)


def _take(store: Store, root: Path, settings: IngestSettings | None = None) -> Summary:
    return ingest_tree(store, TENANT, CODE, root, source="tree:here", settings=settings)


def _history(store: Store) -> History:
    with store.snapshot(TENANT) as txn:
        return Histories().of(txn, CODE)


def _tree(store: Store) -> KeptTree:
    with store.snapshot(TENANT) as txn:
        (tree,) = kept_trees(txn, CODE)
    return tree


def _commits(store: Store) -> dict[str, Record]:
    return {record.title: record for record in live_records(store) if record.kind == "commit"}


def _named_edges(store: Store) -> set[tuple[str, str, str]]:
    names = {r.ref: r.title if r.kind == "commit" else r.path for r in live_records(store)}
    kept = [edge for edge in live_edges(store) if edge.relation in {"changed", "co_changed"}]
    return {(names[edge.source], edge.relation, names[edge.target]) for edge in kept}


def _all(store: Store) -> object:
    history = _history(store)
    return contents(store), history.commits, dict(history.ages), history.unavailable


def _rebuilt(root: Path, settings: IngestSettings | None = None) -> object:
    fresh = MemoryStore(MemoryDisk())
    _take(fresh, root, settings)
    return _all(fresh)


def test_commits_become_records_without_people(store: Store, repository: Repository) -> None:
    name = repository.commit(
        "Mend a\n\nIt was 1. Ask ada@example.org.\n\n"
        "Co-authored-by: Bob <bob@example.org>\nSigned-off-by: Eve <e@x.io>\n",
        {"pkg/a.py": "def a():\n    return 2\n"},
    )
    _take(store, repository.root)

    record = _commits(store)["Mend a"]
    assert record.text == "Mend a\n\nIt was 1. Ask .\n\nChanged:\n- pkg/a.py\n"
    assert [(n.kind, n.text) for n in record.names] == [(NameKind.SYMBOL, name), (NameKind.SYMBOL, name[:12])]
    assert dict(record.attributes) == {"commit": name, "committed_seconds": "1700000120"}
    everything = repr([record for record in live_records(store) if record.kind == "commit"])
    assert not any(person in everything for person in ("Ada", "Lovelace", "Bob", "bob@", "Eve", "@example.org"))


def test_a_message_is_cleaned_in_time_that_grows_with_its_length() -> None:
    settings = GitHistorySettings()
    assert plain_message(b"<a@b.io>+c@d.io a@b@c.io x@y <z> a.b-c", settings) == "a@ x@y <z> a.b-c"
    before = time.thread_time()
    for unit in (b"a", b"a-", b"by-", b"a.b@"):
        assert plain_message(unit * 200_000, settings)
    assert time.thread_time() - before < 4.0  # 0.2 s; from each of its characters anew, minutes


def test_only_ancestors_of_head_are_read(store: Store, repository: Repository) -> None:
    repository.git("switch", "-q", "-c", "side")
    repository.commit("On the side", {"pkg/side.py": "SIDE = 1\n"})
    repository.git("tag", "kept")
    repository.git("switch", "-q", "main")
    repository.commit("On main", {"pkg/b.py": "def b():\n    return 3\n"})

    _take(store, repository.root)

    assert set(_commits(store)) == {"begin", "On main"}
    assert _history(store).ages.get("pkg/side.py", ()) == ()


def test_ages_recency_and_frequency(store: Store, repository: Repository) -> None:
    for n in range(3):
        repository.commit(f"a {n}", {"pkg/a.py": f"def a():\n    return {10 + n}\n"})
    repository.commit("b", {"pkg/b.py": "def b():\n    return 9\n"})
    _take(store, repository.root)
    history = _history(store)

    assert history.available
    assert history.ages.get("pkg/a.py", ()) == (1, 2, 3, 4)
    assert history.ages.get("pkg/b.py", ()) == (0, 4)
    assert history.recency("pkg/a.py", 1e12) == pytest.approx(1.6094379)
    assert history.recency("pkg/b.py", 1.0) == pytest.approx(0.7241, abs=1e-3)
    assert history.recency("pkg/a.py") == history.recency("pkg/a.py", RECENT_HALF_LIFE_COMMITS)
    assert history.frequency("pkg/a.py") > history.frequency("pkg/b.py")
    assert (history.recency("no.py"), history.frequency("no.py"), history.co_changed("no.py")) == (0.0, 0.0, ())


def test_files_that_change_together_are_tied(store: Store, repository: Repository) -> None:
    for n in range(4):
        repository.commit(f"both {n}", {"pkg/a.py": f"A = {n}\n", "pkg/b.py": f"B = {n}\n"})
    _take(store, repository.root)
    history = _history(store)

    assert [other for other, _ in history.co_changed("pkg/a.py")] == ["pkg/b.py", "README.md"]
    assert history.times_together("pkg/a.py", "pkg/b.py") == 5
    edges = _named_edges(store)
    assert ("pkg/a.py", "co_changed", "pkg/b.py") in edges
    assert not any(relation == "co_changed" and "README.md" in pair for _, relation, pair in edges)
    assert ("both 3", "changed", "pkg/a.py") in edges


def test_a_large_commit_does_not_count(store: Store, repository: Repository) -> None:
    repository.commit("Reformat", {f"pkg/m{n:02}.py": f"M = {n}\n" for n in range(31)})
    _take(store, repository.root)
    history = _history(store)

    assert history.ages.get("pkg/m00.py", ()) == ()
    assert history.co_changed("pkg/m00.py") == ()
    assert history.recency("pkg/m00.py") == 0.0
    assert _commits(store)["Reformat"].text.endswith("- pkg/m29.py\n… 1 more\n")


def test_history_follows_renames(store: Store, repository: Repository) -> None:
    repository.commit("a again", {"pkg/a.py": "def a():\n    return 11\n"})
    repository.git("mv", "pkg/a.py", "pkg/z.py")
    repository.commit("Rename", {})
    repository.commit("A new a", {"pkg/a.py": "NEW = True\n"})
    _take(store, repository.root)
    history = _history(store)

    assert history.ages.get("pkg/z.py", ()) == (1, 2, 3)
    assert history.ages.get("pkg/a.py", ()) == (0,)


def test_only_new_commits_are_read(store: Store, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    _take(store, repository.root)
    again = _take(store, repository.root)
    assert (again.records_written, again.edges_written, again.edges_removed) == (0, 0, 0)

    repository.commit("More", {"pkg/b.py": "def b():\n    return 4\n"})
    more = _take(store, repository.root)

    assert more.records_written == 1 + 1
    assert _all(store) == _rebuilt(repository.root)


def test_a_reset_takes_commits_out_again(store: Store, repository: Repository) -> None:
    _take(store, repository.root)
    repository.commit("Gone soon", {"pkg/b.py": "def b():\n    return 4\n"})
    _take(store, repository.root)
    assert "Gone soon" in _commits(store)
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.commit("Instead", {"pkg/c.py": "C = 1\n"})

    _take(store, repository.root)

    assert set(_commits(store)) == {"begin", "Instead"}
    assert _all(store) == _rebuilt(repository.root)


@pytest.mark.parametrize("seed", range(3))
def test_any_sequence_gives_what_reading_it_all_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    repository = Repository.begin(tmp_path / "tree", _TREE)
    few = IngestSettings(git_history=GitHistorySettings(commits=6, batch_commits=2, batch_edges=3, co_changed_times=2))
    store = MemoryStore(MemoryDisk())
    paths = ["pkg/a.py", "pkg/b.py", "pkg/c.py", "lib/d.py"]
    for step in range(14):
        chosen = chance.sample(paths, chance.randint(1, 3))
        files: dict[str, str | bytes | None] = {}
        for path in chosen:
            there = (repository.root / path).exists()
            files[path] = None if there and chance.random() < 0.2 else f"X = {step}\n\n\ndef f{step}():\n    pass\n"
        what = chance.random()
        if what < 0.6:
            repository.commit(f"step {step}", files)
        elif what < 0.75:
            repository.write(files)
        elif what < 0.9 and repository.commits > 3:
            repository.git("reset", "-q", "--hard", "HEAD~1")
        else:
            repository.git("switch", "-q", "-C", f"side{step}")
        _take(store, repository.root, few)
        assert _all(store) == _rebuilt(repository.root, few), step


def test_older_commits_are_left_out_and_it_says_so(store: Store, repository: Repository) -> None:
    for n in range(5):
        repository.commit(f"c{n}", {"pkg/a.py": f"A = {n}\n"})
    _take(store, repository.root, IngestSettings(git_history=GitHistorySettings(commits=2)))

    assert set(_commits(store)) == {"c4", "c3"}
    assert _tree(store).bounded


def test_removed_commit_records_come_back(store: Store, repository: Repository) -> None:
    repository.commit("Mend", {"pkg/a.py": "A = 1\n"})
    _take(store, repository.root)
    before = _all(store)
    ref = _commits(store)["Mend"].ref
    store.write(TENANT, lambda txn: txn.remove_record(ref))

    _take(store, repository.root)

    assert _all(store) == before


def test_a_file_that_comes_back_has_its_edges(store: Store, repository: Repository) -> None:
    repository.commit("Mend", {"pkg/a.py": "A = 1\n"})
    _take(store, repository.root)
    before = _named_edges(store)
    repository.write({"pkg/a.py": None})
    _take(store, repository.root)
    assert ("Mend", "changed", "pkg/a.py") not in _named_edges(store)

    repository.write({"pkg/a.py": "A = 1\n"})
    _take(store, repository.root)

    assert _named_edges(store) == before


def test_a_folder_of_a_repository_has_its_own_past(store: Store, repository: Repository) -> None:
    repository.commit("Elsewhere", {"README.md": "# Other\n"})
    repository.commit("Inside", {"pkg/a.py": "A = 1\n", "README.md": "# Both\n"})

    _take(store, repository.root / "pkg")

    assert set(_commits(store)) == {"begin", "Inside"}
    assert _history(store).ages.get("a.py", ()) == (0, 1)
    assert _history(store).ages.get("README.md", ()) == ()


def test_a_linked_work_tree_and_a_submodule(tmp_path: Path, repository: Repository) -> None:
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", "-b", "side", str(linked))
    other = Repository.begin(tmp_path / "outer", {"top.py": "TOP = 1\n"})
    other.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository.root), "inner")
    other.commit("With inner", {})

    for root, titles in ((linked, {"begin"}), (other.root / "inner", {"begin"}), (other.root, {"begin", "With inner"})):
        store = MemoryStore(MemoryDisk())
        _take(store, root)
        assert set(_commits(store)) == titles
        assert _history(store).available


def test_a_shallow_clone_knows_where_its_past_ends(tmp_path: Path, store: Store, repository: Repository) -> None:
    repository.commit("Second", {"pkg/b.py": "B = 1\n"})
    repository.commit("Third", {"pkg/b.py": "B = 2\n"})
    repository.git("clone", "-q", "--depth", "2", f"file://{repository.root}", str(tmp_path / "shallow"))

    _take(store, tmp_path / "shallow")
    history = _history(store)

    assert set(_commits(store)) == {"Second", "Third"}
    assert len(_tree(store).edge) == 1
    assert history.ages.get("pkg/b.py", ()) == (0,)
    assert "pkg/a.py" not in history.ages


def test_where_there_is_no_past_it_says_so(tmp_path: Path, store: Store) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("A = 1\n")
    summary = _take(store, plain)
    history = _history(store)

    assert not history.available
    assert "not a git repository" in history.unavailable
    assert HISTORY_UNAVAILABLE not in reasons(summary)
    subprocess.run(["git", "init", "-q", str(plain)], check=True)
    _take(store, plain)
    assert _history(store).unavailable == "there is no commit yet"


def test_a_bare_repository_is_no_work_tree(tmp_path: Path, store: Store, repository: Repository) -> None:
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", str(repository.root), str(bare))
    (bare / "a.py").write_text("A = 1\n")

    _take(store, bare)

    assert not _history(store).available
    assert _commits(store) == {}


def test_without_git_the_rest_is_taken(store: Store, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    summary = _take(store, repository.root)

    assert summary.files_taken == 3
    assert reasons(summary)[HISTORY_UNAVAILABLE] == 1
    assert _history(store).unavailable == "there is no git program on this machine"


def _failing(git: Git, *words: str, seconds: float) -> str:
    raise GitUnavailable(f"git took more than {seconds:g} s")


def test_where_git_fails_once_what_is_known_stays(
    store: Store, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(3):
        repository.commit(f"c{n}", {"pkg/a.py": f"A = {n}\n", "pkg/b.py": f"B = {n}\n"})
    _take(store, repository.root)
    before = _all(store)
    with monkeypatch.context() as patched:
        patched.setattr(Git, "text", _failing)
        failed = _take(store, repository.root)
    assert reasons(failed)[HISTORY_UNAVAILABLE] == 1
    assert (failed.records_removed, failed.edges_removed) == (0, 0)
    assert _all(store) == before

    repository.commit("Next", {"pkg/a.py": "A = 9\n"})
    after = _take(store, repository.root)
    assert (after.records_removed, HISTORY_UNAVAILABLE in reasons(after)) == (0, False)
    assert _all(store) == _rebuilt(repository.root)


def test_a_question_without_an_answer_is_not_an_answer(
    store: Store, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _take(store, repository.root)
    before = _all(store)
    asked = Git.text

    def failing(git: Git, *words: str, seconds: float) -> str:
        return _failing(git, *words, seconds=seconds) if "--verify" in words else asked(git, *words, seconds=seconds)

    monkeypatch.setattr(Git, "text", failing)

    assert reasons(_take(store, repository.root))[HISTORY_UNAVAILABLE] == 1
    assert _all(store) == before


def test_a_repository_that_is_gone_takes_its_past_with_it(store: Store, repository: Repository) -> None:
    _take(store, repository.root)
    (repository.root / ".git").rename(repository.root.parent / "elsewhere")

    _take(store, repository.root)

    assert _commits(store) == {}
    assert "not a git repository" in _history(store).unavailable


def test_a_deepened_clone_is_as_one_read_anew(tmp_path: Path, repository: Repository) -> None:
    for n in range(4):
        repository.commit(f"c{n}", {"pkg/a.py": f"A = {n}\n", "pkg/b.py": f"B = {n}\n"})
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "2", f"file://{repository.root}", str(clone))
    store = MemoryStore(MemoryDisk())
    _take(store, clone)
    for words in (("--depth", "3"), ("--unshallow",), ("--depth", "1")):
        repository.git("fetch", "-q", *words, cwd=clone)
        _take(store, clone)
        assert _all(store) == _rebuilt(clone), words
    assert set(_commits(store)) == {"c3"}


def _partial(repository: Repository, to: Path) -> Path:
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repository.root}", str(to))
    return write_tree(to, _TREE)


def test_where_texts_are_missing_renames_are_not_told_and_counted(
    tmp_path: Path, store: Store, repository: Repository
) -> None:
    repository.commit("Long", {"pkg/long.py": "".join(f"L{n} = {n}\n" for n in range(50))})
    repository.git("mv", "pkg/long.py", "pkg/longer.py")
    repository.commit("Rename", {"pkg/longer.py": "".join(f"L{n} = {n}\n" for n in range(51))})

    summary = _take(store, _partial(repository, tmp_path / "partial"))

    assert {"Long", "Rename"} < set(_commits(store))
    assert reasons(summary)[RENAMES_UNTOLD] > 0
    assert HISTORY_UNAVAILABLE not in reasons(summary)
    assert "pkg/longer.py" in _tree(store).paths


def test_a_log_that_takes_too_long_is_not_read_again_without_renames(
    store: Store, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Sequence[str]] = []
    streamed = Git.stream

    def slow(git: Git, words: Sequence[str], *, seconds: float, given: bytes = b"") -> Iterator[bytes]:
        if words[0] == "log":
            ran.append(words)
            raise GitUnavailable(f"git took more than {seconds:g} s")
        return streamed(git, words, seconds=seconds, given=given)

    monkeypatch.setattr(Git, "stream", slow)

    assert reasons(_take(store, repository.root))[HISTORY_UNAVAILABLE] == 1
    assert len(ran) == 1


def test_off_means_off(store: Store, repository: Repository) -> None:
    _take(store, repository.root, IngestSettings(git_history=GitHistorySettings(enabled=False)))

    assert _commits(store) == {}
    assert not _history(store).available


def test_nothing_that_a_repository_names_is_run(tmp_path: Path, store: Store, repository: Repository) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "filter.x.clean",
        "filter.x.process",
        "diff.x.textconv",
    ):
        repository.git("config", key, str(script))
    repository.git("config", "core.hooksPath", str(tmp_path))
    (tmp_path / "post-index-change").symlink_to(script)
    (repository.root / ".gitattributes").write_text("*.py filter=x diff=x\n")
    before = sorted(os.listdir(repository.root / ".git"))

    _take(store, repository.root)

    assert not ran.exists()
    assert sorted(os.listdir(repository.root / ".git")) == before
    assert set(_commits(store)) == {"begin"}


def test_a_history_is_worked_out_once(store: Store, repository: Repository) -> None:
    _take(store, repository.root)
    histories = Histories(replace(HistorySettings(), remembered=1))
    with store.snapshot(TENANT) as txn:
        first = histories.of(txn, CODE)
        assert histories.of(txn, CODE) is first
    repository.commit("More", {"pkg/a.py": "A = 1\n"})
    _take(store, repository.root)
    with store.snapshot(TENANT) as txn:
        assert histories.of(txn, CODE) is not first


def test_a_secret_in_a_message_is_taken_out_and_counted(store: Store, repository: Repository) -> None:
    token = "ghp_" + "b7Xq2Lw9Zt4Kc8Vn1Rm6Yd3Ps5Hj0Fg2Ta9z"
    repository.commit(f"rotate the token\n\nthe old one was {token}\n", {"pkg/a.py": "def a():\n    return 3\n"})

    summary = _take(store, repository.root)

    assert token not in _commits(store)["rotate the token"].text
    assert any(reason.startswith("redacted_") for reason in reasons(summary))
