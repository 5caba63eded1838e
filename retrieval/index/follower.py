"""The follower of the change log: what the daemon's jobs call so that the indexes keep up with the store.

It owns no thread. One worker may call `advance_lexical` and another `advance_vectors`, over and over, beside searches,
`embed_now` and `states` from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.errors import BadField, Conflict, CutExpired, IndexUnavailable, StoreUnavailable
from retrieval.index.lexical import LexicalIndex
from retrieval.index.lexical_follower import LexicalFollower
from retrieval.index.progress import LEXICAL, VECTOR, Advanced, FollowerSettings, IndexState
from retrieval.index.sensor import Embedder
from retrieval.index.unstored import Unstored, UnstoredVectors
from retrieval.index.vector import VectorIndex, decoded_vector, encoded_vector
from retrieval.index.vector_follower import VectorFollower
from retrieval.record import Record
from retrieval.store.interface import Snapshot, Store, Traces
from retrieval.text.embedding import embeddable, embedding_digest, embedding_text
from workingset.vocabulary import Digest, Generation, Namespace, Ref, TenantId

__all__ = ["Advanced", "EmbeddedNow", "FollowerSettings", "IndexFollower", "IndexState"]


@dataclass(frozen=True, slots=True)
class EmbeddedNow:
    """Unit vectors of records, in the order asked; None beyond the limit. `computed` texts were embedded for them."""

    vectors: tuple[tuple[float, ...] | None, ...]
    computed: int

    @property
    def missing(self) -> int:
        """How many have no vector."""
        return self.vectors.count(None)


class IndexFollower:
    """Both indexes over one store. Implements `retrieval.index.sensor.IndexProgress`."""

    def __init__(
        self,
        store: Store,
        lexical: LexicalIndex,
        vector: VectorIndex,
        embedder: Embedder,
        settings: FollowerSettings | None = None,
    ) -> None:
        """Read the marks and load saved vectors; raises IndexUnavailable, StoreUnavailable."""
        if vector.model != embedder.fingerprint:
            raise BadField("vector", f"the index is of {vector.model}, the embedder is {embedder.fingerprint}")
        self._store: Final = store
        self._lexical_index: Final = lexical
        self._vector_index: Final = vector
        self._embedder: Final = embedder
        settings = settings or FollowerSettings()
        self._unstored: Final = UnstoredVectors(settings.unstored_vectors)
        self._lexical: Final = LexicalFollower(store, lexical, settings)
        self._vectors: Final = VectorFollower(store, vector, embedder, self._unstored, settings)
        self._moved: Final = threading.Condition()
        self._failures: dict[str, str] = {}

    def advance_lexical(self, max_changes: int) -> Advanced:
        """Take in at most so many changes and commit; never raises what `Advanced.failed` can say."""
        return self._step(LEXICAL, lambda: self._lexical.advance(max_changes))

    def advance_vectors(self, max_texts: int) -> Advanced:
        """Look for vectors there are, embed at most so many texts; never raises what `Advanced.failed` can say."""
        return self._step(VECTOR, lambda: self._vectors.advance(max_texts))

    def drop_purged(self) -> str:
        """Let both indexes lose what was purged, now; returns why one could not, or "": then `advance_…` will.

        Waits for the steps that are under way.
        """
        failures: list[str] = []
        for drop in (self._lexical.drop_purged, self._vectors.drop_purged):
            try:
                drop()
            except (IndexUnavailable, StoreUnavailable, Conflict) as failure:
                failures.append(str(failure))
        return "; ".join(failures)

    def traces_of_namespace(self, tenant: TenantId, namespace: Namespace) -> Traces:
        """What the indexes hold of the namespace, as `Snapshot.traces_of_namespace` says it of the store.

        Terms of removed documents stay in the lexical index's files until tantivy merges them; no search finds them.
        Raises IndexUnavailable.
        """
        return Traces(
            (
                ("lexical documents", self._lexical_index.documents_in(tenant, namespace)),
                ("vectors", self._vector_index.count(tenant, namespace)),
                ("vector files", int(self._vector_index.saved(tenant, namespace))),
            )
        )

    def prefer(self, tenant: TenantId, record_ids: Iterable[int]) -> None:
        """Embed these before all others, where they have no vector yet; the latest call's come first."""
        self._vectors.prefer(tenant, record_ids)

    def hold(self, tenant: TenantId, owner: str, refs: Sequence[Ref]) -> None:
        """The owner's working set holds these now, what matters most first: embed what lies near them before the rest.

        Takes no time: looked into by the next `advance_vectors`.
        """
        self._vectors.hold(tenant, owner, refs)

    def embed_now(
        self,
        tenant: TenantId,
        records: Sequence[Record],
        limit: int | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> EmbeddedNow:
        """Vectors of the records, those missing embedded on the spot: at most `limit`, until `cancelled()`.

        What was computed is remembered and stored by the next `advance_vectors`. Blocks, some 30 ms a text. Raises
        IndexUnavailable. Never call it inside a write.
        """
        texts = [embedding_text(record) for record in records]
        digests = [embedding_digest(text) for text in texts]
        known, owners = self._known(tenant, records, digests)
        computed = 0
        for text, digest in zip(texts, digests, strict=True):
            if digest in known or (limit is not None and computed >= limit) or cancelled():
                continue
            vector = encoded_vector(self._embedder.embed([text])[0])
            owner = owners[digest]
            if owner is not None:
                self._unstored.add(Unstored(tenant, digest, vector, owner))
            known[digest] = vector
            computed += 1
        vectors = {digest: tuple(decoded_vector(vector).tolist()) for digest, vector in known.items()}
        return EmbeddedNow(tuple(vectors.get(digest) for digest in digests), computed)

    def generation(self, index: str, tenant: TenantId, namespace: Namespace) -> Generation:
        """The newest generation whose changes the index (`lexical` or `vector`) has taken in completely."""
        return self._following(index).generation(tenant, namespace)

    def note(self, index: str, tenant: TenantId, namespace: Namespace) -> str:
        """What a lane should say of the index beside how far it is: why it was rebuilt, how many vectors it refused."""
        if index == LEXICAL:
            return self._lexical_index.note
        return self._vectors.note(tenant, namespace)

    def states(self, txn: Snapshot, namespace: Namespace) -> tuple[IndexState, ...]:
        """How both indexes stand to the namespace as the snapshot sees it."""
        counts = txn.counts(namespace)
        vectors = self._vector_state(txn, namespace, embeddable(counts.kinds))
        return self._lexical_state(txn, namespace, counts.records), vectors

    def caught_up(self, tenant: TenantId, namespace: Namespace, index: str = LEXICAL) -> bool:
        """True where the index has taken in the namespace's newest generation."""
        with self._store.snapshot(tenant) as txn:
            return self.generation(index, tenant, namespace) >= txn.generation(namespace)

    def wait_until(
        self,
        tenant: TenantId,
        namespace: Namespace,
        generation: Generation,
        timeout_seconds: float,
        index: str = LEXICAL,
    ) -> bool:
        """Block until the index has taken in the generation; False where the time ran out first.

        Something else must call the `advance_…` of the index meanwhile.
        """
        with self._moved:
            return self._moved.wait_for(
                lambda: self.generation(index, tenant, namespace) >= generation, max(0.0, timeout_seconds)
            )

    def save(self) -> None:
        """Write what can be lost to files; raises IndexUnavailable, StoreUnavailable."""
        self._vectors.save()

    def close(self) -> None:
        """Save and let go of the indexes; the store stays open. Raises IndexUnavailable, StoreUnavailable."""
        try:
            self._vectors.save()
        finally:
            self._lexical_index.close()

    def _step(self, index: str, step: Callable[[], Advanced]) -> Advanced:
        try:
            advanced = step()
        except (IndexUnavailable, StoreUnavailable, Conflict) as failure:
            advanced = Advanced(failed=str(failure))
        with self._moved:
            self._failures[index] = advanced.failed
            self._moved.notify_all()
        return advanced

    def _known(
        self, tenant: TenantId, records: Sequence[Record], digests: Sequence[Digest]
    ) -> tuple[dict[Digest, bytes], dict[Digest, int | None]]:
        """The vectors that there are, and for each other digest the id of a record with it, None where none is left."""
        with self._store.snapshot(tenant) as txn:
            stored = txn.vectors(self._embedder.fingerprint, digests)
            owners = {
                digest: _owner(txn, record)
                for digest, record, vector in zip(digests, records, stored, strict=True)
                if vector is None
            }
        known = {digest: vector for digest, vector in zip(digests, stored, strict=True) if vector is not None}
        for digest in digests:
            waiting = None if digest in known else self._unstored.get(tenant, digest)
            if waiting is not None:
                known[digest] = waiting
        return known, owners

    def _following(self, index: str) -> LexicalFollower | VectorFollower:
        if index not in (LEXICAL, VECTOR):
            raise BadField("index", f"no index {index!r}: use {LEXICAL} or {VECTOR}")
        return self._lexical if index == LEXICAL else self._vectors

    def _lexical_state(self, txn: Snapshot, namespace: Namespace, records: int) -> IndexState:
        generation = self._lexical.generation(txn.tenant, namespace)
        lag = self._lexical.lag(txn, namespace)
        notes = [self._lexical_index.note, self._failures.get(LEXICAL, "")]
        try:
            held = self._lexical_index.documents_in(txn.tenant, namespace)
            held = held if self._lexical.follows(txn, namespace) else 0
        except IndexUnavailable as failure:
            held = 0
            notes.append(str(failure))
        return IndexState(LEXICAL, generation, lag, _share(held, records, lag), _joined(notes))

    def _vector_state(self, txn: Snapshot, namespace: Namespace, records: int) -> IndexState:
        generation = self._vectors.generation(txn.tenant, namespace)
        lag = self._vectors.lag(txn, namespace)
        held = self._vector_index.count(txn.tenant, namespace) if self._vectors.follows(txn, namespace) else 0
        filling = f"{held} of {records} records embedded" if held < records else ""
        notes = [self._vectors.note(txn.tenant, namespace), filling, self._failures.get(VECTOR, "")]
        return IndexState(VECTOR, generation, lag, _share(held, records, lag), _joined(notes))


def _owner(txn: Snapshot, record: Record) -> int | None:
    """The id of the record, or None where it was purged since it was read, even if its ref was taken again."""
    try:
        found = txn.record(record.ref, record.generation or None)
    except CutExpired:  # read before that history was collected; the namespace is still there, or its horizon were not
        found = txn.record(record.ref)
    return None if found is None else txn.record_id(record.ref)


def _share(held: int, records: int, lag: int) -> float:
    """The share of live records that the index holds; below 1 while changes are missing that could matter."""
    if records == 0:
        return 1.0
    known = min(held, records)
    return min(1.0, known / records) if lag == 0 else max(0.0, min(known, records - 1) / records)


def _joined(notes: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(note for note in notes if note))
