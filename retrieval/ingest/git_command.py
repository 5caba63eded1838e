"""The `git` program as a reader: nothing of the machine's or the user's configuration, no hook, no pager, no lock, no
network, and no program that a repository's own configuration names.

Of the user's configuration only `safe.directory` is kept, which says whose repositories may be read at all. Filters
named in a repository's configuration, which git would run to compare a work tree, are switched off by name.
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

_CHUNK_BYTES = 65_536
_FIXED = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.attributesFile", os.devnull),
    ("core.excludesFile", os.devnull),
    ("core.quotePath", "false"),
    ("diff.ignoreSubmodules", "all"),
    ("diff.orderFile", os.devnull),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.showRoot", "true"),
    ("log.showSignature", "false"),
    ("log.follow", "false"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
)
_MISSING = re.compile(r"fatal: (?:could not fetch [0-9a-f]+ from promisor|unable to read [0-9a-f]+|missing \w+ object)")
PLAIN_DIFF = ("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
"""Options under which a diff runs no other program."""


class GitUnavailable(Exception):
    """Git cannot tell: there is no git, no repository, no commit, no time, or git refuses; the message says which."""


class NoRepository(GitUnavailable):
    """There is nothing to read: the folder is in no work tree, or no commit was made yet."""


class GitSaysNo(GitUnavailable):
    """Git ended with status 1 and no complaint: its word for "there is no such thing"."""


class ObjectMissing(GitUnavailable):
    """What git needs for an answer is not in the repository, as in a partial clone."""


class Git:
    """Runs git in one folder. Safe from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def text(self, *words: str, seconds: float) -> str:
        """Return what git prints, without the last newline. Raises GitUnavailable."""
        return b"".join(self.stream(words, seconds=seconds)).decode("utf-8", "replace").rstrip("\n")

    def stream(self, words: Sequence[str], *, seconds: float, given: bytes = b"") -> Iterator[bytes]:
        """Yield what git prints, piece by piece; `given` is what it reads. Raises GitUnavailable, also on the way."""
        try:
            yield from self._printed(words, seconds, given)
        except OSError as error:
            raise GitUnavailable(f"git could not be run: {error.strerror or error}") from error

    def _printed(self, words: Sequence[str], seconds: float, given: bytes) -> Iterator[bytes]:
        """As `stream`; raises also OSError, where the machine has no space, memory or descriptors left."""
        program = shutil.which("git")
        if program is None:
            raise GitUnavailable("there is no git program on this machine")
        until = time.monotonic() + seconds
        with tempfile.TemporaryFile() as reads, tempfile.TemporaryFile() as complains:
            reads.write(given)
            reads.seek(0)
            process = subprocess.Popen(  # noqa: S603  # the program is git, and no shell reads the words
                [program, *self._options(program), *words],
                cwd=self._folder,
                env=_environment(),
                stdin=reads,
                stdout=subprocess.PIPE,
                stderr=complains,
            )
            try:
                yield from _pieces(process, until)
                status = process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired as error:
                raise GitUnavailable(f"git took more than {seconds:g} s") from error
            finally:
                _end(process)
            if status:
                complains.seek(0)
                raise _failure(status, complains.read(_CHUNK_BYTES).decode("utf-8", "replace").strip())

    def _options(self, program: str) -> list[str]:
        pairs = [*_FIXED, *(("safe.directory", folder) for folder in _trusted_folders(program))]
        return ["--no-pager", *(part for key, value in pairs for part in ("-c", f"{key}={value}"))]

    def without_filters(self, seconds: float) -> tuple[str, ...]:
        """Options that switch off the filters of the repository's configuration. Raises GitUnavailable."""
        words = ("config", "--null", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$")
        try:
            keys = self.text(*words, seconds=seconds)
        except GitSaysNo:
            return ()
        drivers = sorted({key.rpartition(".")[0] for key in keys.split("\0") if key})
        values = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
        return tuple(part for driver in drivers for key, value in values for part in ("-c", f"{driver}.{key}={value}"))


def _failure(status: int, complaint: str) -> GitUnavailable:
    """What an exit status that is not 0 means. Warnings may stand before what git ended for."""
    lines = complaint.split("\n")
    said = next((line for line in lines if line.startswith("fatal: ")), lines[0])
    if "not a git repository" in said or "cannot use bare repository" in said:
        return NoRepository(said)
    if _MISSING.match(said):
        return ObjectMissing(said)
    if status == 1 and not said:
        return GitSaysNo("git ended with status 1")
    return GitUnavailable(said or f"git ended with status {status}")


def _pieces(process: subprocess.Popen[bytes], until: float) -> Iterator[bytes]:
    assert process.stdout is not None  # noqa: S101  # it was opened as a pipe
    pipe = process.stdout.fileno()
    with selectors.DefaultSelector() as ready:
        ready.register(pipe, selectors.EVENT_READ)
        while True:
            left = until - time.monotonic()
            if left <= 0.0 or not ready.select(left):
                raise subprocess.TimeoutExpired("git", 0.0)
            piece = os.read(pipe, _CHUNK_BYTES)
            if not piece:
                return
            yield piece


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _environment() -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
    }


@lru_cache(maxsize=1)
def _trusted_folders(program: str) -> tuple[str, ...]:
    """The user's and the machine's `safe.directory`, read once, outside any repository."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "XDG_CONFIG_HOME") if key in os.environ}
    try:
        done = subprocess.run(  # noqa: S603  # as above
            [program, "config", "--null", "--get-all", "safe.directory"],
            cwd=os.sep,
            env={**kept, "GIT_CEILING_DIRECTORIES": os.sep, "GIT_DIR": os.devnull},
            capture_output=True,
            timeout=5.0,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()  # nothing is trusted that git does not trust by itself
    return tuple(folder for folder in done.stdout.decode("utf-8", "replace").split("\0") if folder)
