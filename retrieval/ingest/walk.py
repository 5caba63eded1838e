"""The files of a tree, under git's own ignore rules, in the order of their paths.

`.gitignore` of every folder from the repository's root down, then `.git/info/exclude`; the nearest file that matches
decides, and within it the last pattern; what lies in an ignored folder cannot be taken back in. As in git, a file in
the repository's index is not ignored. Beside them: default excludes, and no symbolic link is followed, so that loops
and ways out of the tree do not exist. `core.excludesFile` of a user is not read: the tree decides, not whose daemon
it is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from retrieval.ingest.chosen import Chosen
from retrieval.ingest.file_stamps import FileStamp
from retrieval.ingest.guards import Reason
from retrieval.ingest.ignore_rules import IgnoreRules
from retrieval.ingest.repository import is_ignored, read_rules, surroundings
from retrieval.ingest.settings import GuardSettings
from retrieval.ingest.work_tree import IGNORE_FILE


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file: its path from the root with forward slashes, its size in bytes, and its stamp."""

    path: str
    size_bytes: int
    stamp: FileStamp


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file or folder not taken, and why. A folder stands for all it holds."""

    path: str
    reason: Reason
    what: str


def walk(root: Path, settings: GuardSettings, chosen: Chosen | None = None) -> Iterator[FoundFile | PassedOver]:
    """Yield what is in the tree, or in a part of it, in code point order of paths.

    The same rules hold for a part as for the whole. Raises OSError where the root cannot be read.
    """
    os.scandir(root).close()
    around = surroundings(root)
    for file, what in around.unread:
        yield PassedOver(file, Reason.UNREADABLE, f"git's rules in it do not hold: {what}")
    yield from _Walk(root, around.prefix, around.tracked, settings, chosen).everything(around.rules)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to be looked into next."""

    inner: str
    rules: tuple[IgnoreRules, ...]


class _Walk:
    """One walk. Paths given to rules begin at the repository's root: `prefix` plus the path from the walked root."""

    def __init__(
        self, root: Path, prefix: str, tracked: frozenset[str], settings: GuardSettings, chosen: Chosen | None
    ) -> None:
        self._root = str(root)
        self._chosen = chosen
        self._prefix = prefix
        self._tracked = tracked
        self._tracked_folders = _folders_of(tracked)
        self._settings = settings

    def everything(self, rules: tuple[IgnoreRules, ...]) -> Iterator[FoundFile | PassedOver]:
        """Yield all there is. Folders under way are a list: a path may have more of them than calls can nest."""
        under_way = [self.folder("", rules)]
        while under_way:
            found = next(under_way[-1], None)
            if found is None:
                under_way.pop()
            elif isinstance(found, _Folder):
                under_way.append(self.folder(found.inner, found.rules))
            else:
                yield found

    def folder(self, inner: str, rules: tuple[IgnoreRules, ...]) -> Iterator[FoundFile | PassedOver | _Folder]:
        """Yield what is in the folder; `inner` is its path from the walked root, empty or with a trailing slash."""
        try:
            with os.scandir(os.path.join(self._root, inner)) as scan:
                entries = sorted(islice(scan, self._settings.directory_entries + 1), key=_order)
        except OSError as error:
            yield PassedOver(inner.rstrip("/"), Reason.UNREADABLE, error.strerror or str(error))
            return
        if len(entries) > self._settings.directory_entries:
            what = f"holds more than {self._settings.directory_entries} entries"
            yield PassedOver(inner.rstrip("/"), Reason.HUGE_DIRECTORY, what)
            return
        files = {entry.name for entry in entries if entry.is_file(follow_symlinks=False)}
        if "pyvenv.cfg" in files and inner:
            yield PassedOver(inner.rstrip("/"), Reason.EXCLUDED_DIRECTORY, "a virtual environment")
            return
        if IGNORE_FILE in files:
            try:
                rules = (read_rules(Path(self._root, inner, IGNORE_FILE), self._prefix + inner), *rules)
            except OSError as error:
                yield PassedOver(inner + IGNORE_FILE, Reason.UNREADABLE, f"its rules do not hold: {error.strerror}")
        for entry in entries:
            if self._chosen is None or self._chosen.leads_to(inner + entry.name):
                yield from self._entry(inner + entry.name, entry, rules)

    def _entry(
        self, path: str, entry: os.DirEntry[str], rules: tuple[IgnoreRules, ...]
    ) -> Iterator[FoundFile | PassedOver | _Folder]:
        if not _is_encodable(path):
            yield PassedOver(path, Reason.UNDECODABLE_NAME, "the name is not UTF-8")
        elif entry.name == ".git":
            yield PassedOver(path, Reason.EXCLUDED_DIRECTORY, "a repository's own")
        elif entry.is_symlink():
            if not self._is_ignored(path, False, rules):
                yield PassedOver(path, Reason.SYMLINK, "symbolic links are not followed")
        elif entry.is_dir(follow_symlinks=False):
            if entry.name in self._settings.excluded_directories:
                yield PassedOver(path, Reason.EXCLUDED_DIRECTORY, "excluded by default")
            elif self._is_ignored(path, True, rules):
                yield from self._tracked_below(path)
            else:
                yield _Folder(path + "/", rules)
        elif not entry.is_file(follow_symlinks=False):
            yield PassedOver(path, Reason.SPECIAL_FILE, "neither a file nor a folder")
        elif self._is_ignored(path, False, rules):
            yield PassedOver(path, Reason.GIT_IGNORED, "ignored by git's rules")
        else:
            yield from self._file(path)

    def _tracked_below(self, path: str) -> Iterator[FoundFile | PassedOver]:
        """Of an ignored folder only what git tracks is taken."""
        yield PassedOver(path, Reason.GIT_IGNORED, "ignored by git's rules")
        start = f"{self._prefix}{path}/"
        if start[:-1] in self._tracked_folders:
            for tracked in sorted(name for name in self._tracked if name.startswith(start)):
                inner = tracked[len(self._prefix) :]
                if self._chosen is None or self._chosen.holds(inner):
                    yield from self._file(inner)

    def _file(self, path: str) -> Iterator[FoundFile | PassedOver]:
        full = os.path.join(self._root, path)
        try:
            status = os.lstat(full)
            if stat.S_ISREG(status.st_mode):
                yield FoundFile(path, status.st_size, FileStamp.of(status))
        except (FileNotFoundError, NotADirectoryError):
            # Git tracks it, and it is not there.
            return
        except OSError as error:
            yield PassedOver(path, Reason.UNREADABLE, error.strerror or str(error))

    def _is_ignored(self, path: str, is_folder: bool, rules: tuple[IgnoreRules, ...]) -> bool:
        full = self._prefix + path
        return (is_folder or full not in self._tracked) and is_ignored(full, is_folder, rules)


def _order(entry: os.DirEntry[str]) -> str:
    """Sorts folders among files as their paths sort."""
    return entry.name + "/" if entry.is_dir(follow_symlinks=False) else entry.name


def _is_encodable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _folders_of(paths: frozenset[str]) -> frozenset[str]:
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders)
