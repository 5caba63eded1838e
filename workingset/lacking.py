"""Units that lack records which they need, in groups that lack the same.

A group is found by one of its records alone, the one that fewest units need. So what lacks nothing but given records is
found without a walk over all groups, even where all of them lack one record in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workingset.vocabulary import Ref

Records = frozenset[Ref]
NOTHING: Records = frozenset()


class Lacking:
    """The units that lack records, by what they lack; `users` are the units that need a record, by record.

    `rarity` has each record's place among them, that of the fewest users first.
    Changed in place; lives within one call of `pack`. A copy costs no more than copying its dictionaries.
    """

    def __init__(self, users: Mapping[Ref, Sequence[Ref]], rarity: Mapping[Ref, int]) -> None:
        self._users = users
        self._rarity = rarity
        self._lacks: dict[Ref, Records] = {}
        self._groups: dict[Records, tuple[Ref, ...]] = {}
        # Groups that are no more stay here: they may be again, and are few.
        self._found_by: dict[Ref, tuple[Records, ...]] = {}

    def copy(self) -> Lacking:
        """Return the same units, to be changed by themselves."""
        other = Lacking(self._users, self._rarity)
        other._lacks = self._lacks.copy()
        other._groups = self._groups.copy()
        other._found_by = self._found_by.copy()
        return other

    def groups(self) -> Mapping[Records, Sequence[Ref]]:
        """Return the units by what they lack."""
        return self._groups

    def add(self, refs: tuple[Ref, ...], missing: Records) -> None:
        """Take down that units lack records."""
        for ref in refs:
            self._lacks[ref] = missing
        if missing in self._groups:
            self._groups[missing] += refs
        else:
            self._groups[missing] = refs
            rarest = min(missing, key=self._rarity.__getitem__)
            found = self._found_by.get(rarest, ())
            if missing not in found:
                self._found_by[rarest] = (*found, missing)

    def served_by(self, missing: Records) -> list[Ref]:
        """Return the units, in order, that lack nothing but some of the records, and are none of them."""
        found_by = self._found_by
        groups, found_by = self._groups, self._found_by
        lesser = [lacked for ref in missing if ref in found_by for lacked in found_by[ref] if lacked < missing]
        served = groups[missing]
        for lacked in lesser:
            served += groups.get(lacked, ())
        return sorted([ref for ref in served if ref not in missing])

    def enter(self, records: Records) -> tuple[list[Ref], list[Records]]:
        """Take down that records are there: return the units that lack nothing now, and the groups that grew."""
        for ref in records:
            self._leave(ref)
        lacks = self._lacks
        touched = {lacks[ref]: None for record in records for ref in self._users[record] if ref in lacks}
        free: list[Ref] = []
        grown: dict[Records, None] = {}
        for lacked in touched:
            refs = self._drop(lacked)
            if left := lacked - records:
                self.add(refs, left)
                grown[left] = None
            else:
                free += refs
        return free, list(grown)

    def _leave(self, ref: Ref) -> None:
        """Take out a unit that is there as a need of others."""
        lacked = self._lacks.get(ref)
        if lacked is not None and (others := tuple(other for other in self._drop(lacked) if other != ref)):
            self.add(others, lacked)

    def _drop(self, lacked: Records) -> tuple[Ref, ...]:
        refs = self._groups.pop(lacked)
        for ref in refs:
            del self._lacks[ref]
        return refs
