"""What was passed over in a tree as it stands, by file.

A file that a run looks into is counted anew, one that it does not look into, or finds unchanged, stays counted as it
was: the sum is that of the tree, however often and in whatever parts it is read. What was taken out of files that have
records is kept with them, since such a file is not read again; files that were refused are met again by each whole run.
A process that dies between a file's records and the end of its run leaves its counts out until the file changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import msgspec

from retrieval.ingest.chosen import Chosen
from retrieval.ingest.digests import source_digest
from retrieval.ingest.git_history import HISTORY_UNAVAILABLE
from retrieval.ingest.progress import Summary
from retrieval.store.interface import Snapshot, WriteTransaction
from workingset.vocabulary import Namespace

Counts = tuple[tuple[str, int], ...]
"""How often each reason held, sorted by reason."""

_FORMAT = 1
_MARK = "ingest.passed_over "


class _Kept(msgspec.Struct, array_like=True, frozen=True):
    format: int
    files: dict[str, Counts]


_decode = msgspec.msgpack.Decoder(_Kept).decode


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Counts of one tree: those of each file by its path, and `beside` those that are of no file."""

    files: Mapping[str, Counts] = field(default_factory=dict[str, Counts])
    beside: Counts = ()

    @property
    def counts(self) -> Counts:
        """All of it, by reason."""
        total = Counter(dict(self.beside))
        for counts in self.files.values():
            total.update(dict(counts))
        return tuple(sorted((+total).items()))

    def after(
        self, txn: Snapshot, namespace: Namespace, source: str, summary: Summary, only: Collection[str] | None
    ) -> PassedOver:
        """The counts after a run over the tree, or over `only` a part of it. That there is no history is a state of the
        tree, which is told for the last run alone."""
        chosen = None if only is None else Chosen(only)
        whole = chosen is None or chosen.is_everything
        files = {path: counts for path, counts in summary.by_path.items() if counts}
        for path, counts in self.files.items():
            looked_at = chosen is None or chosen.is_everything or chosen.holds(path)
            if path not in summary.by_path and (not looked_at or _has_records(txn, namespace, source, path)):
                files[path] = counts
        beside = Counter(dict(summary.skipped))
        for counts in summary.by_path.values():
            beside.subtract(dict(counts))
        if not whole:
            # What one part meets beside files is rarely met again; it is not to grow with the number of parts.
            beside = +beside | Counter({k: v for k, v in self.beside if k != HISTORY_UNAVAILABLE})
        return PassedOver(files, tuple(sorted((+beside).items())))


def kept_passed_over(txn: Snapshot, namespace: Namespace, source: str) -> PassedOver:
    """What was kept of the source's tree; nothing where nothing that can be read was."""
    encoded = txn.mark(_mark(source), namespace)
    if encoded is None:
        return PassedOver()
    try:
        kept = _decode(encoded)
    except msgspec.MsgspecError:
        # Of another format: counts begin anew.
        return PassedOver()
    return PassedOver(kept.files) if kept.format == _FORMAT else PassedOver()


def keep_passed_over(txn: WriteTransaction, namespace: Namespace, source: str, passed: PassedOver) -> None:
    """Keep what is of files with records, in place of what was kept."""
    files = {p: counts for p, counts in sorted(passed.files.items()) if _has_records(txn, namespace, source, p)}
    encoded = msgspec.msgpack.encode(_Kept(_FORMAT, files))
    before = txn.mark(_mark(source), namespace)
    if encoded != before and (files or before is not None):
        txn.put_mark(_mark(source), encoded, namespace)


def forget_passed_over(txn: WriteTransaction, namespace: Namespace, source: str) -> None:
    """Keep no counts of the source's tree."""
    keep_passed_over(txn, namespace, source, PassedOver())


def _has_records(txn: Snapshot, namespace: Namespace, source: str, path: str) -> bool:
    return any(stored == path for stored, _ in txn.paths(namespace, source, path))


def _mark(source: str) -> str:
    return _MARK + source_digest(source.encode("utf-8", "surrogatepass"))
