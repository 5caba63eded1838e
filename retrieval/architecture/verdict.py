"""How a file stands to the manifest of its tree, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique


@unique
class Verdict(Enum):
    """EROSION breaks a rule; BEDROCK is under rules and breaks none; OVERGROWTH lies outside of every rule of a tree
    that has layers; UNPROVEN cannot be told: what it imports is not known, or no rule speaks of it."""

    EROSION = "erosion"
    BEDROCK = "bedrock"
    OVERGROWTH = "overgrowth"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of one file, and the rules it breaks in words."""

    verdict: Verdict
    because: tuple[str, ...] = ()
