"""The host lane: records of the files that the host says the work is in, changed lines first. It reads no goal.

A hint's path finds the file of that path, else the one file of a scope whose path it ends with or that ends with it:
hosts know files by absolute paths and namespaces by relative ones. A path that could be several files is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from retrieval.deadline import Deadline
from retrieval.goal import Goal
from retrieval.hints import Hints, HintSettings, HintStrengths
from retrieval.lanes.contract import HardFilter, Hinted, LaneContract, Reads
from retrieval.lanes.lane import LaneHit, LaneProposal, Scope, nothing
from retrieval.record import NameKind, Record
from retrieval.store.interface import Snapshot
from workingset.candidate import LaneOutcome
from workingset.vocabulary import Lines, Namespace, SearchCoverage

HOST = "host"

_FIRST = Lines(1, 1)
_SUFFIX_PARTS = 12
"""As many endings of a path as ingest names a file by."""


@dataclass(slots=True)
class _Found:
    """What one proposal has gathered: the best strength of each record, and what was not followed."""

    strengths: dict[int, float] = field(default_factory=dict[int, float])
    unknown: int = 0
    cut: bool = False


class HostLane:
    """Proposes records by hints. Made anew for each query."""

    name = HOST
    contract = LaneContract(HOST, 1, SearchCoverage.HEURISTIC, HardFilter.NATIVE, Reads.SNAPSHOT, Hinted)

    def __init__(self, hints: Sequence[Hints], settings: HintSettings) -> None:
        self._hints = hints
        self._settings = settings

    def propose(
        self,
        txn: Snapshot,
        goal: Goal,  # noqa: ARG002  (hints speak for places, whatever is asked)
        scope: Scope,
        deadline: Deadline,
    ) -> LaneProposal:
        """Records of hinted places, the strongest first; raises DeadlinePassed."""
        notes = [hints.note for hints in self._hints if hints.note]
        if all(hints.empty for hints in self._hints):
            state, note = ("partial", "; ".join(notes)) if notes else ("skipped", "the host gave no hints")
            return nothing(HOST, state, note, covered=1.0)
        found = _Found()
        for hints in self._hints:
            self._follow(txn, hints, scope, deadline, found)
        best = sorted(found.strengths.items(), key=lambda item: (-item[1], item[0]))
        cap = self._settings.hits
        notes += [f"{found.unknown} hinted files are not in the scope"] if found.unknown else []
        outcome = LaneOutcome(
            HOST,
            "ok",
            hits=min(len(best), cap),
            coverage=SearchCoverage.BOUNDED if found.cut or len(best) > cap else SearchCoverage.HEURISTIC,
            note="; ".join(notes),
            truncated=found.cut or len(best) > cap,
        )
        return LaneProposal(tuple(LaneHit(i, Hinted(strength)) for i, strength in best[:cap]), outcome)

    def _follow(self, txn: Snapshot, hints: Hints, scope: Scope, deadline: Deadline, found: _Found) -> None:
        strengths = hints.strengths(self._settings)
        within = tuple(name for name in scope.namespaces if hints.namespace in {None, name})
        files = strengths.files()
        found.cut |= len(files) > self._settings.files
        for path in files[: self._settings.files]:
            deadline.check()
            records = self._records(txn, within, scope, path, found)
            found.unknown += not records
            self._weigh(strengths, path, records, found)

    def _weigh(self, strengths: HintStrengths, path: str, records: Sequence[tuple[int, Record]], found: _Found) -> None:
        """Take a file's records with changed lines, and the first of the others as far as its hints reach."""
        others = 0
        for record_id, record in sorted(records, key=lambda item: (item[1].lines or _FIRST).start):
            lines = record.lines or _FIRST
            if not strengths.changed(path, lines):
                others += 1
                if others > self._settings.parts_per_file:
                    found.cut = True
                    continue
            strength = strengths.of(path, lines)
            if strength > found.strengths.get(record_id, 0.0):
                found.strengths[record_id] = strength

    def _records(
        self, txn: Snapshot, within: Sequence[Namespace], scope: Scope, path: str, found: _Found
    ) -> list[tuple[int, Record]]:
        """The live records of the hinted file, by id; none where no file, or more than one, is meant."""
        for ending in _endings(path):
            for namespace in within:
                records = self._at(txn, namespace, scope, ending, found)
                if records:
                    return records
        return []

    def _at(
        self, txn: Snapshot, namespace: Namespace, scope: Scope, path: str, found: _Found
    ) -> list[tuple[int, Record]]:
        limit = self._settings.records_per_file
        ids = txn.find(namespace, NameKind.PATH, path, limit + 1)
        found.cut |= len(ids) > limit
        read = zip(ids[:limit], txn.records_by_id(ids[:limit], scope.cut), strict=True)
        live = [(record_id, record) for record_id, record in read if record is not None and not record.removed]
        whole = [(record_id, record) for record_id, record in live if record.path == path]
        if whole:
            return whole
        paths = {record.path for _, record in live if record.path.endswith(f"/{path}")}
        return self._at(txn, namespace, scope, paths.pop(), found) if len(paths) == 1 else []


def _endings(path: str) -> Iterator[str]:
    """The path itself, then its shorter and shorter ends: of an absolute path the base name alone is no end."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    least = 2 if len(parts) > 1 else 1
    for start in range(max(0, len(parts) - _SUFFIX_PARTS), len(parts) - least + 1):
        yield "/".join(parts[start:])
