"""Which part of a tree a partial scan looks at: files and folders, named by their paths from the root."""

from __future__ import annotations

from collections.abc import Collection

from retrieval.errors import BadField
from retrieval.ingest.work_tree import IGNORE_FILE

_RULING = frozenset((IGNORE_FILE, "pyvenv.cfg"))
"""Files that decide what of their folder is taken in: a change of one is a change of all that lies around it."""


class Chosen:
    """A set of paths; a folder stands for all it holds. `roots` are the paths, none of them inside another, sorted.

    A file that rules its folder, such as `.gitignore`, stands for the folder. Raises BadField for a path that does not
    lie below the root.
    """

    def __init__(self, only: Collection[str]) -> None:
        given = {_folder_if_ruling(_normal(path)) for path in only}
        self._whole = frozenset(path for path in given if not given.intersection(_above(path)))
        self._ways = frozenset(folder for path in self._whole for folder in _above(path))
        self.roots = tuple(sorted(self._whole))

    @property
    def is_everything(self) -> bool:
        """True where the root itself was named."""
        return "" in self._whole

    def leads_to(self, path: str) -> bool:
        """True for what was chosen, what lies in it, and the folders on the way to it."""
        return path in self._ways or self.holds(path)

    def holds(self, path: str) -> bool:
        """True for what was chosen and what lies in it."""
        return path in self._whole or any(folder in self._whole for folder in _above(path))


def _normal(path: str) -> str:
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if path.startswith("/") or ".." in parts:
        raise BadField("tree.only", f"{path!r} is not a path below the tree's root, such as `folder/file.py`")
    return "/".join(parts)


def _folder_if_ruling(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return folder if name in _RULING else path


def _above(path: str) -> list[str]:
    """The folders around a path, the root, which is the empty path, among them; none for the root itself."""
    if not path:
        return []
    ends = [at for at, character in enumerate(path) if character == "/"]
    return ["", *(path[:end] for end in ends)]
