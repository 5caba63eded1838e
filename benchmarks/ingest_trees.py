"""The trees that ingest is measured on, as copies that may be edited."""

from __future__ import annotations

import shutil
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from benchmarks.localisation_trees import MovingTree
from benchmarks.trees import TreeMissing

_LEFT_OUT = ("site-packages", "__pycache__")


@dataclass(frozen=True, slots=True)
class PublicTree:
    """A public repository at one commit."""

    name: str
    repo: str
    commit: str


GO = PublicTree("go", "entireio/cli", "f446dcfc09fda981a5c373a5f47c54363761fa6e")
TYPESCRIPT = PublicTree("typescript", "vuejs/core", "e2bede96134f757aad5c5b33ac9be055022dbfc8")
TREES = (GO, TYPESCRIPT)
PYTHON = "python"


def python_library(folder: Path, root: Path | None = None) -> Path:
    """A copy of a folder, without `root` of the running Python's standard library."""
    made = folder / PYTHON
    ignored = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(root or Path(sysconfig.get_path("stdlib")), made, symlinks=True, ignore=ignored)
    return made


def public_tree(tree: PublicTree, git_dirs: Path, folder: Path) -> Path:
    """The repository's tree at its commit, from a bare clone; raises TreeMissing."""
    made = folder / tree.name
    try:
        moving = MovingTree(git_dirs, tree.repo, made)
        moving.move_to(tree.commit)
    except TreeMissing as error:
        where = f"git clone --bare https://github.com/{tree.repo} {git_dirs}/{tree.repo.replace('/', '+')}/repo"
        raise TreeMissing(f"{error}. Make it: {where}") from error
    return made
