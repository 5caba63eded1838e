"""What of a followed tree can matter agrees with what the walk takes, and git's own files cause no work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from retrieval.ingest.settings import GuardSettings
from retrieval.ingest.walk import FoundFile, walk
from retrieval.ingest.watched_paths import WatchedPaths
from retrieval.ingest.work_tree import GitStamp, git_stamp

FILES = {
    "a.py": "x",
    "src/b.py": "x",
    "src/gen/c.py": "x",
    "src/gen/kept.py": "x",
    "src/keep/d.log": "x",
    "build/e.py": "x",
    "build/tracked.py": "x",
    "node_modules/f.js": "x",
    "own/pyvenv.cfg": "home = /usr",
    "own/lib/g.py": "x",
    "logs/h.log": "x",
    ".gitignore": "build/\n*.log\n",
    "src/.gitignore": "gen/*\n!gen/kept.py\n!keep/*.log\n",
}


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, "init", "--quiet")
    git(root, "add", "--force", "build/tracked.py")
    return root


def test_what_matters_is_what_the_walk_takes(root: Path) -> None:
    watched = WatchedPaths(root, GuardSettings())
    taken = {found.path for found in walk(root, GuardSettings()) if isinstance(found, FoundFile)}

    assert {"a.py", "src/b.py", "src/gen/kept.py", "src/keep/d.log", "build/tracked.py"} <= taken
    everything = [file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()]
    ruling = {"own/pyvenv.cfg"}  # it matters for what it decides
    assert {path for path in everything if watched.matters(path)} == taken | ruling


def test_a_root_inside_a_repository_obeys_rules_from_above(root: Path) -> None:
    watched = WatchedPaths(root / "src", GuardSettings())

    assert watched.matters("b.py")
    assert not watched.matters("gen/c.py")
    assert not watched.matters("other.log")


@pytest.mark.parametrize("path", [".git/index", ".git/refs/heads/main", ".git/objects/ab/cd", ".git"])
def test_what_git_writes_for_itself_does_not_matter(root: Path, path: str) -> None:
    assert not WatchedPaths(root, GuardSettings()).matters(path)


def test_a_rule_file_matters_with_its_folder_whatever_is_said_of_itself(root: Path) -> None:
    (root / "src" / ".gitignore").write_text(".*\n")
    watched = WatchedPaths(root, GuardSettings())

    assert watched.matters("src/.gitignore")
    assert not watched.matters("build/.gitignore")
    assert watched.matters("own/pyvenv.cfg"), "a folder that becomes an environment goes out"


def test_new_rules_hold_once_the_old_ones_are_forgotten(root: Path) -> None:
    watched = WatchedPaths(root, GuardSettings())
    assert watched.matters("a.py")
    (root / ".gitignore").write_text("a.py\n")
    assert watched.forget() == frozenset()

    assert not watched.matters("a.py")
    assert watched.matters("logs/h.log")


def test_what_git_begins_to_track_is_named(root: Path) -> None:
    watched = WatchedPaths(root, GuardSettings())
    assert not watched.matters("logs/h.log")
    git(root, "add", "--force", "logs/h.log")

    assert watched.forget() == {"logs/h.log"}
    assert watched.matters("logs/h.log")


def test_nothing_below_a_symbolic_link_matters(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "link").symlink_to(tmp_path / "elsewhere")

    assert not WatchedPaths(root, GuardSettings()).matters("link/x.py")


def test_a_stamp_tells_commits_and_staging_from_nothing_done(root: Path) -> None:
    before = git_stamp(root / "src")
    assert git_stamp(root / "src") == before
    git(root, "add", "a.py")
    staged = git_stamp(root / "src")
    assert (staged.head, staged.index != before.index) == (before.head, True)
    git(root, "commit", "--quiet", "--message", "one")
    assert git_stamp(root / "src").head != before.head
    (root / ".git" / "index.lock").touch()
    assert git_stamp(root / "src").busy


def test_a_stamp_tells_rules_around_the_root_from_those_in_it(root: Path, tmp_path: Path) -> None:
    git(root, "commit", "--quiet", "--message", "one")
    git(root, "worktree", "add", "--quiet", str(tmp_path / "other"))
    (tmp_path / "link").symlink_to(root / "src")
    for place in (root, root / "src", tmp_path / "link", tmp_path / "other"):
        before = git_stamp(place)
        (place / ".gitignore").write_text("x.py\n")
        assert git_stamp(place).rules == before.rules
        (root / ".git" / "info" / "exclude").write_text(f"# {place.name}\ny.py\n")
        assert git_stamp(place).rules != before.rules
    before = git_stamp(tmp_path / "link")
    (root / ".gitignore").unlink()
    assert git_stamp(tmp_path / "link").rules != before.rules


def test_a_second_work_tree_has_a_head_and_an_index_of_its_own(root: Path, tmp_path: Path) -> None:
    git(root, "commit", "--quiet", "--message", "one")
    git(root, "worktree", "add", "--quiet", str(tmp_path / "other"))
    first, other = git_stamp(root), git_stamp(tmp_path / "other")

    (tmp_path / "other" / "new.py").touch()
    git(tmp_path / "other", "add", "new.py")
    git(tmp_path / "other", "commit", "--quiet", "--message", "two")

    assert git_stamp(root) == first
    assert git_stamp(tmp_path / "other").head != other.head
    assert git_stamp(tmp_path / "other").index != other.index
    assert git_stamp(Path("/")) == GitStamp()
