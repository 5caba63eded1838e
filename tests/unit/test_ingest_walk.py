"""The walk finds what git would: compared with git itself, over written cases and over generated ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.ingest.guards import Reason
from retrieval.ingest.settings import GuardSettings
from retrieval.ingest.walk import FoundFile, PassedOver, walk
from tests.ingest_room import write_tree

PLAIN = GuardSettings(excluded_directories=frozenset())
GIT_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "XDG_CONFIG_HOME": os.devnull,
}


def git(root: Path, *arguments: str) -> str:
    """Run git in the tree, away from any user's configuration."""
    done = subprocess.run(["git", *arguments], cwd=root, env=GIT_ENVIRONMENT, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def by_git(root: Path) -> list[str]:
    """Tracked files that exist and others that no rule ignores, as git lists them."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", ".").split("\0")
    return sorted({path for path in listed if path and (root / path).is_file() and not (root / path).is_symlink()})


def by_walk(root: Path, chosen: GuardSettings = PLAIN) -> list[str]:
    return [found.path for found in walk(root, chosen) if isinstance(found, FoundFile)]


RULES = {
    ".gitignore": (
        "*.log\n!keep.log\nbuild/\n/rooted\n# comment\n\\#literal\n\\!bang\ntrailing  \nspace\\ \n"
        "doc/**/*.tmp\na/**/z\n**/deep\n[ab]?.x\nfoo/*\n!foo/bar\n*.cr\r\n"
    ),
    ".git/info/exclude": "excluded.txt\n!x.log\n",
    "sub/.gitignore": "!x.log\nlocal.txt\n/only-here\n*\n!*.py\n!.gitignore\n!inner/\n",
    "build/.gitignore": "!taken-back.txt\n",
}
LISTED = """
    x.log keep.log build/a.txt build/taken-back.txt rooted sub2/rooted #literal !bang trailing space doc/a.tmp
    doc/b/c.tmp a/z a/b/z a/b/c/z deep q/deep q/deep2 a1.x c1.x foo/one foo/bar/two foo/bar/x.log excluded.txt
    f.cr sub/x.log sub/local.txt sub/only-here sub/m.py sub/inner/n.py sub/inner/only-here sub/inner/t.txt z.txt
    é/日本.py
"""
NAMES = LISTED.split()


def test_rules_hold_as_in_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write_tree(tmp_path, dict.fromkeys(NAMES, "x\n") | RULES)
    (tmp_path / "space ").write_text("x\n")
    assert by_walk(tmp_path) == by_git(tmp_path)


def test_a_folder_inside_a_repository_keeps_the_rules_above_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write_tree(tmp_path, dict.fromkeys(NAMES, "x\n") | RULES)
    for folder in ("sub", "sub/inner", "doc", "q", "foo/bar"):
        root = tmp_path / folder
        assert by_walk(root) == by_git(root), folder


def test_a_root_that_is_ignored_itself_was_asked_for(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write_tree(tmp_path, {".gitignore": "/versions\n*.txt\n", "versions/3/a.py": "x\n", "versions/3/b.txt": "x\n"})
    assert by_walk(tmp_path / "versions" / "3") == ["a.py", "b.txt"]


def test_tracked_files_are_taken_though_ignored(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write_tree(tmp_path, {"vendor/a.py": "x\n", "vendor/deep/b.py": "x\n", "c.log": "x\n", "d.py": "x\n"})
    git(tmp_path, "add", "vendor/a.py", "vendor/deep/b.py", "c.log")
    write_tree(tmp_path, {".gitignore": "vendor/\n*.log\n", "vendor/new.py": "x\n", "e.log": "x\n"})
    assert by_walk(tmp_path) == by_git(tmp_path)
    assert "vendor/deep/b.py" in by_walk(tmp_path)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_read(tmp_path: Path, version: str) -> None:
    git(tmp_path, "init", "-q")
    names = [f"d{n}/file{n:03}.log" for n in range(40)] + ["d1/x" + "y" * 200 + ".log"]
    write_tree(tmp_path, dict.fromkeys(names, "x\n"))
    git(tmp_path, "add", ".")
    if version == "3":
        git(tmp_path, "update-index", "--skip-worktree", names[0])
    git(tmp_path, "update-index", "--index-version", "4" if version == "4" else "2")
    write_tree(tmp_path, {".gitignore": "*.log\n"})
    assert by_walk(tmp_path) == by_git(tmp_path)
    assert len(by_walk(tmp_path)) == len(names) + 1


def test_a_worktree_reads_its_repository(tmp_path: Path) -> None:
    main = write_tree(tmp_path / "main", {"a.py": "x\n", "kept.log": "x\n"})
    git(main, "init", "-q")
    git(main, "add", ".")
    git(main, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "one")
    (main / ".git" / "info" / "exclude").write_text("*.log\n")
    git(main, "worktree", "add", "-q", str(tmp_path / "other"))
    other = write_tree(tmp_path / "other", {"b.log": "x\n", "b.py": "x\n"})
    assert by_walk(other) == ["a.py", "b.py", "kept.log"] == by_git(other)


def test_what_cannot_be_read_of_git_is_named_and_the_walk_goes_on(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write_tree(tmp_path, {"a.py": "x\n", ".git/index": b"DIRC\x00\x00\x00\x09rubbish"})
    found = list(walk(tmp_path, PLAIN))
    assert [f.path for f in found if isinstance(f, FoundFile)] == ["a.py"]
    assert (".git", Reason.UNREADABLE) in [(f.path, f.reason) for f in found if isinstance(f, PassedOver)]
    write_tree(tmp_path, {".git/index": b"DIRC\x00\x00\x00\x02\x00\x00\x00\x05short"})
    assert any(isinstance(f, PassedOver) and f.reason is Reason.UNREADABLE for f in walk(tmp_path, PLAIN))


def test_default_excludes_and_virtual_environments_are_counted(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "a.py": "x\n",
            "node_modules/m/a.js": "x\n",
            "pkg/__pycache__/a.pyc": "x\n",
            "env/pyvenv.cfg": "x\n",
            "env/lib/x.py": "x\n",
            ".git/config": "x\n",
        },
    )
    found = list(walk(tmp_path, GuardSettings()))
    assert [f.path for f in found if isinstance(f, FoundFile)] == ["a.py"]
    passed = {f.path: f.reason for f in found if isinstance(f, PassedOver)}
    assert passed == dict.fromkeys(["node_modules", "pkg/__pycache__", "env", ".git"], Reason.EXCLUDED_DIRECTORY)


def test_paths_come_in_order(tmp_path: Path) -> None:
    names = ["a/b.py", "a.py", "a-b.py", "a/a/c.py", "A.py", "a0.py", "b.py", "é.py"]
    write_tree(tmp_path, dict.fromkeys(names, "x\n"))
    assert by_walk(tmp_path) == sorted(names)


PATTERNS = st.lists(
    st.sampled_from(
        [
            *("a", "/a", "a/", "*/a", "**/a", "a/**", "a/*", "!a", "!a/", "!/a", "b", "!b", "*", "!*", "*.py", "!*.py"),
            *("a/b", "!a/b", "a/**/b", "?", "[ab]", "[!a]", "\\a", "a\\ ", "# a", "", "/", "**", "/**", "!/**", "a//b"),
            *(
                "[",
                "[]",
                "[!",
                "[]a]",
                "[b-a]",
                "[a-c]",
                "[[:alpha:]]",
                "[[:nope:]]",
                "[!/]",
                "a\\",
                "a**",
                "**b",
                "a***/b",
            ),
            *("c/**/a", "**/c/", "c/*/", "!c/", "*.d", "a ", "a\t", "!", "\\!a", "a/**/", "?.py", "[[:alpha:]"),
        ]
    ),
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(top=PATTERNS, inner=PATTERNS, exclude=PATTERNS)
def test_generated_rules_hold_as_in_git(
    tmp_path_factory: pytest.TempPathFactory, top: list[str], inner: list[str], exclude: list[str]
) -> None:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    names = ["a.py", "b", "c/a", "c/b/a.py", "a/b/a", "a/a/b.py", "a/c.py", "b.d/a", "c/c/c"]
    files: dict[str, str | bytes | None] = dict.fromkeys(names, "x\n")
    files |= {".gitignore": "\n".join(top), "a/.gitignore": "\n".join(inner), ".git/info/exclude": "\n".join(exclude)}
    write_tree(root, files)
    assert by_walk(root) == by_git(root)
