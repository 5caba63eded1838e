"""What one git work tree says of the work in it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from hotsetd.config import RepositorySettings
from hotsetd.repository_state import RepositoryReader
from hotsetd.repository_state import repository_state as state_of
from retrieval.hints import Hints
from retrieval.ingest.settings import GitHistorySettings
from tests.git_room import Repository
from tests.hinted_shop import TREE, shop_at


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return shop_at(tmp_path / "shop")


def repository_state(root: Path) -> Hints:
    return state_of(root, RepositorySettings(), GitHistorySettings())


def test_nothing_that_a_repository_names_is_run(tmp_path: Path, repository: Repository) -> None:
    ran, script = tmp_path / "ran", tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    keys = ("core.fsmonitor", "core.pager", "diff.external", "filter.x.clean", "filter.x.process", "diff.x.textconv")
    (repository.root / ".git" / "info" / "attributes").write_text("*.py filter=x diff=x\n")
    for key in keys:
        repository.git("config", key, str(script))
    repository.git("config", "filter.x.required", "true")

    state = repository_state(repository.root)

    assert not ran.exists()
    assert state.note == ""
    assert {file.path for file in state.diff_lines} == {"shop/price.py", "shop/basket.py", "shop/gift.py"}
    assert [commit.message for commit in state.branch_commits] == ["Round what is due"]
    assert "shop/tax.py" in {file.path for file in state.branch_lines}


def test_the_default_branch_of_the_remote_is_the_base(tmp_path: Path, repository: Repository) -> None:
    repository.git("stash", "-q")
    repository.git("switch", "-q", "main")
    clone = Repository(tmp_path / "clone", commits=9)
    repository.git("clone", "-q", str(repository.root), str(clone.root))
    assert repository_state(clone.root) == Hints()

    clone.commit("Not pushed", {"shop/ship.py": "SHIP = 1\n"})
    state = repository_state(clone.root)

    assert [commit.paths for commit in state.branch_commits] == [("shop/ship.py",)]


def test_of_a_part_of_a_tree_only_the_part_is_told(repository: Repository) -> None:
    repository.write({"other/new.py": "NEW = 1\n"})

    state = repository_state(repository.root / "shop")

    assert {file.path for file in state.diff_lines} == {"price.py", "basket.py", "gift.py"}
    assert [commit.paths for commit in state.branch_commits] == [("tax.py",)]


def test_too_many_new_files_are_no_work(repository: Repository) -> None:
    repository.write({f"out/{n}.py": "X = 1\n" for n in range(70)})

    state = repository_state(repository.root)

    assert state.note == "71 untracked files, none followed"


def test_a_process_with_many_open_files_still_asks_git(repository: Repository) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2_048, before[1]), before[1]))
    opened_files: list[int] = []
    try:
        while not opened_files or opened_files[-1] < 1_024:  # the most that select() takes
            opened_files.append(os.open(os.devnull, os.O_RDONLY))
        assert repository_state(repository.root).note == ""
    finally:
        for number in opened_files:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_second_look_sees_what_the_first_would(repository: Repository) -> None:
    reader = RepositoryReader(repository.root, RepositorySettings(), GitHistorySettings())
    steps = [
        lambda: repository.write({"shop/ship.py": "SHIP = 1\n"}),
        lambda: repository.commit("All of it", {}),
        lambda: repository.git("branch", "-f", "main", "HEAD~1"),
        lambda: repository.write({"shop/tax.py": "\n\n" + str(TREE["shop/tax.py"])}),
        lambda: repository.git("switch", "-q", "-C", "other", "--discard-changes", "main"),
    ]
    assert reader.read() == repository_state(repository.root)
    for step in steps:
        step()
        assert reader.read() == repository_state(repository.root)


def test_before_the_first_commit_all_files_are_work(tmp_path: Path) -> None:
    made = Repository(tmp_path / "new", commits=0)
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    made.write({"staged.py": "A = 1\n", "new.py": "B = 1\n"})
    made.git("add", "staged.py")
    reader = RepositoryReader(made.root, RepositorySettings(), GitHistorySettings())

    before = reader.read()
    made.commit("First", {})
    after = reader.read()

    assert before.note == ""
    assert {file.path for file in before.diff_lines} == {"staged.py", "new.py"}
    assert after == repository_state(made.root)
    assert after.note == ""
