"""Vectors made on demand that wait to be stored: readers make them, the follower's step stores them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workingset.vocabulary import Digest, TenantId


@dataclass(frozen=True, slots=True)
class Unstored:
    """One canonical vector of a tenant, keyed by the digest of the text it embeds."""

    tenant: TenantId
    digest: Digest
    vector: bytes


class UnstoredVectors:
    """A bounded set of them. Safe from any thread."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._lock: Final = threading.Lock()
        self._vectors: dict[tuple[TenantId, Digest], bytes] = {}

    def __len__(self) -> int:
        with self._lock:
            return len(self._vectors)

    def add(self, tenant: TenantId, digest: Digest, vector: bytes) -> bool:
        """Remember a vector; False where there is no room, and it will have to be made again."""
        with self._lock:
            if len(self._vectors) >= self._most:
                return False
            self._vectors[tenant, digest] = vector
            return True

    def get(self, tenant: TenantId, digest: Digest) -> bytes | None:
        """The vector, or None."""
        with self._lock:
            return self._vectors.get((tenant, digest))

    def waiting(self) -> list[Unstored]:
        """All of them, in the order of tenant and digest."""
        with self._lock:
            return [Unstored(tenant, digest, vector) for (tenant, digest), vector in sorted(self._vectors.items())]

    def stored(self, vectors: Sequence[Unstored]) -> None:
        """Forget those that the store has now."""
        with self._lock:
            for vector in vectors:
                self._vectors.pop((vector.tenant, vector.digest), None)
