"""What the host knows besides the goal: which files were changed, are open or were just read, the working tree's diff,
and what the branch holds.

Hints are data. They say where the work is, and so how strongly a place of a file counts; no word of a diff or a message
is searched for or obeyed. Vague prompts ("commit this, then let's do the other bit") can only be served this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from retrieval.diff_lines import FileLines
from workingset.vocabulary import Lines, Namespace


@dataclass(frozen=True, slots=True)
class HintSettings:
    """How strongly each kind of hint speaks for a record, 0 to 1, and how much of them is followed."""

    changed_lines: float = 1.0
    """The record holds lines that are changed and not committed."""
    branch_lines: float = 0.8
    """Guess: lines that the branch changed and committed."""
    changed_file: float = 0.5
    """Guess: another line of its file is changed, and not committed."""
    open_file: float = 0.5
    """Guess: its file is open in the host."""
    read_file: float = 0.4
    """Guess: its file was read lately."""
    branch_file: float = 0.4
    """Guess: a commit of the branch changed its file."""
    part_share: float = 0.5
    """Guess: what a hint of a whole file says of one part of it, against what it says of the file's first record."""
    files: int = 128
    """Guess: files followed to their records, the strongest first."""
    records_per_file: int = 1_024
    """Guess: records of one file looked at; the largest file of sympy has some 700."""
    records_counted: int = 4_096
    """Guess: records of one path counted beyond that before all of the scope is taken as the bound."""
    parts_per_file: int = 24
    """Guess: records of one file that are taken for a hint of the whole file."""
    hits: int = 128
    """Guess: as many as the lexical lane returns, and a few more."""
    weight: float = 0.08
    """Beside a goal that says what it is about, so little that the second rank does not pass the first."""
    half_pointing_weight: float = 1.5
    """Guess: a goal that points, and also says a little: changed lines come first, in the ranker's order."""
    pointing_weight: float = 6.0
    """Where a goal only points, what it points at comes first, and in the order of its strengths: a fifth of a certain
    hint, what lies between lines of the working tree and of the branch, weighs more than the first rank."""
    few_words: int = 1
    """Guess: "let's do the other bit" says no more."""
    some_words: int = 6
    """Guess: a short sentence about something."""
    read_characters: int = 2_000
    """Guess: what points is short; a longer goal is about something."""


@dataclass(frozen=True, slots=True)
class BranchCommit:
    """A commit of the branch since its base: its message and the paths that it changed."""

    message: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hints:
    """What one host, or one work tree, says. Paths are files of `namespace`, of any in scope where it is None.

    `changed`, `open` and `read` are files. `diff_lines` are lines changed and not committed, `branch_lines` lines that
    differ from the branch's base, both as the files are now. `note` says what is missing.
    """

    namespace: Namespace | None = None
    changed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    diff_lines: tuple[FileLines, ...] = ()
    branch_commits: tuple[BranchCommit, ...] = ()
    branch_lines: tuple[FileLines, ...] = ()
    note: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing is said of any file."""
        said = (self.changed, self.open, self.read, self.diff_lines, self.branch_commits, self.branch_lines)
        return not any(said)

    def strengths(self, settings: HintSettings) -> HintStrengths:
        """The hints weighed, to be asked for many places."""
        wholes: dict[str, float] = {}
        places: dict[str, list[tuple[float, FileLines]]] = {}
        branch = [path for commit in self.branch_commits for path in commit.paths]
        for paths, strength in (
            (self.changed, settings.changed_file),
            ((file.path for file in self.diff_lines), settings.changed_file),
            (self.open, settings.open_file),
            (self.read, settings.read_file),
            (branch, settings.branch_file),
            ((file.path for file in self.branch_lines), settings.branch_file),
        ):
            _strengthen(wholes, paths, strength)
        for files, strength in (
            (self.diff_lines, settings.changed_lines),
            (self.branch_lines, settings.branch_lines),
        ):
            for file in files:
                places.setdefault(file.path, []).append((strength, file))
        return HintStrengths(wholes, places, settings.part_share)


@dataclass(frozen=True, slots=True)
class HintStrengths:
    """Hints weighed: `wholes` are strengths of files, `places` those of lines of files."""

    wholes: Mapping[str, float] = field(default_factory=dict[str, float])
    places: Mapping[str, list[tuple[float, FileLines]]] = field(
        default_factory=dict[str, list[tuple[float, FileLines]]]
    )
    part_share: float = 1.0

    def files(self) -> tuple[str, ...]:
        """The files that are spoken for: those with lines first, then by strength, then by path."""
        lines = {path: max(strength for strength, _ in files) for path, files in self.places.items()}
        return tuple(sorted(self.wholes, key=lambda path: (-lines.get(path, 0.0), -self.wholes[path], path)))

    def of(self, path: str, lines: Lines | None) -> float:
        """How strongly the hints speak for lines of a file, or for all of it where None; 0 where they do not."""
        whole = self.wholes.get(path, 0.0)
        if lines is not None and lines.start > 1:
            whole *= self.part_share
        return max((strength for strength, file in self.places.get(path, ()) if file.touches(lines)), default=whole)

    def changed(self, path: str, lines: Lines) -> bool:
        """Whether the hints name one of these lines."""
        return any(file.touches(lines) for _, file in self.places.get(path, ()))


def _strengthen(wholes: dict[str, float], paths: Iterable[str], strength: float) -> None:
    for path in paths:
        wholes[path] = max(wholes.get(path, 0.0), strength)
