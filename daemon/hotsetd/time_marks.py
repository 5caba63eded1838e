"""Which generation a namespace had when: a short list of (seconds, generation), written while the daemon runs.

A mark says that at that time the namespace had come to that generation, so that cuts below it are at least as old. What
happened between two marks counts as younger than it is, by at most the time between them.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from retrieval.errors import StoreCorrupt
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Generation, Namespace

Mark = tuple[int, int]
"""Seconds since 1970, generation."""
_NAME = "times"
_decode = msgspec.msgpack.Decoder(list[Mark]).decode


def marks_of(txn: Snapshot, namespace: Namespace) -> list[Mark]:
    """The namespace's marks, in the order they were written; raises StoreCorrupt."""
    stored = txn.mark(_NAME, namespace)
    try:
        return [] if stored is None else _decode(stored)
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"the times of {namespace!r} do not decode: {error}") from error


def moved(txn: Snapshot) -> list[Namespace]:
    """The namespaces that have moved on since their last mark."""
    found: list[Namespace] = []
    for namespace in txn.namespaces():
        marks = marks_of(txn, namespace)
        if not marks or marks[-1][1] != txn.generation(namespace):
            found.append(namespace)
    return found


def note(txn: WriteTransaction, namespaces: Sequence[Namespace], now_seconds: int, keep: int) -> None:
    """Write how far the namespaces are now, and forget what was collected; of more than `keep` the older half is
    thinned to every other, so that old times are told apart less finely than young ones."""
    for namespace in namespaces:
        horizon, generation = txn.horizon(namespace), int(txn.generation(namespace))
        marks = [mark for mark in marks_of(txn, namespace) if mark[1] >= horizon and mark[0] != now_seconds]
        marks.append((now_seconds, generation))
        if len(marks) > keep:
            half = len(marks) // 2
            marks = [*marks[:half:2], *marks[half:]]
        txn.put_mark(_NAME, msgspec.msgpack.encode(marks), namespace)


def generation_at(txn: Snapshot, namespace: Namespace, seconds: int) -> Generation:
    """A generation that the namespace had surely reached at the time; 0 where nothing is known of so long ago."""
    return Generation(max((generation for at, generation in marks_of(txn, namespace) if at <= seconds), default=0))
