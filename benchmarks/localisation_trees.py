"""One work tree of one repository, moved from commit to commit: it knows each commit's ancestors and nothing later."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from benchmarks.trees import TreeMissing, git_dir_of

_PLAIN = ("-c", "core.autocrlf=false", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.required=false")


class MovingTree:
    """A work tree that borrows the objects of a bare clone. Its only ref is `main`."""

    def __init__(self, git_dirs: Path, repo: str, folder: Path) -> None:
        """Make the tree in an empty folder; raises TreeMissing."""
        self._bare = git_dir_of(git_dirs, repo)
        self.folder = folder
        if not self._bare.is_dir():
            raise TreeMissing(f"no repository {self._bare}")
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            self._git("init", "--quiet", "--initial-branch=main")
            objects = self._bare.resolve() / "objects"
            (folder / ".git/objects/info/alternates").write_text(f"{objects}{os.linesep}", encoding="utf-8")

    def move_to(self, commit: str) -> None:
        """Make the tree that of the commit; raises TreeMissing."""
        if self._run("cat-file", "-e", f"{commit}^{{commit}}").returncode:
            raise TreeMissing(f"{self._bare} has no commit {commit or '(none is named)'}")
        self._git("update-ref", "refs/heads/main", commit)
        self._git("read-tree", "--reset", commit)
        # A clone may lack its largest files: the others are written, and what is missing is no candidate.
        self._run(*_PLAIN, "checkout-index", "--all", "--force", "--quiet")
        self._git("clean", "--quiet", "-ffdx")

    def date_of(self, commit: str) -> str:
        """When the commit was made, for ordering; empty where it is not there."""
        return self._run("show", "--no-patch", "--format=%cI", commit).stdout.decode().strip()

    def _git(self, *words: str) -> None:
        done = self._run(*_PLAIN, *words)
        if done.returncode:
            raise TreeMissing(f"git {' '.join(words)} in {self.folder}: {done.stderr.decode(errors='replace').strip()}")

    def _run(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["git", "-C", str(self.folder), *words], capture_output=True, check=False)
