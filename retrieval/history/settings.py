"""The numbers by which a repository's past is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """Which commits count, and how much of it is remembered."""

    recent_files: int = 30
    """Measured (design, recipes, 1.3): a commit of more files says nothing of what is worked on."""
    together_files: int = 15
    """Measured, as above: files of a larger commit did not change because of one another."""
    remembered: int = 64
    """Guess: namespaces whose history is kept worked out; 2,000 commits of sympy take some 2 MB."""
