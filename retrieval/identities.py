"""Identity: which records are one thing by `same_as`, and which a `different_from` keeps apart.

A mapping is only as good as its edge: withdrawn, the next projection has two things again. Likeness never merges; pairs
so alike that they may be one are proposed, for whoever may add the relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.components import Components
from retrieval.live_relations import live_relations
from retrieval.relations import Role
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Ref

SAME_AS = "same_as"
DIFFERENT_FROM = "different_from"
_IDENTITY = frozenset({Role.IDENTITY})


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """Bounds of looking for identity."""

    edge_visits: int = 1_024
    """Guess: five for each record of the largest window."""
    edges_per_record: int = 32
    """Guess: what is the same as more is a class, not a thing."""


@dataclass(frozen=True, slots=True)
class Identities:
    """Things of several records, and pairs that are not one thing, by ref.

    `groups` have their refs sorted and are sorted themselves; members that were not asked for are left out. `apart` are
    pairs, sorted, that a relation keeps apart; `contested` those of them that `same_as` would have joined. `bounded`
    says that not all relations were read.
    """

    groups: tuple[tuple[Ref, ...], ...] = ()
    apart: frozenset[tuple[Ref, Ref]] = frozenset()
    contested: tuple[tuple[Ref, Ref], ...] = ()
    bounded: bool = False
    by_ref: Mapping[Ref, int] = field(default_factory=dict[Ref, int])
    """The place of the group of each member."""

    def same(self, one: Ref, other: Ref) -> bool:
        """True where relations make them one thing."""
        group = self.by_ref.get(one)
        return group is not None and group == self.by_ref.get(other)

    def differ(self, one: Ref, other: Ref) -> bool:
        """True where a relation keeps them apart."""
        return _pair(one, other) in self.apart


def identities_of(txn: Snapshot, refs: Iterable[Ref], settings: IdentitySettings) -> Identities:
    """Read the relations of the refs and of what `same_as` leads to, within bounds; equal stores give equal answers."""
    if Role.IDENTITY not in live_relations(txn).values():
        return Identities()
    asked = sorted(set(refs))
    same, apart, bounded = _read(txn, asked, settings)
    components = Components[Ref](sorted(apart))
    contested: set[tuple[Ref, Ref]] = set()
    for one, other in sorted(same):
        forbidden = components.union(one, other)
        if forbidden is not None:
            contested.add(_pair(*forbidden))
    wanted = frozenset(asked)
    members = (tuple(sorted(wanted & group)) for group in components.groups().values())
    groups = tuple(sorted(group for group in members if len(group) > 1))
    by_ref = {ref: at for at, group in enumerate(groups) for ref in group}
    return Identities(groups, frozenset(apart), tuple(sorted(contested)), bounded, by_ref)


def _read(
    txn: Snapshot, asked: Sequence[Ref], settings: IdentitySettings
) -> tuple[set[tuple[Ref, Ref]], set[tuple[Ref, Ref]], bool]:
    """Pairs that are the same, pairs that differ, and whether a bound was met; a user's relation of the role merges."""
    same: set[tuple[Ref, Ref]] = set()
    apart: set[tuple[Ref, Ref]] = set()
    seen, waiting = set(asked), list(asked)
    left, bounded = settings.edge_visits, False
    for ref in waiting:
        if left <= 0:
            bounded = True
            break
        limit = min(settings.edges_per_record, left)
        out = txn.edges_from(ref, roles=_IDENTITY, limit=limit + 1)
        into = txn.edges_to(ref, roles=_IDENTITY, limit=limit + 1)
        bounded |= len(out) > limit or len(into) > limit
        for stored in (*out[:limit], *into[:limit]):
            left -= 1
            edge = stored.edge
            pairs = apart if edge.relation == DIFFERENT_FROM else same
            pairs.add(_pair(edge.source, edge.target))
            other = edge.target if edge.source == ref else edge.source
            if pairs is same and other not in seen:
                seen.add(other)
                waiting.append(other)
    return same, apart, bounded


def _pair(one: Ref, other: Ref) -> tuple[Ref, Ref]:
    return (one, other) if one <= other else (other, one)
