"""A repository's past as a value: how long ago and how often a file was changed, and which files with it.

Ages are counted in commits, 0 for the newest, over the newest commits that are no merges. A file has the history of
the names it had before. A commit of many files says nothing of what is worked on, and does not count.

The measures are those of the recipes (design, recipes, 1.3): recency `ln(1 + Σ .5^(age / half-life))`; co-change of a
file `Σ 1/sqrt(files - 1)` over the commits they share, over how many commits of the file there are plus 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log, sqrt

from xxhash import xxh3_64_hexdigest

from retrieval.history.kept import KeptTree
from retrieval.history.settings import HistorySettings

RECENT_HALF_LIFE_COMMITS = 10.0
"""Measured (design, recipes, 1.3): `rec10`."""
FREQUENT_HALF_LIFE_COMMITS = 100.0
"""Measured, as above: `freq50`."""
_RARE_COMMITS = 3
"""Measured, as above: keeps files of one or two commits from being sure of one another."""


_Paths = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. `local` is the local name of its record. `paths` are by their present names; `files` counts them and
    those that were not kept."""

    local: str
    age: int
    paths: tuple[str, ...]
    files: int


@dataclass(slots=True)
class _Facts:
    """What was worked out of the past, on demand, and kept with it."""

    together: dict[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class History:
    """The past of a namespace's trees. `unavailable` says why there is none, empty where there is.

    `roots` are the folders of the trees that have a past. `commits` are newest first, tree after tree; `ages` are those
    of a file's commits that count, rising; `companions` the files of its commits that count as changed together;
    `by_local` finds commits by the local name of their records.
    """

    unavailable: str
    roots: tuple[str, ...] = ()
    commits: tuple[Commit, ...] = ()
    ages: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    companions: Mapping[str, tuple[tuple[str, ...], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, ...], ...]]
    )
    by_local: Mapping[str, Commit] = field(default_factory=dict[str, Commit])
    _facts: _Facts = field(default_factory=_Facts, repr=False, compare=False)

    @property
    def available(self) -> bool:
        """Whether there is any past to ask."""
        return not self.unavailable

    def recency(self, path: str, half_life_commits: float = RECENT_HALF_LIFE_COMMITS) -> float:
        """How lately the file was changed, from 0 on."""
        return log(1.0 + sum(0.5 ** (age / half_life_commits) for age in self.ages.get(path, ())))

    def frequency(self, path: str) -> float:
        """How often the file was changed, from 0 on; as recency, with a long half-life."""
        return self.recency(path, FREQUENT_HALF_LIFE_COMMITS)

    def co_changed(self, path: str) -> tuple[tuple[str, float], ...]:
        """(other file, weight) of the files changed together with this one, heaviest first, then by path."""
        known = self._facts.together.get(path)
        if known is None:
            known = self._facts.together[path] = self._co_changed(path)
        return known

    def times_together(self, path: str, other: str) -> int:
        """How many commits that count changed both."""
        return sum(other in files for files in self.companions.get(path, ()))

    def commit(self, local: str) -> Commit | None:
        """The commit whose record has this local name: what follows the colon of its ref."""
        return self.by_local.get(local)

    def _co_changed(self, path: str) -> tuple[tuple[str, float], ...]:
        weights: dict[str, float] = {}
        for files in self.companions.get(path, ()):
            for other in files:
                if other != path:
                    weights[other] = weights.get(other, 0.0) + 1.0 / sqrt(len(files) - 1)
        times = len(self.ages.get(path, ())) + _RARE_COMMITS
        return tuple(sorted(((other, w / times) for other, w in weights.items()), key=lambda pair: (-pair[1], pair[0])))


def history_of(trees: Iterable[KeptTree], settings: HistorySettings) -> History:
    """Work a namespace's history out."""
    trees = tuple(trees)
    told = [tree for tree in trees if not tree.unavailable]
    if not told:
        return History("; ".join(sorted({tree.unavailable for tree in trees})) or "no tree was read into the namespace")
    ages: dict[str, list[int]] = {}
    companions: dict[str, list[tuple[str, ...]]] = {}
    commits = [commit for tree in told for commit in _commits(tree)]
    for commit in commits:
        for path in commit.paths:
            if commit.files <= settings.recent_files:
                ages.setdefault(path, []).append(commit.age)
            if 1 < commit.files <= settings.together_files:
                companions.setdefault(path, []).append(commit.paths)
    return History(
        "",
        tuple(tree.root for tree in told),
        tuple(commits),
        {path: tuple(sorted(found)) for path, found in ages.items()},
        {path: tuple(found) for path, found in companions.items()},
        {commit.local: commit for commit in commits},
    )


def commit_local(source: str, commit: str) -> str:
    """The local name of a commit's record: of one tree, so that two trees of one repository do not share it."""
    framed = source.encode() + b"\0" + commit.encode()
    return f"commit-{xxh3_64_hexdigest(framed)}"


def _commits(tree: KeptTree) -> Iterable[Commit]:
    """The tree's commits with paths by their present names: going back, what a rename made is called as it is now."""
    present: dict[str, str] = {}
    for age, kept in enumerate(tree.commits):
        paths = tuple(dict.fromkeys(present.get(tree.paths[at], tree.paths[at]) for at in kept.paths))
        renamed = {tree.paths[old]: present.get(tree.paths[new], tree.paths[new]) for old, new in kept.renames}
        for _, new in kept.renames:
            present.pop(tree.paths[new], None)
        present.update(renamed)
        yield Commit(commit_local(tree.source, kept.hash.hex()), age, paths, len(paths) + kept.unkept)
