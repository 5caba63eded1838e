"""The host lane: records of the files that the host says the work is in, changed lines first. It reads no goal.

A hint's path finds the file of that path, else the one file of a scope whose path it ends with or that ends with it:
hosts know files by absolute paths and namespaces by relative ones. A path that could be several files is none, and
counted.
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

_PATHS_NAMED = 4
"""Guess: hinted files that a note names; the rest is counted."""

_Files = dict[tuple[Namespace, str], list[tuple[int, Record]]]
"""Records with their ids, by namespace and path."""


@dataclass(slots=True)
class _Found:
    """What one proposal has gathered: the best strength of each record, which hinted files are known, unknown or could
    be several, and of what was not followed what could be strong."""

    strengths: dict[int, float] = field(default_factory=dict[int, float])
    known: set[str] = field(default_factory=set[str])
    unknown: set[str] = field(default_factory=set[str])
    several: set[str] = field(default_factory=set[str])
    cut: bool = False
    beyond: int = 0
    beyond_ids: set[int] = field(default_factory=set[int])

    @property
    def notes(self) -> list[str]:
        """Which hinted files were not followed, in words. What one of the hints finds is known, whatever another
        says of the same path in another tree."""
        several = self.several - self.known
        unknown = self.unknown - self.known - several
        total = len(self.known | self.several | self.unknown)
        said = ((unknown, "match no record"), (several, "could be several files"))
        return [f"{len(paths)} of {total} hinted files {what}: {_named(paths)}" for paths, what in said if paths]


class HostLane:
    """Proposes records by hints. Made anew for each query.

    What its caps keep out is told where a hint alone could bring it to the floor, at `strong` or above: by id, and all
    of the scope where a file was not even looked up.
    """

    name = HOST
    contract = LaneContract(HOST, 2, SearchCoverage.HEURISTIC, HardFilter.NATIVE, Reads.SNAPSHOT, Hinted)

    def __init__(self, hints: Sequence[Hints], settings: HintSettings, strong: float) -> None:
        self._hints = hints
        self._settings = settings
        self._strong = strong

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
        found.cut |= len(best) > cap
        found.beyond_ids -= {record_id for record_id, _ in best[:cap]}
        found.beyond_ids |= {record_id for record_id, strength in best[cap:] if strength >= self._strong}
        outcome = LaneOutcome(
            HOST,
            "ok",
            hits=min(len(best), cap),
            coverage=SearchCoverage.BOUNDED if found.cut else SearchCoverage.HEURISTIC,
            note="; ".join([*notes, *found.notes]),
            truncated=found.cut,
        )
        hits = tuple(LaneHit(record_id, Hinted(strength)) for record_id, strength in best[:cap])
        return LaneProposal(hits, outcome, frozenset(found.beyond_ids), found.beyond)

    def _follow(self, txn: Snapshot, hints: Hints, scope: Scope, deadline: Deadline, found: _Found) -> None:
        strengths = hints.strengths(self._settings)
        within = tuple(name for name in scope.namespaces if hints.namespace in {None, name})
        files = strengths.files()
        for path in files[: self._settings.files]:
            deadline.check()
            records = self._records(txn, within, scope, path, strengths, found)
            self._weigh(strengths, path, records, found)
        left = files[self._settings.files :]
        found.cut |= bool(left)
        if any(strengths.of(path, None) >= self._strong for path in left):
            found.beyond = scope.records

    def _weigh(self, strengths: HintStrengths, path: str, records: Sequence[tuple[int, Record]], found: _Found) -> None:
        """Take a file's records with changed lines, and the first of the others as far as its hints reach."""
        others = 0
        for record_id, record in sorted(records, key=lambda item: (item[1].lines or _FIRST).start):
            lines = record.lines or _FIRST
            strength = strengths.of(path, lines)
            if not strengths.changed(path, lines):
                others += 1
                if others > self._settings.parts_per_file:
                    found.cut = True
                    if strength >= self._strong:
                        found.beyond_ids.add(record_id)
                    continue
            if strength > found.strengths.get(record_id, 0.0):
                found.strengths[record_id] = strength

    def _records(
        self,
        txn: Snapshot,
        within: Sequence[Namespace],
        scope: Scope,
        path: str,
        strengths: HintStrengths,
        found: _Found,
    ) -> list[tuple[int, Record]]:
        """The live records of the hinted file, by id; none, and counted, where no file or more than one is meant."""
        may_be_strong = strengths.of(path, None) >= self._strong
        hinted = "/".join(_parts(path))
        for ending in _endings(path):
            files: _Files = {}
            for namespace in within:
                for record_id, record in self._named(txn, namespace, scope, ending, may_be_strong, found):
                    files.setdefault((namespace, record.path), []).append((record_id, record))
            places = [place for place in files if f"/{hinted}".endswith(f"/{place[1]}")]
            places = places or [place for place in files if place[1].endswith(f"/{hinted}")]
            if len(places) > 1:
                found.several.add(path)
                return []
            for namespace, file in places:
                found.known.add(path)
                if file == ending:
                    return files[namespace, file]
                # An end of a path may name one record of its file only; the whole path names all of them.
                records = self._named(txn, namespace, scope, file, may_be_strong, found)
                return [(record_id, record) for record_id, record in records if record.path == file]
        found.unknown.add(path)
        return []

    def _named(
        self, txn: Snapshot, namespace: Namespace, scope: Scope, path: str, may_be_strong: bool, found: _Found
    ) -> list[tuple[int, Record]]:
        """Live records of that path, or whose path ends so, by id; those past the cap are told in `found`."""
        limit, counted = self._settings.records_per_file, self._settings.records_counted
        ids = txn.find(namespace, NameKind.PATH, path, limit + 1)
        if len(ids) > limit:
            found.cut = True
            if may_be_strong:
                beyond = txn.find(namespace, NameKind.PATH, path, counted + 1)[limit:]
                found.beyond_ids.update(beyond)
                found.beyond = scope.records if limit + len(beyond) > counted else found.beyond
        read = zip(ids[:limit], txn.records_by_id(ids[:limit], scope.cut), strict=True)
        return [
            (record_id, record)
            for record_id, record in read
            if record is not None and not record.removed and f"/{record.path}".endswith(f"/{path}")
        ]


def _named(paths: set[str]) -> str:
    """The first of the paths, and how many more there are."""
    first = sorted(paths)[:_PATHS_NAMED]
    more = [f"{len(paths) - len(first)} more"] if len(paths) > len(first) else []
    return ", ".join([*first, *more])


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]


def _endings(path: str) -> Iterator[str]:
    """The path itself, then its shorter and shorter ends: of an absolute path the base name alone is no end."""
    parts = _parts(path)
    least = 2 if len(parts) > 1 else 1
    for start in range(max(0, len(parts) - _SUFFIX_PARTS), len(parts) - least + 1):
        yield "/".join(parts[start:])
