"""What the lanes may ask of the indexes. A hit is a hint: it counts only once the store has shown the record.

Implementations: `retrieval.index.lexical` (tantivy) and `retrieval.index.vector` (USearch). Both are filled by
`retrieval.index.follower`, which reads the store's change log; both may be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from workingset.vocabulary import Generation, Namespace, TenantId


class Hit(NamedTuple):
    """A record id and the sensor's own score for it: BM25 for the lexical index, cosine for the vector index.

    Hits of equal `file` are parts of one file; 0 where the sensor does not tell.
    """

    record_id: int
    score: float
    file: int = 0


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """One analysed query term (see `retrieval.text.tokens`) and how much it weighs."""

    term: str
    weight: float


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """What BM25 of each field counts; a field of weight 0 is not searched."""

    title: float = 0.0
    path: float = 0.0
    body: float = 0.0
    beside: float = 0.0


@dataclass(frozen=True, slots=True)
class Sieve:
    """Which documents a search may answer with: of `kinds` where any are named, none of `not_kinds`."""

    kinds: tuple[str, ...] = ()
    not_kinds: tuple[str, ...] = ()


ALL_KINDS = Sieve()


class LexicalSearch(Protocol):
    """BM25 over identifier-aware tokens, with weighted fields."""

    def search(
        self,
        tenant: TenantId,
        namespaces: Sequence[Namespace],
        terms: Sequence[WeightedTerm],
        limit: int,
        *,
        fields: FieldWeights | None = None,
        sieve: Sieve = ALL_KINDS,
    ) -> list[Hit]:
        """The best hits, score falling, then record id; raises IndexUnavailable.

        `fields` replaces the weights of the index's own settings.
        """
        ...

    def document_frequency(self, tenant: TenantId, namespaces: Sequence[Namespace], term: str) -> int:
        """How many live documents of the whole index hold the term (an upper bound for the namespaces)."""
        ...

    def documents(self) -> int:
        """How many documents the whole index holds."""
        ...


@dataclass(frozen=True, slots=True)
class VectorAnswer:
    """The nearest hits, cosine falling, then record id; `exhaustive` says that every vector was compared."""

    hits: tuple[Hit, ...]
    exhaustive: bool


class VectorSearch(Protocol):
    """Cosine over unit vectors of one model."""

    def answer(self, tenant: TenantId, namespace: Namespace, vector: Sequence[float], limit: int) -> VectorAnswer:
        """The nearest hits, and whether all vectors were compared for them; raises IndexUnavailable."""
        ...

    def search(self, tenant: TenantId, namespace: Namespace, vector: Sequence[float], limit: int) -> list[Hit]:
        """The nearest hits, cosine falling, then record id; raises IndexUnavailable."""
        ...

    def count(self, tenant: TenantId, namespace: Namespace) -> int:
        """How many records of the namespace have a vector in the index."""
        ...


class IndexProgress(Protocol):
    """How far an index has come behind the store."""

    def generation(self, index: str, tenant: TenantId, namespace: Namespace) -> Generation:
        """The newest generation whose changes the index (`lexical` or `vector`) has taken in completely."""
        ...

    def note(self, index: str, tenant: TenantId, namespace: Namespace) -> str:
        """What an answer should say of the index: that it was rebuilt, and why, or ""."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors. One model; counts its own calls nowhere: the caller does."""

    @property
    def fingerprint(self) -> str:
        """Names model, file digest, dimension and normalisation; vectors of two fingerprints are never compared."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Unit vectors, one a text, in order; raises IndexUnavailable where the model cannot be loaded."""
        ...
