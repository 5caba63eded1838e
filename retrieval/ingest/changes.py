"""What single transactions and passes changed, as numbers that add up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Written:
    """What a transaction changed. `unchanged` counts files that were sent again as they are.

    `reasons` counts what was taken out or cut, in the order of reasons.
    """

    records_written: int = 0
    records_removed: int = 0
    files_removed: int = 0
    edges_written: int = 0
    unchanged: int = 0
    reasons: tuple[tuple[str, int], ...] = ()

    def plus(self, other: Written) -> Written:
        """Both together."""
        return Written(
            self.records_written + other.records_written,
            self.records_removed + other.records_removed,
            self.files_removed + other.files_removed,
            self.edges_written + other.edges_written,
            self.unchanged + other.unchanged,
            tuple(sorted((Counter(dict(self.reasons)) + Counter(dict(other.reasons))).items())),
        )


@dataclass(frozen=True, slots=True)
class Linked:
    """What a link pass did. `targets_gone` counts edges whose end was removed meanwhile; the next pass sees to them."""

    files: int = 0
    edges_written: int = 0
    edges_removed: int = 0
    targets_gone: int = 0

    def plus(self, other: Linked) -> Linked:
        """Both together."""
        return Linked(
            self.files + other.files,
            self.edges_written + other.edges_written,
            self.edges_removed + other.edges_removed,
            self.targets_gone + other.targets_gone,
        )
