"""An obligation: one thing that a projection owes its query, whatever ranking finds."""

from __future__ import annotations

from dataclasses import dataclass

from workingset.obligation import ObligationKind


@dataclass(frozen=True, slots=True)
class Obligation:
    """What is owed, and within which bounds.

    `required` ones that stay open keep an answer from being sufficient. `lanes` are asked for it beside those that
    always run. `results` is how many of the best results it looks at, `work` bounds what it reads for them (edges for
    relations, records for searches). `least` is the smallest number that satisfies it where the kind counts something:
    origins for `independent_origin`. `current_only` is of freshness: evidence that is not known to be current does not
    count.
    """

    kind: ObligationKind
    required: bool = True
    lanes: tuple[str, ...] = ()
    results: int = 20
    work: int = 256
    least: int = 1
    current_only: bool = False

    def __post_init__(self) -> None:
        for name in ("results", "work", "least"):
            if getattr(self, name) < 1:
                raise ValueError(f"obligations.{self.kind.value}.{name}: give 1 or more")
