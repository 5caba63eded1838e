"""The git work tree around a folder: where git keeps what of it, and what shows that it has moved.

The one place that looks for `.git`: a folder, or a file that points to one, in the folder itself or above it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GIT_FOLDER = ".git"
"""A repository's own folder, or the file that points to it."""
IGNORE_FILE = ".gitignore"

_Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WorkTree:
    """`own` holds this work tree's HEAD and index, `shared` what all work trees of the repository have in common."""

    own: Path
    shared: Path

    @property
    def exclude(self) -> Path:
        """The file of rules that the repository's user keeps to themselves."""
        return self.shared / "info" / "exclude"


@dataclass(frozen=True, slots=True)
class GitStamp:
    """Tells one state of a work tree's repository from the next without reading it: where its folder is and what HEAD
    is, the index, the rules around the root; `busy` while git holds the index's lock. All empty outside of any."""

    head: tuple[str | int, ...] = ()
    index: _Stamp = ()
    rules: tuple[_Stamp, ...] = ()
    busy: bool = False


def top_of(root: Path) -> Path | None:
    """The top of the work tree that the folder, links resolved, lies in; None outside of any."""
    top = _top(os.path.realpath(root))
    return None if top is None else Path(top)


def work_tree(top: Path) -> WorkTree:
    """Where git keeps what of the work tree with this top. Raises OSError, and ValueError for what is no path."""
    dot_git = top / GIT_FOLDER
    if dot_git.is_dir():
        return WorkTree(dot_git, dot_git)
    pointed = dot_git.read_text(errors="surrogateescape").removeprefix("gitdir:").strip()
    own = (top / pointed).resolve()
    common = own / "commondir"
    shared = (own / common.read_text(errors="surrogateescape").strip()).resolve() if common.is_file() else own
    return WorkTree(own, shared)


def folders_above(top: Path | str, start: Path | str) -> Iterator[str]:
    """The folders from the top down to the one that holds the resolved folder `start`, from the top: the empty path,
    then each ending with a slash. What their `.gitignore` says holds in `start` as well."""
    base = ""
    for part in str(start)[len(str(top)) :].split(os.sep):
        if part:
            yield base
            base += part + "/"


def git_stamp(root: Path) -> GitStamp:
    """Look at the work tree around the root: its HEAD and the log of it, its index and lock, the rules around the root;
    links are resolved. Quick, as followers ask many times a second."""
    start = os.path.realpath(root)
    top = _top(start)
    if top is None:
        return GitStamp()
    rules = tuple(_stamp(f"{top}/{base}{IGNORE_FILE}") for base in folders_above(top, start))
    try:
        found = work_tree(Path(top))
    except (OSError, ValueError):
        # Whoever reads the repository says what is wrong with it; once it is mended, the stamp is another.
        return GitStamp((top,), (), rules)
    own = str(found.own)
    return GitStamp(
        head=(own, *_stamp(f"{own}/HEAD"), *_stamp(f"{own}/logs/HEAD")),
        index=_stamp(f"{own}/index"),
        rules=(_stamp(str(found.exclude)), *rules),
        busy=os.path.lexists(f"{own}/index.lock"),
    )


def _top(start: str) -> str | None:
    folder = start
    while not os.path.exists(f"{folder}/{GIT_FOLDER}"):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def _stamp(file: str) -> _Stamp:
    try:
        found = os.stat(file)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
