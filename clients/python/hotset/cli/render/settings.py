"""Every number that steers what the command line shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How much is shown. What is cut is counted on the screen; `--json` has all of it. All guesses, for 80 columns."""

    items: int = 15
    """Rows of the table of entries."""
    moves: int = 12
    """Rows for each kind of move."""
    omissions: int = 5
    """Rows of the best records left out."""
    ghosts: int = 5
    """Rows of what was evicted last."""
    problems: int = 10
    """Rows of files that were passed over."""
    budget_cells: int = 30
    """Width of the budget bar."""
    heat_cells: int = 5
    """Width of a heat bar."""
    refs: bool = False
    """Show refs, by which other commands name entries, in place of paths."""
