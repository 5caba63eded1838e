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
    return _top(root.resolve())


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


def ignore_files_above(top: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """Files of rules from the top down to the folder that holds the resolved root, each with the folder it rules, from
    the top: empty, or ending with a slash."""
    base = ""
    for part in root.relative_to(top).parts:
        yield base, top / base / IGNORE_FILE
        base += part + "/"


def git_stamp(root: Path) -> GitStamp:
    """Look at the work tree around the root: its HEAD and the log of it, its index and lock, the rules around the root;
    links are resolved."""
    start = root.resolve()
    top = _top(start)
    if top is None:
        return GitStamp()
    rules = tuple(_stamp(file) for _, file in ignore_files_above(top, start))
    try:
        found = work_tree(top)
    except (OSError, ValueError):
        # Whoever reads the repository says what is wrong with it; once it is mended, the stamp is another.
        return GitStamp((str(top),), (), rules)
    return GitStamp(
        head=(str(found.own), *_stamp(found.own / "HEAD"), *_stamp(found.own / "logs" / "HEAD")),
        index=_stamp(found.own / "index"),
        rules=(_stamp(found.exclude), *rules),
        busy=os.path.lexists(found.own / "index.lock"),
    )


def _top(start: Path) -> Path | None:
    return next((folder for folder in (start, *start.parents) if os.path.exists(folder / GIT_FOLDER)), None)


def _stamp(file: Path) -> _Stamp:
    try:
        found = os.stat(file)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
