"""Files of a public repository as they stood at one commit, read from a bare clone without a checkout."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

_REGULAR = ("100644", "100755")


class TreeMissing(Exception):
    """The repository, or the commit in it, is not there."""


def git_dir_of(git_dirs: Path, repo: str) -> Path:
    """Where the bare clone of `owner/name` is looked for: `owner+name/repo`."""
    return git_dirs / repo.replace("/", "+") / "repo"


def read_files(git_dirs: Path, repo: str, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the content of those paths that are regular files at the commit; raises TreeMissing."""
    git_dir = git_dir_of(git_dirs, repo)
    if not git_dir.is_dir():
        raise TreeMissing(f"no repository {git_dir}")
    if not commit or _git(git_dir, "cat-file", "-e", f"{commit}^{{commit}}").returncode:
        raise TreeMissing(f"{git_dir} has no commit {commit or '(none is named)'}")
    blobs = _blobs(git_dir, commit, paths)
    batch = _git(git_dir, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs.values()).encode())
    if batch.returncode:
        raise TreeMissing(f"git cat-file in {git_dir}: {batch.stderr.decode(errors='replace').strip()}")
    return dict(zip(blobs, _contents(batch.stdout), strict=True))


def _blobs(git_dir: Path, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The blob of each path that is a regular file, by path; folders, links and what is not there are left out."""
    wanted = frozenset(paths)
    listed = _git(git_dir, "ls-tree", "-r", "-z", "--full-tree", commit)
    if listed.returncode:
        raise TreeMissing(f"git ls-tree in {git_dir}: {listed.stderr.decode(errors='replace').strip()}")
    found: dict[str, str] = {}
    for line in listed.stdout.decode("utf-8", "surrogateescape").split("\0"):
        head, _, path = line.partition("\t")
        if path in wanted and head.split(" ")[0] in _REGULAR:
            found[path] = head.split(" ")[2]
    return found


def _contents(stream: bytes) -> list[bytes]:
    """The objects that `git cat-file --batch` printed, in order."""
    contents: list[bytes] = []
    at = 0
    while at < len(stream):
        end = stream.index(b"\n", at)
        size = int(stream[at:end].split(b" ")[2])
        contents.append(stream[end + 1 : end + 1 + size])
        at = end + size + 2
    return contents


def _git(git_dir: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", f"--git-dir={git_dir}", *words], input=given, capture_output=True, check=False)
