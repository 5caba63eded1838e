"""Values that answers of both services share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """An inclusive range of lines, counted from 1."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NamespaceGeneration:
    """How many committed changes a namespace had."""

    namespace: str
    generation: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The generation of each namespace that an answer was computed at. Pass it back to read at the same point."""

    generations: tuple[NamespaceGeneration, ...] = ()

    def at(self, namespace: str) -> int | None:
        """Return the namespace's generation, or None where the cut does not name it."""
        return next((each.generation for each in self.generations if each.namespace == namespace), None)


@dataclass(frozen=True, slots=True)
class Versions:
    """What an answer was computed with. A part the daemon did not name is empty."""

    daemon: str = ""
    protocol: str = ""
    profile: str = ""
    contract: str = ""
    calibration: str = ""
    tokenizer: str = ""
    embedding_model: str = ""


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How many were left out for one reason."""

    reason: str
    count: int
