"""Which new file is which vanished one: equal content first, then content that is alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from retrieval.ingest.identity import likeness
from retrieval.ingest.settings import IdentitySettings
from workingset.vocabulary import Digest


def equal_moves(vanished: Mapping[str, Digest], appeared: Mapping[str, Digest]) -> dict[str, str]:
    """Return the vanished path for each new one with equal content; of several, one of the same file name, then the
    first."""
    waiting: defaultdict[Digest, list[str]] = defaultdict(list)
    for path in sorted(vanished):
        waiting[vanished[path]].append(path)
    moves: dict[str, str] = {}
    for path in sorted(appeared):
        candidates = waiting.get(appeared[path])
        if candidates:
            same = next((old for old in candidates if _name(old) == _name(path)), candidates[0])
            candidates.remove(same)
            moves[path] = same
    return moves


def similar_moves(
    vanished: Sequence[str],
    appeared: Sequence[str],
    old_lines: Callable[[str], Counter[str]],
    new_lines: Callable[[str], Counter[str]],
    settings: IdentitySettings,
) -> dict[str, str]:
    """Return the most alike vanished path for each new one, the most alike pairs first; files of one extension only.

    Does nothing where there are more files than are compared pair by pair.
    """
    if not vanished or max(len(vanished), len(appeared)) > settings.moved_files_compared:
        return {}
    before = {path: old_lines(path) for path in vanished}
    pairs: list[tuple[float, str, str]] = []
    for path in appeared:
        related = [old for old in vanished if _extension(old) == _extension(path)]
        lines = new_lines(path) if related else Counter[str]()
        for old in related:
            share = likeness(lines, before[old])
            if share >= settings.similar_share:
                pairs.append((-share, path, old))
    moves: dict[str, str] = {}
    used: set[str] = set()
    for _, path, old in sorted(pairs):
        if path not in moves and old not in used:
            moves[path] = old
            used.add(old)
    return moves


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _extension(path: str) -> str:
    return _name(path).rpartition(".")[2]
