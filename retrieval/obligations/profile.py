"""An attention profile: a named, versioned list of what is owed to a class of questions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.obligations.obligation import Obligation
from workingset.obligation import ObligationKind

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class AttentionProfile:
    """Obligations by kind, each kind once, in order.

    `opposing_places` of every ten places of the order go to the opposing lane where an obligation asks for it.
    `fresh_seconds` is how long a verification counts as current; 0 sets no limit.
    """

    name: str
    version: int
    summary: str
    obligations: tuple[Obligation, ...]
    opposing_places: int = 0
    fresh_seconds: int = 0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"profile.name: {self.name!r} needs lower-case letters, digits and _, a letter first")
        kinds = [one.kind for one in self.obligations]
        if len(set(kinds)) < len(kinds):
            raise ValueError(f"profile {self.name}: an obligation is listed twice")
        if not 0 <= self.opposing_places <= 5:
            raise ValueError(f"profile {self.name}.opposing_places: give 0 to 5 of ten")

    @property
    def label(self) -> str:
        """Name and version, as receipts show them."""
        return f"{self.name}-{self.version}"

    def owes(self, kind: ObligationKind) -> Obligation | None:
        """The obligation of one kind, None where it is not owed."""
        return next((one for one in self.obligations if one.kind is kind), None)

    @property
    def lanes(self) -> tuple[str, ...]:
        """Lanes that the obligations ask for, each once."""
        return tuple(dict.fromkeys(lane for one in self.obligations for lane in one.lanes))
