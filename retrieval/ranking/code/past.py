"""What the past says of files for this goal: like messages, recent and frequent change, change together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from math import sqrt

from retrieval.history.history import History
from retrieval.history.reading import Histories
from retrieval.index.sensor import FieldWeights, Sieve
from retrieval.lanes.lane import BRIDGE_KINDS
from retrieval.ranking.code.paths import number_of
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.look import Look
from workingset.vocabulary import Namespace

Place = tuple[Namespace, str]
"""A file as namespace and path."""


@dataclass(slots=True)
class Past:
    """Histories by namespace, and what was asked of them, by file number. `places` are files that they led to."""

    histories: dict[Namespace, History]
    commits: dict[int, float] = field(default_factory=dict[int, float])
    ages: dict[Place, tuple[float, float]] = field(default_factory=dict["Place", tuple[float, float]])
    places: dict[int, Place] = field(default_factory=dict[int, Place])

    def changed(self, place: Place) -> tuple[float, float]:
        """How lately and how often the file was changed."""
        known = self.ages.get(place)
        if known is None:
            history = self.histories[place[0]]
            known = self.ages[place] = (history.recency(place[1]), history.frequency(place[1]))
        return known


def past(look: Look, histories: Histories, settings: CodeRankingSettings) -> Past:
    """Ask the histories of the scope; raises IndexUnavailable."""
    found = Past({namespace: histories.of(look.txn, namespace) for namespace in look.scope.namespaces})
    if any(history.available for history in found.histories.values()):
        _messages(look, found, settings)
        _recent(look, found, settings)
    return found


def together(seeds: Iterable[tuple[Place, float]], found: Past, look: Look) -> dict[int, float]:
    """Sum over the seeds of their weight times how often a file changed with them."""
    sums: dict[int, float] = defaultdict(float)
    for (namespace, path), weight in seeds:
        for other, share in found.histories[namespace].co_changed(path):
            sums[number_of(look.scope.tenant, namespace, other)] += weight * share
    return sums


def _messages(look: Look, found: Past, settings: CodeRankingSettings) -> None:
    """BM25 of the goal over messages; a commit gives its score / sqrt(files) to each of its files."""
    hits = look.lexical.search(
        look.scope.tenant,
        look.scope.namespaces,
        look.goal.terms,
        settings.commit_hits,
        fields=FieldWeights(body=1.0),
        sieve=Sieve(kinds=BRIDGE_KINDS),
    )
    sums: dict[Place, float] = defaultdict(float)
    for hit in hits:
        namespace, local = _local(look, hit.record_id)
        commit = found.histories[namespace].commit(local) if namespace in found.histories else None
        if commit is not None and commit.files <= settings.commit_files:
            for path in commit.paths:
                sums[namespace, path] += hit.score / sqrt(commit.files)
    best = set(nlargest(settings.commit_candidates, sums, key=lambda place: (sums[place], place)))
    for place, value in sums.items():
        number = number_of(look.scope.tenant, *place)
        found.commits[number] = value
        if place in best:
            found.places[number] = place


def _recent(look: Look, found: Past, settings: CodeRankingSettings) -> None:
    """Make the files changed last known, whatever the goal says."""
    for namespace, history in found.histories.items():
        newest = _changed_last(history.ages, settings.recent_files)
        places = [(namespace, path) for path in newest]
        for place in nlargest(settings.recent_files, places, key=lambda place: (found.changed(place), place)):
            found.places[number_of(look.scope.tenant, *place)] = place


def _changed_last(ages: Mapping[str, tuple[int, ...]], files: int) -> list[str]:
    """Of all files those with the newest changes, some more than asked: recency also counts how often."""
    return [path for path, _ in sorted(ages.items(), key=lambda item: (item[1], item[0]))[: 4 * files]]


def _local(look: Look, record_id: int) -> tuple[Namespace, str]:
    ref = look.txn.ref_of(record_id) or ""
    namespace, _, local = ref.partition(":")
    return Namespace(namespace), local
