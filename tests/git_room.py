"""A git repository for tests: made by git itself, with dates and people that a test chooses."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.ingest_room import write_tree

_STARTED = 1_700_000_000


@dataclass
class Repository:
    """A work tree at `root` whose commits are a minute apart."""

    root: Path
    commits: int = field(default=0)

    @classmethod
    def begin(cls, root: Path, files: Mapping[str, str | bytes | None] | None = None) -> Repository:
        """A repository whose first commit has the files."""
        root.mkdir(parents=True, exist_ok=True)
        made = cls(root)
        made.git("init", "-q", "-b", "main", ".")
        if files is not None:
            made.commit("begin", files)
        return made

    def git(self, *words: str, cwd: Path | None = None) -> str:
        """Run git as a person with a name and an address."""
        done = subprocess.run(
            ["git", *words], cwd=cwd or self.root, env=self._environment(), capture_output=True, text=True, check=True
        )
        return done.stdout.rstrip("\n")

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Change the work tree; None deletes a file."""
        write_tree(self.root, files)

    def commit(self, message: str, files: Mapping[str, str | bytes | None]) -> str:
        """Change the files, commit all there is, and return the commit's hash."""
        self.write(files)
        self.commits += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message)
        return self.git("rev-parse", "HEAD")

    def _environment(self) -> dict[str, str]:
        date = f"{_STARTED + 60 * self.commits} +0000"
        people = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        machine = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return {**machine, **people, **dates}


_PERSON = {"NAME": "Ada Lovelace", "EMAIL": "ada@example.org"}
