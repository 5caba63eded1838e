"""What one git work tree says of the work in it: lines that are not committed, new files, and what the branch holds.

Read by git itself, which runs no program that the repository names (`retrieval.ingest.git_command`). The branch is what
HEAD has and the default branch has not: the remote's, else a local one of a usual name. Nothing here writes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hotsetd.config import RepositorySettings
from retrieval.diff_lines import FileLines, read_diff
from retrieval.hints import BranchCommit, Hints
from retrieval.ingest.git_command import PLAIN_DIFF, Git, GitSaysNo, GitUnavailable, NoRepository
from retrieval.ingest.git_log import LOG_FORMAT, log_tokens, parse_log
from retrieval.ingest.settings import GitHistorySettings
from retrieval.ingest.work_tree import GitStamp, git_stamp, top_of

_DEFAULTS = (
    *("refs/remotes/origin/HEAD", "refs/remotes/*/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"),
    *("refs/heads/main", "refs/heads/master", "refs/heads/trunk", "refs/heads/develop"),
)
_DIFF = ("diff", "-U0", "--inter-hunk-context=0", "-M", "--relative", "--src-prefix=a/", "--dst-prefix=b/", *PLAIN_DIFF)
_LOG = ("log", "--no-merges", "-z", "--name-status", "-M", "--relative", LOG_FORMAT, *PLAIN_DIFF)


def repository_state(root: Path, settings: RepositorySettings, history: GitHistorySettings) -> Hints:
    """Look at the work tree around the folder once."""
    return RepositoryReader(root, settings, history).read()


@dataclass(frozen=True, slots=True)
class _Branch:
    """What a branch holds, of which HEAD, base and uncommitted lines it was told, and what is missing of it."""

    told_of: tuple[str, str, tuple[FileLines, ...]]
    commits: tuple[BranchCommit, ...]
    lines: tuple[FileLines, ...]
    notes: tuple[str, ...]


class RepositoryReader:
    """Looks at one work tree again and again, and asks git only for what may have changed. One look at a time."""

    def __init__(self, root: Path, settings: RepositorySettings, history: GitHistorySettings) -> None:
        """`history` says how much is read of a commit."""
        self._root = root
        self._git = Git(root)
        self._settings = settings
        self._history = history
        self._notes: list[str] = []
        self._head: tuple[GitStamp, str] = (GitStamp(), "")
        self._base: tuple[tuple[str, str], str] = (("", ""), "")
        self._branch: _Branch | None = None

    def read(self) -> Hints:
        """Look; empty hints where there is no work tree. `note` says what could not be read."""
        self._notes = []
        if not os.path.isdir(self._root):
            return Hints(note=f"{self._root} is gone")
        try:
            if top_of(self._root) is None:
                return Hints()  # without git, which takes its time to say the same
            return self._read()
        except NoRepository:
            return Hints()
        except GitUnavailable as error:
            return Hints(note=f"the work tree could not be read: {error}")
        except OSError as error:
            return Hints(note=f"the work tree could not be read: {error.strerror or error}")

    def _read(self) -> Hints:
        head = self._at_head()
        lines, gone = self._diff(head or self._nothing())
        untracked = self._untracked()
        branch = self._of_branch(head, self._began(head), lines) if head else None
        return Hints(
            changed=tuple(sorted({*gone, *untracked})),
            diff_lines=(*lines, *(FileLines(path) for path in untracked)),
            branch_commits=branch.commits if branch else (),
            branch_lines=branch.lines if branch else (),
            note="; ".join((*self._notes, *(branch.notes if branch else ()))),
        )

    def _at_head(self) -> str:
        """The commit at HEAD; empty before the first one."""
        stamp = git_stamp(self._root)
        if not stamp.head or self._head[0] != stamp or not self._head[1]:
            self._head = (stamp, self._or_nothing("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
        return self._head[1]

    def _nothing(self) -> str:
        """Git's name for a tree without files: before the first commit all is new."""
        return self._ask("hash-object", "-t", "tree", os.devnull)

    def _diff(self, since: str) -> tuple[tuple[FileLines, ...], tuple[str, ...]]:
        """Lines of the files as they are now that are not as in a commit; files without such lines that were renamed or
        have another mode, and files that it had and are gone."""
        # Read each time: files that the configuration includes may name other programs than a moment ago.
        filters = self._git.without_filters(self._settings.read_seconds)
        text = self._bounded((*filters, *_DIFF, since, "--", "."), "the diff")
        read = read_diff(text, self._settings.diff_files, self._settings.diff_ranges)
        if read.unread:
            self._notes.append(f"{read.unread} changed files not followed")
        return read.files, (*read.gone, *read.touched)

    def _untracked(self) -> tuple[str, ...]:
        listed = self._bounded(("ls-files", "-z", "--others", "--exclude-standard", "--", "."), "new files").split("\0")
        files = [path for path in listed if path and not path.endswith("/")]
        if len(files) > self._settings.untracked_files:
            self._notes.append(f"{len(files)} untracked files, none followed")
            return ()
        return tuple(files)

    def _began(self, head: str) -> str:
        """Where the branch began; empty where HEAD is the default branch, or none is known."""
        listed = self._ask("for-each-ref", "--format=%(refname) %(objectname)", *_DEFAULTS).split("\n")
        refs = dict(line.split(" ", 1) for line in listed if " " in line)
        order = [*(name for name in _DEFAULTS if name in refs), *sorted(refs)]
        if not order or refs[order[0]] == head:
            return ""
        ends = (head, refs[order[0]])
        if self._base[0] != ends:
            self._base = (ends, self._or_nothing("merge-base", *ends))
        base = self._base[1]
        if not base:
            self._notes.append(f"the branch shares no commit with {order[0]}")
        return "" if base == head else base

    def _or_nothing(self, *words: str) -> str:
        """What git names; empty where there is no such thing."""
        try:
            return self._ask(*words)
        except GitSaysNo:
            return ""

    def _of_branch(self, head: str, base: str, uncommitted: tuple[FileLines, ...]) -> _Branch | None:
        if not base:
            return None
        told_of = (head, base, uncommitted)
        if self._branch is None or self._branch.told_of != told_of:
            before = len(self._notes)
            commits, lines = self._commits(base, head), self._diff(base)[0]
            notes, self._notes = self._notes[before:], self._notes[:before]
            self._branch = _Branch(told_of, commits, lines, tuple(notes))
        return self._branch

    def _commits(self, base: str, head: str) -> tuple[BranchCommit, ...]:
        limit = self._settings.branch_commits
        words = (*_LOG, f"--max-count={limit + 1}", f"{base}..{head}", "--", ".")
        pieces = self._git.stream(words, seconds=self._settings.read_seconds)
        commits = list(parse_log(log_tokens(pieces), frozenset(), self._history))
        if len(commits) > limit:
            self._notes.append(f"of the branch only the newest {limit} commits")
        return tuple(BranchCommit(commit.message, commit.paths) for commit in commits[:limit])

    def _ask(self, *words: str) -> str:
        return self._git.text(*words, seconds=self._settings.read_seconds)

    def _bounded(self, words: Sequence[str], what: str) -> str:
        """What git prints, up to the bound; the rest is not waited for."""
        taken: list[bytes] = []
        size = 0
        for piece in self._git.stream(words, seconds=self._settings.read_seconds):
            taken.append(piece)
            size += len(piece)
            if size > self._settings.diff_bytes:
                self._notes.append(f"{what} read up to {self._settings.diff_bytes} bytes only")
                break
        return b"".join(taken)[: self._settings.diff_bytes].decode("utf-8", "replace")
