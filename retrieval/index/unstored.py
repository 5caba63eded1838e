"""Vectors made on demand that wait to be stored: readers make them, the follower's step stores them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workingset.vocabulary import Digest, TenantId


@dataclass(frozen=True, slots=True)
class Unstored:
    """One canonical vector of a tenant, keyed by the digest of the text it embeds; `record_id` is of one with it."""

    tenant: TenantId
    digest: Digest
    vector: bytes
    record_id: int


class UnstoredVectors:
    """A bounded set of them. Safe from any thread."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._lock: Final = threading.Lock()
        self._vectors: dict[tuple[TenantId, Digest], Unstored] = {}

    def __len__(self) -> int:
        with self._lock:
            return len(self._vectors)

    def add(self, vector: Unstored) -> bool:
        """Remember a vector; False where there is no room, and it will have to be made again."""
        with self._lock:
            if len(self._vectors) >= self._most:
                return False
            self._vectors[vector.tenant, vector.digest] = vector
            return True

    def get(self, tenant: TenantId, digest: Digest) -> bytes | None:
        """The vector, or None."""
        with self._lock:
            found = self._vectors.get((tenant, digest))
            return None if found is None else found.vector

    def waiting(self) -> list[Unstored]:
        """All of them, in the order of tenant and digest."""
        with self._lock:
            return [self._vectors[key] for key in sorted(self._vectors)]

    def stored(self, vectors: Sequence[Unstored]) -> None:
        """Forget those that the store has now."""
        with self._lock:
            for vector in vectors:
                self._vectors.pop((vector.tenant, vector.digest), None)
