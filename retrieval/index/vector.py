"""The vector index: the nearest records by cosine, one USearch graph for each namespace of a tenant, under one model.

A sensor over the canonical vectors in the store; it may be deleted at any time. Files are loaded only when their digest
is the one that the store remembers, for USearch neither checks nor protects its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from retrieval.errors import IndexUnavailable
from retrieval.index.files import digest_of, write_whole
from retrieval.index.sensor import Hit, VectorAnswer
from retrieval.index.vector_scope import MAX_RECORD_ID, Floats, VectorScope, VectorSettings
from workingset.vocabulary import Namespace, TenantId

__all__ = ["VectorAnswer", "VectorIndex", "VectorSettings", "decoded_vector", "encoded_vector"]

_UNIT_TOLERANCE: Final = 0.01
"""How far a vector's length may be from 1: f16 rounding moves it by 0.001 at the most."""


class VectorIndex:
    """Unit vectors of one model in a directory. Safe from any thread; loads nothing by itself."""

    def __init__(self, directory: Path, model: str, dimensions: int, settings: VectorSettings | None = None) -> None:
        """`model` is the embedder's fingerprint: vectors of two are never compared."""
        self.model: Final = model
        self.dimensions: Final = dimensions
        self._directory: Final = directory
        self._settings: Final = settings or VectorSettings()
        self._scopes: dict[tuple[TenantId, Namespace], VectorScope] = {}
        self._making: Final = threading.Lock()

    def search(self, tenant: TenantId, namespace: Namespace, vector: Sequence[float], limit: int) -> list[Hit]:
        """The nearest hits, cosine falling, then record id; raises IndexUnavailable."""
        return list(self.answer(tenant, namespace, vector, limit).hits)

    def answer(
        self, tenant: TenantId, namespace: Namespace, vector: Sequence[float], limit: int, *, exact: bool = False
    ) -> VectorAnswer:
        """The nearest hits and whether all vectors were compared: always when `exact`, or when they are few.

        Raises IndexUnavailable, also for a vector of another model's size or one that is no unit vector.
        """
        asked = np.asarray(vector, dtype=np.float32)
        if not self._acceptable(asked):
            raise IndexUnavailable(f"the query is no unit vector of {self.dimensions} dimensions ({self.model})")
        return self._scope(tenant, namespace).search(asked, limit, exact=exact)

    def count(self, tenant: TenantId, namespace: Namespace) -> int:
        """How many records of the namespace have a vector in the index."""
        return len(self._scope(tenant, namespace))

    def holds(self, tenant: TenantId, namespace: Namespace, record_id: int) -> bool:
        """True where the record has a vector in the index."""
        return record_id in self._scope(tenant, namespace)

    def replace(self, tenant: TenantId, namespace: Namespace, vectors: Sequence[tuple[int, bytes]]) -> list[int]:
        """Put each record's canonical vector in place of the one it had; returns the record ids that were refused.

        Refused, and left as they were, are bytes that are no unit vector of the model's dimensions (NaN among them)
        and ids beyond 63 bits. Raises IndexUnavailable.
        """
        decoded = [(record_id, decoded_vector(encoded)) for record_id, encoded in vectors]
        sound = [(i, v) for i, v in decoded if 0 <= i <= MAX_RECORD_ID and self._acceptable(v)]
        self._scope(tenant, namespace).replace(sound)
        accepted = {record_id for record_id, _ in sound}
        return [record_id for record_id, _ in decoded if record_id not in accepted]

    def remove(self, tenant: TenantId, namespace: Namespace, record_ids: Sequence[int]) -> None:
        """Forget the records' vectors; raises IndexUnavailable."""
        self._scope(tenant, namespace).remove(record_ids)

    def drop(self, tenant: TenantId, namespace: Namespace) -> None:
        """Forget all vectors of the namespace and delete its file; raises IndexUnavailable."""
        _delete(self._path(tenant, namespace))
        with self._making:
            self._scopes.pop((tenant, namespace), None)

    def sweep(self, kept: Iterable[tuple[TenantId, Namespace]]) -> None:
        """Delete all files but those of these namespaces under this model; raises IndexUnavailable."""
        names = {self._path(tenant, namespace) for tenant, namespace in kept}
        for path in sorted(self._directory.glob("*.usearch*")):
            if path not in names:
                _delete(path)

    def saved(self, tenant: TenantId, namespace: Namespace) -> bool:
        """True where the namespace has a file."""
        return self._path(tenant, namespace).exists()

    def unsaved(self, tenant: TenantId, namespace: Namespace) -> bool:
        """True where the namespace changed since it was saved or loaded."""
        return self._scope(tenant, namespace).unsaved

    def save(self, tenant: TenantId, namespace: Namespace) -> str:
        """Write the namespace's file whole and return its digest; raises IndexUnavailable."""
        encoded = self._scope(tenant, namespace).encode()
        path = self._path(tenant, namespace)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, encoded)
        except OSError as failure:
            self._scope(tenant, namespace).unsaved = True
            raise IndexUnavailable(f"cannot save {path}: {failure}") from failure
        return digest_of(encoded)

    def load(self, tenant: TenantId, namespace: Namespace, digest: str) -> str:
        """Load the namespace's file where its digest is this one; returns why it was not loaded, or ""."""
        path = self._path(tenant, namespace)
        try:
            encoded = path.read_bytes()
        except FileNotFoundError:
            return "was missing"
        except OSError as failure:
            return f"could not be read ({failure.strerror})"
        if digest_of(encoded) != digest:
            return "was not as it was saved"
        try:
            self._scope(tenant, namespace).decode(encoded)
        except IndexUnavailable as failure:
            return f"could not be loaded ({failure})"
        return ""

    def _scope(self, tenant: TenantId, namespace: Namespace) -> VectorScope:
        with self._making:
            scope = self._scopes.get((tenant, namespace))
            if scope is None:
                scope = self._scopes[tenant, namespace] = VectorScope(self.dimensions, self._settings)
            return scope

    def _path(self, tenant: TenantId, namespace: Namespace) -> Path:
        name = digest_of("\x1f".join((tenant, namespace, self.model)).encode())
        return self._directory / f"{name}.usearch"

    def _acceptable(self, vector: Floats) -> bool:
        return vector.shape == (self.dimensions,) and bool(abs(float(np.linalg.norm(vector)) - 1.0) < _UNIT_TOLERANCE)


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except NotADirectoryError:
        return
    except OSError as failure:
        raise IndexUnavailable(f"cannot delete {path}: {failure.strerror}") from failure


def encoded_vector(vector: Sequence[float]) -> bytes:
    """The canonical form of a vector: little-endian f16."""
    return np.asarray(vector, dtype="<f2").tobytes()


def decoded_vector(encoded: bytes) -> Floats:
    """A canonical vector as f32; empty where the bytes are none."""
    if len(encoded) % 2:
        return np.empty(0, dtype=np.float32)
    return np.frombuffer(encoded, dtype="<f2").astype(np.float32)
