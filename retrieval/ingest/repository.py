"""The git repository around a walked folder: the rules that come from above it, and what it tracks.

What cannot be read is reported by name and the walk goes on without it: rules are a convenience, not a safeguard.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from retrieval.ingest.git_index import tracked_paths
from retrieval.ingest.ignore_rules import IgnoreRules
from retrieval.ingest.work_tree import IGNORE_FILE, folders_above, top_of, work_tree


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What holds at a walked root.

    `prefix` is its path from the repository's root, empty or ending with a slash; `rules` come nearest first;
    `unread` are (file, what went wrong).
    """

    prefix: str = ""
    rules: tuple[IgnoreRules, ...] = ()
    tracked: frozenset[str] = frozenset()
    unread: tuple[tuple[str, str], ...] = ()


def surroundings(root: Path) -> Surroundings:
    """Find the repository around the root and read its rules and its index.

    A root that the repository ignores was asked for by name, so the repository's rules do not hold in it.
    """
    start, top = root.resolve(), top_of(root)
    if top is None:
        return Surroundings()
    inside = start.relative_to(top).as_posix()
    prefix = "" if inside == "." else inside + "/"
    rules: list[IgnoreRules] = []
    unread: list[tuple[str, str]] = []
    tracked = frozenset[str]()
    try:
        found = work_tree(top)
        tracked = tracked_paths(found.own)
        _add_rules(rules, found.exclude, "")
    except (OSError, ValueError) as error:
        unread.append((".git", str(error)))
    for base in folders_above(top, start):
        try:
            _add_rules(rules, top / base / IGNORE_FILE, base)
        except OSError as error:
            unread.append((IGNORE_FILE, str(error)))
    if _is_inside_ignored(prefix, rules):
        return Surroundings()
    return Surroundings(prefix, tuple(rules), tracked, tuple(unread))


def read_rules(file: Path, base: str) -> IgnoreRules:
    """Read one file of patterns that apply below `base`. Raises OSError."""
    text = file.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return IgnoreRules(base, (line.rstrip("\r") for line in text.split("\n")))


def is_ignored(path: str, is_folder: bool, rules: tuple[IgnoreRules, ...]) -> bool:
    """Whether the first rules that know the path, given from the repository's root, ignore it."""
    for rule in rules:
        verdict = rule.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def _add_rules(rules: list[IgnoreRules], file: Path, base: str) -> None:
    """Put the file's rules before those read earlier; as in git, a symbolic link is no file of rules."""
    if file.is_file() and not file.is_symlink():
        rules.insert(0, read_rules(file, base))


def _is_inside_ignored(prefix: str, rules: list[IgnoreRules]) -> bool:
    """True where the folder, or one that holds it, is ignored."""
    folders = prefix.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        folder = "/".join(folders[:depth])
        if is_ignored(folder, True, tuple(rule for rule in rules if folder.startswith(rule.base))):
            return True
    return False
