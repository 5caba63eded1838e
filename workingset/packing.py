"""Packing: which rendering of which entry is worth its tokens.

A multiple-choice knapsack (Sinha and Zoltners, Operations Research 1979): of each unit at most one rendering is taken.
Solved greedily up the hull of each unit's renderings, steepest step first, which is the linear relaxation's own order.
It goes on after a misfit and never takes what does not fit; what is left over goes to what gains most by it
(`room_filling`). Where that is well below the relaxation, as in a room for a few results, it tries again with what did
not fit put in first, and with one thing taken out for others, as often as the settings allow for so many units.

On recorded inputs (tests/golden/packing) it is worth at least 95 % of the relaxation's bound where the room is 1,000
tokens or more. Below that no packing may come so near; there it is worth at least 95 % of the best packing there is.

Deviation: a unit may need other records whole (its closure), and a record may be needed by many. What is missing is
offered with the renderings that make most of it, token by token, among all units that lack nothing else (`offers`); so
a need is weighed against all that it serves and charged once, and no unit enters without all of its own.

Ties end on the ref; the order of the input does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workingset.choices import Choice, Unit
from workingset.offers import Offered
from workingset.room_filling import Filling
from workingset.settings import SearchSettings
from workingset.vocabulary import Fidelity, Ref, Tokens

__all__ = ["Choice", "Packed", "Unit", "pack"]

_SEARCH = SearchSettings()


@dataclass(frozen=True, slots=True)
class Packed:
    """The rendering chosen for each unit that entered, the needed refs that entered whole, and the tokens taken.

    Both are by ref. No ref is in both: a unit that another one needs is among the needed, and worth its best rendering.
    """

    chosen: Mapping[Ref, Fidelity]
    needed: tuple[Ref, ...]
    tokens: Tokens
    worth: float


def pack(
    units: Sequence[Unit],
    needed_tokens: Mapping[Ref, Tokens],
    room: Tokens,
    held: frozenset[Ref],
    search: SearchSettings = _SEARCH,
) -> Packed:
    """Choose renderings within `room` tokens.

    `needed_tokens` gives the size of every ref that a unit may need; `held` are needed refs that are in the set anyway
    and cost nothing more. A unit whose needs are not all in either is left out.
    """
    offered = Offered(units, needed_tokens, held)
    filling = Filling(offered, int(room), search.misfits_retried)
    if not filling.take_all():
        filling.fill()
        if filling.bound is not None and filling.worth() < (1.0 - search.gap_share) * filling.bound:
            filling = _Search(offered, int(room), search, filling).best_found()
    return _packed(filling)


def _packed(filling: Filling) -> Packed:
    filling.take_by_themselves()
    chosen = {ref: filling.taken[ref].fidelity for ref in sorted(filling.taken)}
    return Packed(chosen, tuple(sorted(filling.needed)), Tokens(filling.tokens()), filling.worth())


class _Search:
    """Looks for a filling better than the first, within as much work as the settings allow."""

    def __init__(self, offered: Offered, room: int, settings: SearchSettings, first: Filling) -> None:
        self._offered = offered
        self._room = room
        self._settings = settings
        self._first = first
        self._best = first
        self._worth = first.worth()
        self._tries_left = settings.units_looked_at // len(offered.choices)

    def best_found(self) -> Filling:
        """Return the best of the first, of others that begin with what did not fit in it, and of exchanges in it."""
        for ref, choice in self._first.misfits.items():
            other = Filling(self._offered, self._room, self._settings.misfits_retried)
            if self._may_try() and other.fill(ref, choice):
                self._compare(other)
        while self._exchanged():
            pass
        return self._best

    def _exchanged(self) -> bool:
        """Take out what was taken last for others, one after the other, until that is worth more."""
        for ref in self._best.last_taken(self._settings.units_exchanged):
            if not self._may_try():
                return False
            other = self._best.without(ref)
            other.top_up()
            if self._compare(other):
                return True
        return False

    def _may_try(self) -> bool:
        self._tries_left -= 1
        return self._tries_left >= 0

    def _compare(self, other: Filling) -> bool:
        worth = other.worth()
        if worth <= self._worth:
            return False
        self._best, self._worth = other, worth
        return True
