"""Which paths of a followed tree can matter, before anything is read: what the walk would pass over causes no work.

Rules are git's, as in `retrieval.ingest.walk`; they are read once a folder and forgotten when one of them may have
changed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from retrieval.ingest.ignore_rules import IgnoreRules
from retrieval.ingest.repository import Surroundings, is_ignored, read_rules, surroundings
from retrieval.ingest.settings import GuardSettings
from retrieval.ingest.work_tree import GIT_FOLDER, IGNORE_FILE

_ENVIRONMENT = "pyvenv.cfg"
RULE_FILES = frozenset({IGNORE_FILE, _ENVIRONMENT})
"""Files that decide over those around them."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """What holds in a folder: its rules, nearest first, or that nothing in it is walked."""

    rules: tuple[IgnoreRules, ...]
    ignored: bool = False
    excluded: bool = False


class WatchedPaths:
    """Answers for one root whether a path can matter. Used by one thread."""

    def __init__(self, root: Path, settings: GuardSettings) -> None:
        self._root = root
        self._settings = settings
        self._around: Surroundings | None = None
        self._folders: dict[str, _Folder] = {}

    def forget(self) -> frozenset[str]:
        """Read all rules anew at the next question; returns the paths that git has begun or ceased to track."""
        before = self._around
        self._around, self._folders = None, {}
        if before is None:
            return frozenset()
        prefix = before.prefix
        differing = before.tracked ^ self._surroundings().tracked
        return frozenset(path[len(prefix) :] for path in differing if path.startswith(prefix))

    def matters(self, path: str) -> bool:
        """Whether the walk could take this path, a file's or a folder's, from the root with forward slashes."""
        folder, _, name = path.rpartition("/")
        if name == GIT_FOLDER or name in self._settings.excluded_directories:
            return False
        if name in RULE_FILES and folder:
            # Whatever is said of the file itself, it decides over its folder.
            return self.matters(folder)
        above = self._folder(folder)
        if above.excluded:
            return False
        around = self._surroundings()
        full = around.prefix + path
        if full in around.tracked:
            return True
        return not above.ignored and not is_ignored(full, os.path.isdir(self._root / path), above.rules)

    def _surroundings(self) -> Surroundings:
        if self._around is None:
            self._around = surroundings(self._root)
        return self._around

    def _folder(self, path: str) -> _Folder:
        known = self._folders.get(path)
        if known is None:
            known = self._folders[path] = self._read_folder(path)
        return known

    def _read_folder(self, path: str) -> _Folder:
        around = self._surroundings()
        above, name = _Folder(around.rules), ""
        if path:
            parent, _, name = path.rpartition("/")
            above = self._folder(parent)
        if above.excluded or name == GIT_FOLDER or name in self._settings.excluded_directories:
            return _Folder((), excluded=True)
        base = f"{around.prefix}{path}/" if path else around.prefix
        if above.ignored or (path and is_ignored(base[:-1], True, above.rules)):
            # As in git: what lies in an ignored folder cannot be taken back in.
            return _Folder((), ignored=True)
        if path and (os.path.islink(self._root / path) or os.path.lexists(self._root / path / _ENVIRONMENT)):
            return _Folder((), excluded=True)
        return _Folder(self._own_rules(path, base, above.rules))

    def _own_rules(self, path: str, base: str, above: tuple[IgnoreRules, ...]) -> tuple[IgnoreRules, ...]:
        file = self._root / path / IGNORE_FILE
        try:
            if file.is_file() and not file.is_symlink():
                return (read_rules(file, base), *above)
        except OSError:
            # The walk counts rules that cannot be read; here they only fail to save work.
            return above
        return above
