"""The ancestors of HEAD as values: which commits there are, and of each its time, its words and the paths it changed.

Merges are left out, as they repeat what their parents did. Messages come without the names and addresses of people:
lines that credit somebody and e-mail addresses are taken out; nothing else of a commit names its author here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from retrieval.ingest.git_command import PLAIN_DIFF, Git, GitSaysNo, GitUnavailable, NoRepository, ObjectMissing
from retrieval.ingest.settings import GitHistorySettings

_HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_STATUS = re.compile(rb"[ACDMRTUXB][0-9]*")
_CREDIT = re.compile(
    r"^[ \t]*(?:[A-Za-z]+-)*(?:by|cc|from|author|committer)[ \t]*:[^\n]*(?:\n|\Z)", re.MULTILINE | re.IGNORECASE
)
_ADDRESS = re.compile(r"<?[\w.+-]++(?P<rest>@[\w-]++(?:\.[\w-]++)+>?)?")
"""A run of characters, and the rest of an address where it begins one; so each run is read once."""
_BLANK_LINES = re.compile(r"\n{3,}")
LOG_FORMAT = "--format=tformat:%H%x00%ct%x00%B%x00"
"""What `parse_log` reads, together with -z and --name-status."""


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """One commit. `paths` are those it left changed, under the walked root, in git's order; of a rename the new one.

    `renames` are (old path, new path); where not all of a partial clone is there to tell them by, `renames_told` is
    False. `unkept` counts paths past the bound. A commit at the edge of a shallow clone says nothing of what it changed
    and has no paths.
    """

    hash: str
    seconds: int
    message: str
    paths: tuple[str, ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    unkept: int = 0
    renames_told: bool = True


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The newest commits that lead to HEAD, newest first, and all that are at the edge of a shallow clone.

    `bounded` is True where there are older ones that the bound leaves out.
    """

    hashes: tuple[str, ...]
    edge: frozenset[str] = frozenset()
    bounded: bool = False


class GitLog:
    """Reads the history of one folder inside a work tree."""

    def __init__(self, root: Path, settings: GitHistorySettings) -> None:
        self._git = Git(root)
        self._settings = settings

    def head(self) -> str:
        """The commit of HEAD. Raises GitUnavailable; NoRepository where there is no work tree around, or no commit."""
        if self._answer("--is-inside-work-tree") != "true":
            raise NoRepository("the folder is not inside a work tree")
        try:
            return self._answer("--verify", "--quiet", "HEAD^{commit}")
        except GitSaysNo as error:
            raise NoRepository("there is no commit yet") from error

    def edge(self) -> frozenset[str]:
        """The commits whose parents a shallow clone leaves out; empty for a whole one. Raises GitUnavailable."""
        folder = self._answer("--path-format=absolute", "--git-common-dir")
        try:
            words = (Path(folder) / "shallow").read_bytes().split()
            return frozenset(word.decode() for word in words if _HASH.fullmatch(word))
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()
        except OSError as error:
            raise GitUnavailable(f"the list of a shallow clone's edge cannot be read: {error}") from error

    def ancestry(self, head: str, edge: frozenset[str]) -> Ancestry:
        """Which commits there are, in a clone with this edge. Raises GitUnavailable."""
        limit = self._settings.commits
        words = ("rev-list", "--no-merges", f"--max-count={limit + 1}", head, "--", *self._folder())
        hashes = self._git.text(*words, seconds=self._settings.read_seconds).split()
        return Ancestry(tuple(hashes[:limit]), edge, len(hashes) > limit)

    def commits(self, hashes: Sequence[str], edge: frozenset[str]) -> Iterator[LoggedCommit]:
        """Read these commits, in this order. Raises GitUnavailable.

        Where the texts that telling renames needs are not there, as in a partial clone, renames are not told.
        """
        done = 0
        try:
            for commit in self._read(hashes, edge, f"-M{self._settings.rename_similar_percent}%"):
                done += 1
                yield commit
        except ObjectMissing:
            for commit in self._read(hashes[done:], edge, "--no-renames"):
                yield replace(commit, renames_told=False)

    def _read(self, hashes: Sequence[str], edge: frozenset[str], renames: str) -> Iterator[LoggedCommit]:
        if not hashes:
            return
        folder = self._folder()
        words = ("log", "--no-walk=unsorted", "--stdin", "-z", LOG_FORMAT, "--name-status", "--root", renames)
        bounds = (f"-l{self._settings.rename_files}", *PLAIN_DIFF, *(("--relative",) if folder else ()))
        given = "".join(f"{each}\n" for each in hashes).encode()
        seconds = self._settings.read_seconds
        pieces = self._git.stream((*words, *bounds, "--", *folder), seconds=seconds, given=given)
        yield from parse_log(log_tokens(pieces), edge, self._settings)

    def _folder(self) -> tuple[str, ...]:
        """What keeps git to the folder, where it is not the work tree's own top."""
        return (".",) if self._answer("--show-prefix") else ()

    def _answer(self, *words: str) -> str:
        return self._git.text("rev-parse", *words, seconds=self._settings.call_seconds)


@dataclass(slots=True)
class _Reading:
    """A commit while its paths come in."""

    hash: str
    seconds: int
    message: str
    paths: list[str] = field(default_factory=list)
    renames: list[tuple[str, str]] = field(default_factory=list)
    unkept: int = 0

    def add(self, status: bytes, names: Sequence[str], limit: int) -> None:
        if len(self.paths) >= limit:
            self.unkept += 1
            return
        self.paths.append(names[-1])
        if status == b"R":
            self.renames.append((names[0], names[1]))

    def read(self) -> LoggedCommit:
        return LoggedCommit(self.hash, self.seconds, self.message, tuple(self.paths), tuple(self.renames), self.unkept)


def parse_log(tokens: Iterable[bytes], edge: frozenset[str], settings: GitHistorySettings) -> Iterator[LoggedCommit]:
    """Read the tokens between the zero bytes of git's log: hash, time, message, then a status and paths for each file.

    Every token is read by its place, so nothing that a message or a path holds is taken for anything else.
    """
    stream = iter(tokens)
    commit: _Reading | None = None
    for token in stream:
        word = token.removeprefix(b"\n")
        if not word:
            continue
        if _HASH.fullmatch(word):
            if commit is not None:
                yield commit.read()
            commit = _Reading(word.decode(), int(next(stream, b"0")), plain_message(next(stream, b""), settings))
        elif commit is not None and _STATUS.fullmatch(word):
            names = [next(stream, b"").decode("utf-8", "replace") for _ in range(1 + (word[:1] in {b"R", b"C"}))]
            if commit.hash not in edge:
                commit.add(word[:1], names, settings.paths_per_commit)
        else:
            raise GitUnavailable(f"git's log cannot be read: {word[:40]!r} stands where a commit begins")
    if commit is not None:
        yield commit.read()


def plain_message(raw: bytes, settings: GitHistorySettings) -> str:
    """The message without lines that credit people and without e-mail addresses, cut at the settings' bound."""
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
    text = _ADDRESS.sub(lambda run: "" if run["rest"] else run[0], _CREDIT.sub("", text))
    return _BLANK_LINES.sub("\n\n", text).strip()[: settings.message_characters].rstrip()


def log_tokens(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """What lies between the zero bytes of git's output, whatever pieces it came in."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole
    if rest:
        yield rest
