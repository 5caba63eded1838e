"""How far an index has read the store's change log, and the marks in the store that remember it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from retrieval.store.interface import Snapshot, Store, WriteTransaction
from workingset.vocabulary import Generation, Namespace, TenantId

_ALL_IDS: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """The last line of the change log that was taken in."""

    generation: Generation
    record_id: int

    @classmethod
    def after(cls, generation: Generation) -> Position:
        """Behind the last line of the generation."""
        return cls(generation, _ALL_IDS)

    @property
    def complete(self) -> Generation:
        """The newest generation that was taken in to its last line."""
        return self.generation if self.record_id == _ALL_IDS else Generation(self.generation - 1)

    @property
    def key(self) -> tuple[Generation, int]:
        """What `Snapshot.changes_page` continues from."""
        return self.generation, self.record_id


START: Final = Position.after(Generation(0))


@dataclass(frozen=True, slots=True)
class Reached:
    """How far an index has come with one filling of a namespace; what it holds of another is to be dropped."""

    incarnation: int
    position: Position = START


@dataclass(frozen=True, slots=True)
class Mark:
    """What the store remembers of an index of one namespace.

    `files` names the files that `position` is true of: the lexical index's incarnation, the vector file's digest.
    `sequence` is the lexical index's count of commits. `model` is the embedder's fingerprint.
    """

    files: str
    position: Position
    sequence: int = 0
    model: str = ""

    def encode(self) -> bytes:
        """As JSON."""
        at = self.position
        return json.dumps([self.files, at.generation, at.record_id, self.sequence, self.model]).encode()


def read_mark(txn: Snapshot, index: str, namespace: Namespace) -> Mark | None:
    """The mark of the index of a namespace, or None where there is none."""
    encoded = txn.mark(_name(index), namespace)
    if encoded is None:
        return None
    files, generation, record_id, sequence, model = json.loads(encoded)
    return Mark(files, Position(Generation(generation), record_id), sequence, model)


def put_marks(store: Store, tenant: TenantId, index: str, marks: Mapping[Namespace, tuple[int, Mark]]) -> None:
    """Write marks durably, each where the namespace still has the incarnation beside it; raises StoreUnavailable."""

    def job(txn: WriteTransaction) -> None:
        for namespace, (incarnation, mark) in marks.items():
            if txn.incarnation(namespace) == incarnation:
                txn.put_mark(_name(index), mark.encode(), namespace)

    store.write(tenant, job)


def _name(index: str) -> str:
    return f"index/{index}"
