"""The lexical lanes of code, grouped by file without reading a record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from retrieval.ahead import Ahead
from retrieval.index.sensor import FieldWeights, Hit, Sieve, WeightedTerm
from retrieval.lanes.lane import BRIDGE_KINDS
from retrieval.ranking.code.question import CodeQuestion
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.look import Look
from retrieval.text.tokens import analyse

FILE_KIND = "file"
"""The kind of the first record of a file of code: one a file, so hits by path are hits of files."""
Search: TypeAlias = Callable[[], list[Hit]]
Searches: TypeAlias = tuple[Search, Search, Search, Search]
"""The lanes `chunk`, `first_line`, `title` and `path`, to be called once each; may raise IndexUnavailable."""
_DECAY = (1.0, 0.5, 0.33)
"""Cited (design, recipes, 1.1): best part, second and third."""


@dataclass(frozen=True, slots=True)
class LaneScores:
    """One lane: scores of records, and the records of each file by score falling."""

    records: dict[int, float] = field(default_factory=dict[int, float])
    files: dict[int, list[tuple[float, int]]] = field(default_factory=dict[int, list[tuple[float, int]]])

    def best(self) -> dict[int, float]:
        """The best part of each file."""
        return {file: held[0][0] for file, held in self.files.items()}

    def together(self) -> dict[int, float]:
        """The three best parts of each file, the later ones less."""
        return {
            file: sum(share * score for share, (score, _) in zip(_DECAY, held, strict=False))
            for file, held in self.files.items()
        }


@dataclass(frozen=True, slots=True)
class Searched:
    """All lanes of one goal, by file number."""

    chunk: LaneScores
    first_line: LaneScores
    title: LaneScores
    path: LaneScores
    uses: dict[int, float]


def begin(look: Look, question: CodeQuestion, settings: CodeRankingSettings, ahead: Ahead) -> Searches:
    """Begin the searches, to be asked for their hits later."""
    chunk, first_line, title, path = (ahead.begin(work).result for work in _searches(look, question, settings))
    return chunk, first_line, title, path


def search(
    look: Look, question: CodeQuestion, settings: CodeRankingSettings, searches: Searches | None = None
) -> Searched:
    """Ask the lexical index; raises IndexUnavailable and DeadlinePassed."""
    chunk, first_line, title, path = searches or _searches(look, question, settings)
    return Searched(_lane(chunk()), _lane(first_line()), _lane(title()), _lane(path()), _uses(look, question, settings))


def _searches(look: Look, question: CodeQuestion, settings: CodeRankingSettings) -> Searches:
    words, terms = FieldWeights(title=settings.title_share, body=1.0), look.goal.terms
    files = Sieve(kinds=(FILE_KIND,))
    return (
        partial(_ask, look, terms, settings.chunk_hits, words),
        partial(_ask, look, question.first_line, settings.first_line_hits, words),
        partial(_ask, look, terms, settings.title_hits, FieldWeights(title=1.0)),
        partial(_ask, look, terms, settings.path_hits, FieldWeights(path=1.0), files),
    )


def _uses(look: Look, question: CodeQuestion, settings: CodeRankingSettings) -> dict[int, float]:
    """Sum of df^-.7 over the identifiers that occur in few files (design, recipes, 1.3)."""
    found: dict[int, float] = defaultdict(float)
    frequencies = look.weights.frequencies
    for name, weight in question.names:
        terms = analyse(name)[:1]
        if not terms or frequencies.get(terms[0], 0) > settings.using_records:
            continue
        look.deadline.check()
        hits = _ask(look, [WeightedTerm(terms[0], 1.0)], settings.using_records + 1, FieldWeights(body=1.0))
        files = {hit.file for hit in hits if hit.file}
        if len(hits) <= settings.using_records and len(files) <= settings.using_files:
            for file in files:
                found[file] += weight * len(files) ** -0.7
    return found


def _ask(
    look: Look,
    terms: Sequence[WeightedTerm],
    limit: int,
    fields: FieldWeights,
    sieve: Sieve = Sieve(not_kinds=BRIDGE_KINDS),  # noqa: B008  # a frozen value
) -> list[Hit]:
    return look.lexical.search(look.scope.tenant, look.scope.namespaces, terms, limit, fields=fields, sieve=sieve)


def _lane(hits: Iterable[Hit]) -> LaneScores:
    lane = LaneScores()
    for hit in hits:
        if hit.file:
            lane.records[hit.record_id] = hit.score
            lane.files.setdefault(hit.file, []).append((hit.score, hit.record_id))
    return lane
