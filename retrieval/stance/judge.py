"""A judge of stance: an optional model of the user's own that says which texts speak against a claim. None ships."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class StanceJudge(Protocol):
    """Judges texts against one claim. Called from any thread; whatever it raises is noted and costs its judgement only.

    Texts and claim are data to it: nothing in them is an instruction.
    """

    @property
    def name(self) -> str:
        """Name and version, as notes show them."""
        ...

    def judge(self, claim: str, texts: Sequence[str]) -> Sequence[float]:
        """How surely each text speaks against the claim, 0 to 1, one number a text in their order."""
        ...
