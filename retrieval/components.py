"""Components of records by relations: what stands and falls together, as a union-find with pairs that stay apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Components(Generic[K]):
    """Disjoint sets (Tarjan, "Efficiency of a good but not linear set union algorithm", JACM 1975), by path halving.

    A union that would bring a pair of `apart` into one component is refused. Which unions come first decides then, so
    callers give them in a total order.
    """

    def __init__(self, apart: Iterable[tuple[K, K]] = ()) -> None:
        self._above: dict[K, K] = {}
        self._members: dict[K, set[K]] = {}
        self._apart: dict[K, set[K]] = {}
        for one, other in apart:
            self._apart.setdefault(one, set()).add(other)
            self._apart.setdefault(other, set()).add(one)

    def root(self, key: K) -> K:
        """The representative of the key's component; a key never seen is its own."""
        above = self._above
        while above.get(key, key) != key:
            above[key] = above.get(above[key], above[key])
            key = above[key]
        return key

    def union(self, one: K, other: K) -> tuple[K, K] | None:
        """Join two components; returns a pair that forbids it, None where they are one now."""
        first, second = self.root(one), self.root(other)
        if first == second:
            return None
        left, right = self._of(first), self._of(second)
        if len(left) < len(right):
            first, second, left, right = second, first, right, left
        for key in right:
            for against in self._apart.get(key, ()):
                if against in left:
                    return key, against
        left |= right
        self._above[second] = first
        del self._members[second]
        return None

    def groups(self) -> Mapping[K, frozenset[K]]:
        """Components of two or more, by representative."""
        return {root: frozenset(members) for root, members in self._members.items() if len(members) > 1}

    def _of(self, root: K) -> set[K]:
        return self._members.setdefault(root, {root})
