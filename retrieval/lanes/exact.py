"""The exact lane: records by ref, path, symbol or title, as the goal writes them. Exhaustive within its namespaces.

A written path finds the files of its longest suffix that any file has; a dotted name finds the symbols of its longest
suffix that any record has. The store's name lists are sensors: admission re-checks each name at the cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrieval.deadline import Deadline
from retrieval.goal import Goal, GoalName, NameForm
from retrieval.lanes.contract import ExactMatch, HardFilter, LaneContract, Reads
from retrieval.lanes.lane import LaneHit, LaneProposal, Scope
from retrieval.record import NameKind
from retrieval.settings import LaneSettings
from retrieval.store.interface import Snapshot
from workingset.candidate import LaneOutcome
from workingset.vocabulary import Ref, SearchCoverage

EXACT = "exact"


@dataclass(slots=True)
class _Found:
    """What one proposal has gathered so far."""

    hits: dict[tuple[int, str], LaneHit]
    beyond_ids: set[int]
    beyond: int = 0


class ExactLane:
    """Looks names up in the store itself, so it is never behind it."""

    name = EXACT
    contract = LaneContract(EXACT, 1, SearchCoverage.EXHAUSTIVE, HardFilter.NATIVE, Reads.SNAPSHOT, ExactMatch)

    def __init__(self, settings: LaneSettings) -> None:
        self._settings = settings

    def propose(self, txn: Snapshot, goal: Goal, scope: Scope, deadline: Deadline) -> LaneProposal:
        """Every record that carries a name of the goal, up to the caps; raises DeadlinePassed."""
        found = _Found({}, set())
        self._refs(txn, goal, scope, found)
        for name in goal.names:
            deadline.check()
            self._name(txn, name, scope, found)
        hits = tuple(found.hits.values())
        truncated = bool(found.beyond_ids or found.beyond)
        bounded = truncated or goal.unused_names > 0 or goal.unread_characters > 0
        outcome = LaneOutcome(
            EXACT,
            "ok",
            hits=len({hit.record_id for hit in hits}),
            coverage=SearchCoverage.BOUNDED if bounded else SearchCoverage.EXHAUSTIVE,
            note=f"{goal.unused_names} names not looked up" if goal.unused_names else "",
            truncated=truncated,
        )
        return LaneProposal(hits, outcome, frozenset(found.beyond_ids), found.beyond)

    def _refs(self, txn: Snapshot, goal: Goal, scope: Scope, found: _Found) -> None:
        for ref in goal.refs:
            if any(ref.startswith(f"{namespace}:") for namespace in scope.namespaces):
                record_id = txn.record_id(Ref(ref))
                if record_id is not None:
                    match = ExactMatch(ref, ref, None, self._settings.ref_strength)
                    found.hits[(record_id, ref)] = LaneHit(record_id, match)

    def _name(self, txn: Snapshot, name: GoalName, scope: Scope, found: _Found) -> None:
        """The longest spelling of the name that any record carries."""
        for kind, text, strength in self._spellings(name):
            carriers = self._carriers(txn, scope, kind, text, found)
            for carried, record_id in carriers:
                if len(found.hits) >= self._settings.exact_hits and (record_id, carried) not in found.hits:
                    found.beyond_ids.add(record_id)
                    continue
                match = ExactMatch(carried, name.text, kind, strength, len(carriers), name.line)
                found.hits.setdefault((record_id, carried), LaneHit(record_id, match))
            if carriers:
                return

    def _carriers(self, txn: Snapshot, scope: Scope, kind: NameKind, text: str, found: _Found) -> list[tuple[str, int]]:
        """(name carried, record id) of the records that the text finds.

        The end of a path may be a name of one record of a file only; all of the file are found by its whole path.
        """
        ids, beyond = self._ids(txn, scope, kind, text, found)
        if kind is not NameKind.PATH:
            return [(text, record_id) for record_id in ids]
        paths = self._paths(txn, scope, ids, text)
        self._files_beyond(txn, scope, text, beyond, frozenset(paths.values()), found)
        carriers = [(text, record_id) for record_id in ids]
        for path in sorted(set(paths.values()) - {text}):
            whole = [(path, record_id) for record_id in self._ids(txn, scope, kind, path, found)[0]]
            carriers += [carrier for carrier in whole if carrier[1] not in paths]
        return carriers

    def _paths(self, txn: Snapshot, scope: Scope, ids: Sequence[int], text: str) -> dict[int, str]:
        """The whole path of each record; `text` where it has none at the cut."""
        read = zip(ids, txn.records_by_id(ids, scope.cut), strict=True)
        return {record_id: record.path if record and record.path else text for record_id, record in read}

    def _files_beyond(
        self, txn: Snapshot, scope: Scope, text: str, beyond: Sequence[int], looked_up: frozenset[str], found: _Found
    ) -> None:
        """Count in `found` the other records of the files that only records beyond the cap led to.

        Where those are more than the cap of all hits, the scope is taken as the bound.
        """
        if len(beyond) > self._settings.exact_hits:
            found.beyond += scope.records
            return
        for path in sorted(set(self._paths(txn, scope, beyond, text).values()) - looked_up - {text}):
            found.beyond_ids.update(self._ids(txn, scope, NameKind.PATH, path, found)[0])

    def _ids(
        self, txn: Snapshot, scope: Scope, kind: NameKind, text: str, found: _Found
    ) -> tuple[list[int], list[int]]:
        """Record ids of the name over all namespaces, ascending, and those that the cap keeps out, also in `found`."""
        cap, probe = self._settings.exact_hits_per_name, self._settings.exact_count_probe
        ids = sorted(i for namespace in scope.namespaces for i in txn.find(namespace, kind, text, cap + 1))
        if len(ids) <= cap:
            return ids, []
        ids = sorted(i for namespace in scope.namespaces for i in txn.find(namespace, kind, text, probe + 1))
        if len(ids) > probe:
            found.beyond += scope.records
        found.beyond_ids.update(ids[cap:])
        return ids[:cap], ids[cap:]

    def _spellings(self, name: GoalName) -> Iterator[tuple[NameKind, str, float]]:
        s = self._settings
        if name.form is NameForm.PATH:
            yield from self._path_spellings(name.text)
        elif name.form is NameForm.IDENTIFIER:
            parts = name.text.split(".")
            for start in range(len(parts)):
                yield (
                    NameKind.SYMBOL,
                    ".".join(parts[start:]),
                    s.symbol_strength if start == 0 else s.symbol_strength * s.part_strength,
                )
        else:
            strength = s.quoted_strength if name.form is NameForm.QUOTED else s.word_strength
            yield NameKind.SYMBOL, name.text, strength

    def _path_spellings(self, path: str) -> Iterator[tuple[NameKind, str, float]]:
        parts = [part for part in path.split("/") if part not in {"", ".", "..", "~"}]
        for start in range(len(parts)):
            only_base = start == len(parts) - 1 and start > 0
            share = self._settings.base_name_share if only_base else 1.0
            text = "/".join(parts[start:])
            if path.endswith("/"):
                yield NameKind.PATH, f"{text}/", self._settings.path_strength * share
            yield NameKind.PATH, text, self._settings.path_strength * share
