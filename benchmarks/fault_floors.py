"""The floors and the goal that eviction alone has to reach, and whether it does."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.replaying import DEFAULT, ONLINE
from workingset.vocabulary import Tokens

BELOW_LRU_POINTS = {4_000: 0.5, 8_000: 1.0, 16_000: 1.0, 32_000: 0.4}
"""The project's floor for its second step: how far below LRU the default must be, by budget."""
BELOW_ALL = (4_000, 8_000)
"""As above: the budgets at which the default must be below every online baseline."""
ABOVE_BEST_POINTS = 0.2
"""As above: how far above the best online baseline the default may be at the other budgets."""


def verdicts(faults: Mapping[tuple[str, Tokens], float]) -> list[str]:
    """Return one line for each budget that has a floor: `faults` are in per cent by row and budget.

    A floor is judged against the online baselines that were run; a line says where some were not.
    """
    return [_verdict(faults, Tokens(budget)) for budget in BELOW_LRU_POINTS if (DEFAULT, Tokens(budget)) in faults]


def _verdict(faults: Mapping[tuple[str, Tokens], float], budget: Tokens) -> str:
    own = faults[DEFAULT, budget]
    online = {row: faults[row, budget] for row in ONLINE if (row, budget) in faults}
    if not online:
        return f"{budget:,}: no online baseline was run"
    best = min(online, key=lambda row: (online[row], row))
    checks = [
        (
            f"below {best}, the best baseline, or at most {ABOVE_BEST_POINTS} above",
            own <= online[best] + ABOVE_BEST_POINTS,
        )
    ]
    if budget in BELOW_ALL:
        checks = [(f"below {best}, the best baseline", own < online[best])]
    if "lru" in online:
        needed = BELOW_LRU_POINTS[budget]
        checks.insert(0, (f"{needed} below lru: {own - online['lru']:+.2f}", own <= online["lru"] - needed))
    parts = [f"{'holds' if holds else 'FAILS'} ({what})" for what, holds in checks]
    goal = "reached" if own < online[best] else "missed"
    absent = [row for row in ONLINE if row not in online]
    note = f"; not run: {', '.join(absent)}" if absent else ""
    return (
        f"{budget:,}: default {own:.2f}, {best} {online[best]:.2f}: {'; '.join(parts)}; goal, below all: {goal}{note}"
    )
