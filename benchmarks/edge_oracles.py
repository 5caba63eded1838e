"""What an oracle of edges answers: right, wrong, or nobody can say without running the program."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Protocol


@unique
class Verdict(Enum):
    """What an oracle says of one edge."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Place:
    """A record as the oracle knows it: file, qualified name, kind, and lines counted from 1."""

    path: str
    title: str
    kind: str
    first: int
    last: int

    @property
    def name(self) -> str:
        """The simple name."""
        return self.title.rpartition(".")[2]


class Oracle(Protocol):
    """Knows what names mean, by other means than the resolver under test."""

    def judge(self, relation: str, source: Place, target: Place) -> Verdict:
        """Whether the source calls, or mentions, the target."""
        ...

    def targets(self, relation: str, source: Place) -> frozenset[tuple[str, str]]:
        """(path, qualified name) of all that the source surely calls or mentions."""
        ...
