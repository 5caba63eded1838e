"""Admission: a hit counts only once the store has shown its record at the cut. Every refusal is counted by reason.

Reasons: `revalidation_failed` (no such record at the cut), `out_of_scope`, `removed`, `expired`, `not_yet_valid`,
`superseded`. A record is counted once, whichever lanes proposed it. The store's name lists keep names of the past by
contract; a record that only such a name leads to was never a match, and the exact lane's note counts it instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from retrieval.lanes.contract import ExactMatch
from retrieval.lanes.lane import LaneHit, Scope
from retrieval.record import NameKind, Record
from retrieval.settings import LaneSettings
from retrieval.store.interface import Snapshot

SUPERSEDED = "superseded"
REMOVED = "removed"


def validity(record: Record, now_seconds: int) -> str:
    """Why the record is not valid now; empty where it is. A bound of 0 is none."""
    if record.removed:
        return REMOVED
    if 0 < record.valid_until_seconds <= now_seconds:
        return "expired"
    if record.valid_from_seconds > now_seconds:
        return "not_yet_valid"
    return ""


class Gate:
    """Reads each proposed record once, in batches, and keeps who was admitted and why others were not.

    Lives within one projection.
    """

    def __init__(self, txn: Snapshot, scope: Scope, now_seconds: int) -> None:
        self._txn = txn
        self._scope = scope
        self._now_seconds = now_seconds
        self.records: dict[int, Record] = {}
        self.refused: dict[int, str] = {}
        self._former: set[int] = set()

    def admit(self, record_ids: Iterable[int]) -> None:
        """Read and judge the records that were not judged before."""
        fresh = sorted({i for i in record_ids if i not in self.records and i not in self.refused})
        for record_id, record in zip(fresh, self._txn.records_by_id(fresh, self._scope.cut), strict=True):
            reason = self._judge(record_id, record)
            if reason or record is None:
                self.refused[record_id] = reason
            else:
                self.records[record_id] = record

    def refuse(self, record_id: int, reason: str) -> None:
        """Turn away a record that was admitted."""
        del self.records[record_id]
        self.refused[record_id] = reason

    def former(self, by_name: Iterable[int], by_other_lanes: Iterable[int]) -> set[int]:
        """Records that are removed and that nothing but a name of the past leads to; they are no longer counted."""
        former = {i for i in by_name if self.refused.get(i) == REMOVED}.difference(by_other_lanes)
        self._former |= former
        return former

    def reasons(self) -> Counter[str]:
        """How many records were refused, by reason."""
        return Counter(reason for record_id, reason in self.refused.items() if record_id not in self._former)

    def _judge(self, record_id: int, record: Record | None) -> str:
        if record is None:
            ref = self._txn.ref_of(record_id)
            named = ref is not None and any(ref.startswith(f"{ns}:") for ns in self._scope.namespaces)
            return "revalidation_failed" if ref is None or named else "out_of_scope"
        if record.namespace not in self._scope.namespaces:
            return "out_of_scope"
        return validity(record, self._now_seconds)


def verified(hits: Iterable[LaneHit], gate: Gate, settings: LaneSettings) -> tuple[tuple[LaneHit, ...], set[int]]:
    """The exact lane's hits whose name still holds, with matches recounted, and the records that lost theirs.

    Matches are records of that name, files for a path. A path written with a line means what holds that line.
    """
    kept: list[tuple[LaneHit, ExactMatch, Record]] = []
    gone: set[int] = set()
    for hit in hits:
        record = gate.records.get(hit.record_id)
        if record is None or not isinstance(hit.rank, ExactMatch):
            continue
        if _carries(record, hit.rank):
            kept.append((hit, hit.rank, record))
        else:
            gone.add(hit.record_id)
    carriers: dict[str, set[str]] = {}
    for hit, match, record in kept:
        carrier = record.path if match.kind is NameKind.PATH else str(hit.record_id)
        carriers.setdefault(match.written, set()).add(carrier)
    counted = tuple(
        replace(
            hit, rank=replace(match, strength=_strength(match, record, settings), matches=len(carriers[match.written]))
        )
        for hit, match, record in kept
    )
    return counted, gone


def _carries(record: Record, match: ExactMatch) -> bool:
    if match.kind is None:
        return record.ref == match.name
    return any(name.kind is match.kind and name.text == match.name for name in record.names)


def _strength(match: ExactMatch, record: Record, settings: LaneSettings) -> float:
    line, lines = match.line, record.lines
    if line is not None and lines is not None and lines.start <= line <= lines.end:
        return settings.line_strength
    return match.strength
