"""From what the agent did and saw to uses with their pages: observed use, as `workingset.observation` finds it.

An observed path or ref that no record matches is no error: agents read what was never ingested. It is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hotsetd import limits
from hotsetd.calls import ObservationCall
from hotsetd.config import LimitSettings
from hotsetd.observed_paths import locate
from retrieval.errors import BadField
from retrieval.project import Retrieval
from retrieval.store.interface import Snapshot
from workingset.candidate import Candidate
from workingset.observation.finding import find
from workingset.observation.seen import Found, Observation, Speaker, action_rank
from workingset.settings import ObservationSettings
from workingset.transitions.touch import Action, Use
from workingset.vocabulary import Lines, Namespace, Ref, Standing
from workingset.working_set import WorkingSet


@dataclass(frozen=True, slots=True)
class SeenUse:
    """A use with its pages, the place of the observation it was found in, and the words that were matched."""

    observation: int
    matched: str
    use: Use


@dataclass(frozen=True, slots=True)
class Observed:
    """Uses in the order of the observations, and what was passed over, by reason, sorted."""

    uses: tuple[SeenUse, ...]
    skipped: tuple[tuple[str, int], ...] = ()

    def mentions(self, count: int) -> tuple[tuple[Ref, ...], ...]:
        """Return the refs that each of so many observations used, in order."""
        return self._refs(count, frozenset(Action))

    def reads(self, count: int) -> tuple[tuple[Ref, ...], ...]:
        """Return the refs that each of so many observations read, in order: their text is in the answer to it."""
        return self._refs(count, frozenset({Action.READ}))

    def _refs(self, count: int, actions: frozenset[Action]) -> tuple[tuple[Ref, ...], ...]:
        refs: list[list[Ref]] = [[] for _ in range(count)]
        for seen in self.uses:
            if seen.use.action in actions:
                refs[seen.observation].extend(page.ref for page in seen.use.pages)
        return tuple(tuple(dict.fromkeys(found)) for found in refs)


@dataclass(slots=True)
class Observer:
    """Finds uses at one snapshot; `scope` are the namespaces in which paths are looked for."""

    txn: Snapshot
    retrieval: Retrieval
    scope: Sequence[Namespace]
    now_seconds: int
    settings: ObservationSettings
    skipped: Counter[str] = field(default_factory=Counter[str])

    def observe(self, calls: Sequence[ObservationCall], state: WorkingSet) -> Observed:
        """Return the uses: of one observation a record at most once, by its strongest use."""
        findings = find(observations_of(calls), state.entries, self.settings)
        self.skipped.update(dict(findings.skipped))
        uses: list[SeenUse] = []
        for place, same in groupby(findings.found, key=lambda found: found.observation):
            uses.extend(self._uses(place, list(same)))
        return Observed(tuple(uses), tuple(sorted((+self.skipped).items())))

    def _uses(self, place: int, found: Sequence[Found]) -> Iterable[SeenUse]:
        """The uses of one observation, strongest first; what a stronger one took, a weaker one does not take again."""
        located = [(use, group) for use in sorted(found, key=_strength) for group in self._groups(use)]
        pages = self._pages({ref for _, (refs, _) in located for ref in refs})
        taken: set[Ref] = set()
        for use, (refs, lines) in located:
            fresh = tuple(pages[ref] for ref in refs if ref in pages and ref not in taken)
            if fresh:
                taken.update(page.ref for page in fresh)
                whole = use.ref is None and not (use.lines or use.quotes or use.tail_lines)
                yield SeenUse(place, use.matched, Use(fresh, use.action, lines, whole_file=whole))

    def _groups(self, found: Found) -> list[tuple[tuple[Ref, ...], Lines | None]]:
        if found.ref is not None:
            record = self.txn.record(found.ref)
            if record is None or record.removed:
                self.skipped["no_record"] += 1
                return []
            lines = Lines(found.lines[0].start, found.lines[-1].end) if found.lines else None
            return [((found.ref,), lines)]
        located = locate(self.txn, self.scope, found)
        if located.reason:
            self.skipped[located.reason] += 1
        return [(tuple(record.ref for record in records), lines) for records, lines in located.groups]

    def _pages(self, refs: set[Ref]) -> dict[Ref, Candidate]:
        read = self.retrieval.read(self.txn, tuple(sorted(refs)), self.now_seconds)
        # A record that was removed since cannot be used any more.
        return {page.ref: page for page in read.known if page.standing is not Standing.REMOVED}


def checked(calls: Sequence[ObservationCall], settings: LimitSettings) -> Sequence[ObservationCall]:
    """Return what was reported, or raise BadField naming what cannot be taken."""
    if len(calls) > settings.observations:
        raise BadField("observed", f"{len(calls)} are more than {settings.observations}: send several calls")
    for place, call in enumerate(calls):
        limits.text(f"observed[{place}].text", call.text)
        if len(limits.text(f"observed[{place}].tool", call.tool)) > settings.tool_characters:
            raise BadField(f"observed[{place}].tool", f"is longer than {settings.tool_characters} characters")
    return calls


def observations_of(calls: Sequence[ObservationCall]) -> tuple[Observation, ...]:
    """Return what was reported in the core's own words."""
    return tuple(Observation(Speaker(call.kind.value), call.text, call.tool) for call in calls)


def _strength(found: Found) -> int:
    return action_rank(found.action)
