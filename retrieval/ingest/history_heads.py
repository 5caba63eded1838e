"""Which records stand for files since a generation, and up to which generation a tree's past has been tied to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from retrieval.errors import CutExpired, StoreCorrupt
from retrieval.record import Record
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Generation, Namespace, Ref

_SEEN_MARK = "git.history.seen"
_LARGEST_ID = 2**63 - 1
_PAGE = 2_000
"""Guess: changes read at once."""
_decode_seen = msgspec.msgpack.Decoder(dict[str, int]).decode


@dataclass(frozen=True, slots=True)
class ChangedHeads:
    """Paths that a record began to stand for, and live records that no longer stand for the file they stood for.

    `all` is True where that cannot be told: then any file may have another record.
    """

    began: frozenset[str] = frozenset()
    ended: tuple[Ref, ...] = ()
    all: bool = False

    @property
    def any(self) -> bool:
        """Whether there may be any."""
        return bool(self.all or self.began or self.ended)


def changed_heads(snapshot: Snapshot, namespace: Namespace, source: str, since: Generation) -> ChangedHeads:
    """Compare the first records of the source's files with those at a generation."""
    began: set[str] = set()
    ended: set[Ref] = set()
    try:
        for ref in _changed(snapshot, namespace, since) if since else ():
            now = snapshot.record(ref)
            if now is None or now.removed or now.source != source:
                continue
            stood, stands = _stands_for(snapshot.record(ref, since)), _stands_for(now)
            if stood != stands:
                began |= {stands} if stands else set()
                ended |= {ref} if stood else set()
    except CutExpired:
        return ChangedHeads(all=True)
    return ChangedHeads(frozenset(began), tuple(sorted(ended)), all=since == 0)


def _changed(snapshot: Snapshot, namespace: Namespace, since: Generation) -> Iterator[Ref]:
    at = (since, _LARGEST_ID)
    while page := snapshot.changes_page(namespace, at, _PAGE):
        yield from (line.ref for line in page if not line.removed)
        at = (page[-1].generation, page[-1].record_id)


def _stands_for(record: Record | None) -> str:
    if record is None or record.removed or record.lines is None or record.lines.start > 1:
        return ""
    return record.path


def seen_generation(snapshot: Snapshot, namespace: Namespace, source: str) -> Generation:
    """The generation up to which the source's past is tied to records; 0 where it never was."""
    return Generation(_seen(snapshot, namespace).get(source, 0))


def put_seen_generation(txn: WriteTransaction, namespace: Namespace, source: str, generation: Generation) -> None:
    """Say that the source's past is tied to the records of this generation."""
    _put_seen(txn, namespace, {**_seen(txn, namespace), source: int(generation)})


def forget_seen_generation(txn: WriteTransaction, namespace: Namespace, source: str) -> None:
    """Say that the source's past is tied to no records."""
    seen = _seen(txn, namespace)
    if seen.pop(source, None) is not None:
        _put_seen(txn, namespace, seen)


def _put_seen(txn: WriteTransaction, namespace: Namespace, seen: dict[str, int]) -> None:
    txn.put_mark(_SEEN_MARK, msgspec.msgpack.encode(dict(sorted(seen.items()))), namespace)


def _seen(snapshot: Snapshot, namespace: Namespace) -> dict[str, int]:
    mark = snapshot.mark(_SEEN_MARK, namespace)
    try:
        return _decode_seen(mark) if mark else {}
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"the mark {_SEEN_MARK!r} does not decode: {error}") from error
