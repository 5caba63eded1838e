"""A file that a tool call used, as it was named there."""

from __future__ import annotations

from dataclasses import dataclass

from workingset.transitions.touch import Action
from workingset.vocabulary import Lines


@dataclass(frozen=True, slots=True)
class PathUse:
    """A path, what was done with it, and which part of it is meant; see `workingset.observation.seen.Found`."""

    path: str
    action: Action
    lines: tuple[Lines, ...] = ()
    quotes: tuple[tuple[str, ...], ...] = ()
    tail_lines: int = 0

    @property
    def is_whole(self) -> bool:
        """True where no part of the file is named."""
        return not (self.lines or self.quotes or self.tail_lines)
