"""The token ledger of one Focus, and over-budget as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workingset.entry import Entry
from workingset.tier import Tier
from workingset.vocabulary import Ref, Tokens


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the rendered block costs, by tier. The tiers' counts are of segments one by one; `used` is of the whole."""

    ceiling: Tokens
    used: Tokens = Tokens(0)
    pinned: Tokens = Tokens(0)
    mandatory: Tokens = Tokens(0)
    resident: Tokens = Tokens(0)
    frontier: Tokens = Tokens(0)


@dataclass(frozen=True, slots=True)
class Offender:
    """An entry that cannot be left out, with its size."""

    ref: Ref
    tier: Tier
    tokens: Tokens
    title: str = ""


@dataclass(frozen=True, slots=True)
class OverBudget:
    """What cannot be left out needs more than the ceiling. An answer, not an error."""

    needed: Tokens
    offenders: tuple[Offender, ...]


def ledger(ceiling: Tokens, used: Tokens, entries: Sequence[Entry]) -> Ledger:
    """Return the ledger of a block of `used` tokens that renders the entries."""

    def of(tier: Tier) -> Tokens:
        return Tokens(sum(entry.tokens for entry in entries if entry.tier is tier))

    return Ledger(ceiling, used, of(Tier.PINNED), of(Tier.MANDATORY), of(Tier.RESIDENT), of(Tier.FRONTIER_ONLY))


def over_budget(needed: Tokens, entries: Sequence[Entry]) -> OverBudget:
    """Name every entry that cannot be left out, largest first."""
    ordered = sorted(entries, key=lambda entry: (-entry.tokens, entry.ref))
    return OverBudget(needed, tuple(Offender(e.ref, e.tier, e.tokens, e.title) for e in ordered))
