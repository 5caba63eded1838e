"""The table of a tree's commits, made anew from what is kept of them and what was read now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from retrieval.history.kept import KeptCommit, KeptTree
from retrieval.ingest.digests import text_digest
from retrieval.ingest.git_log import Ancestry, LoggedCommit

_DIGEST_CHARACTERS = 16


def told_tree(stored: KeptTree, head: str, ancestry: Ancestry, logged: Mapping[str, LoggedCommit]) -> KeptTree:
    """The tree at a head: every commit of the ancestry, as logged or else as kept.

    Paths are numbered in the order in which the commits name them, so that equal pasts give equal tables.
    """
    kept = {commit.hash.hex(): commit for commit in stored.commits}
    places: dict[str, int] = {}
    commits: list[KeptCommit] = []
    for name in ancestry.hashes:
        fresh = logged.get(name)
        commits.append(_logged(fresh, places) if fresh else _again(kept[name], stored.paths, places))
    return msgspec.structs.replace(
        stored,
        head=head,
        unavailable="",
        edge=kept_edge(ancestry.edge),
        bounded=ancestry.bounded,
        paths=tuple(places),
        commits=tuple(commits),
    )


def kept_edge(edge: Iterable[str]) -> tuple[bytes, ...]:
    """The edge of a shallow clone as it is kept."""
    return tuple(sorted(bytes.fromhex(name) for name in edge))


def _logged(commit: LoggedCommit, places: dict[str, int]) -> KeptCommit:
    return KeptCommit(
        bytes.fromhex(commit.hash),
        commit.seconds,
        bytes.fromhex(text_digest(commit.message)[:_DIGEST_CHARACTERS]),
        tuple(_place(path, places) for path in commit.paths),
        tuple((_place(old, places), _place(new, places)) for old, new in commit.renames),
        commit.unkept,
    )


def _again(commit: KeptCommit, paths: tuple[str, ...], places: dict[str, int]) -> KeptCommit:
    return msgspec.structs.replace(
        commit,
        paths=tuple(_place(paths[at], places) for at in commit.paths),
        renames=tuple((_place(paths[old], places), _place(paths[new], places)) for old, new in commit.renames),
    )


def _place(path: str, places: dict[str, int]) -> int:
    return places.setdefault(path, len(places))
