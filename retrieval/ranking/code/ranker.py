"""The ranker `code-1`: files by a sum of weighted features, their parts below them by another.

Features and the form of the sums are those of the recipes (1.3, 1.4); the weights are fitted by likelihood. We deviate
in that a file has no BM25 of its own: its parts' best three stand for it (measured: as good).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final

from retrieval.ahead import Ahead
from retrieval.history.reading import Histories
from retrieval.ranking.code.parts import record_table
from retrieval.ranking.code.paths import file_of
from retrieval.ranking.code.scoring import (
    FILE_FEATURES,
    RECORD_FEATURES,
    UNBOUNDED_OF_FILES,
    UNBOUNDED_OF_RECORDS,
    Matrix,
    normalised,
    of_parts,
    score,
)
from retrieval.ranking.code.searches import Searches, begin
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.code.table import FileTable, Gathered, Places, admit_file, file_table, gather, question
from retrieval.ranking.look import Look
from retrieval.ranking.ranker import Features, Ranked, Ranker, Ranking
from retrieval.record import Record

_SHOWN_OF_FILES: Final = tuple(f"file.{name}" for name in FILE_FEATURES)


@dataclass(frozen=True, slots=True)
class CodeTables:
    """Everything that the scores are made of: features normalised, rows in the order of files and of records.

    `file_of` gives each record's row among the files, -1 for a record without a path.
    """

    files: FileTable
    file_values: Matrix
    records: tuple[tuple[int, Record], ...]
    record_values: Matrix
    file_of: tuple[int, ...]


class CodeRanker(Ranker):
    """Orders results of code."""

    def __init__(self, settings: CodeRankingSettings, histories: Histories) -> None:
        self._settings: Final = settings
        self._histories: Final = histories
        self._places: Final = Places(settings.remembered_places)
        self.name = settings.name

    def begin(self) -> CodeRanking:
        """An ordering that asks its lanes once, in `bring`."""
        return CodeRanking(self._settings, self._histories, self._places)


class CodeRanking(Ranking):
    """The ordering of one projection. `made` is what the latest scores were made of."""

    def __init__(self, settings: CodeRankingSettings, histories: Histories, places: Places) -> None:
        self._settings: Final = settings
        self._histories: Final = histories
        self._places: Final = places
        self._gathered: Gathered | None = None
        self._searches: Searches | None = None
        self._parts: tuple[tuple[int, ...], ...] = ()
        self._sure: frozenset[int] = frozenset()
        self.made: CodeTables | None = None

    def set_out(self, look: Look, ahead: Ahead) -> None:
        """Begin the searches that any goal needs."""
        self._searches = begin(look, question(look, self._settings), self._settings, ahead)

    def prepare(self, look: Look) -> None:
        """Ask the ranker's own lanes; raises IndexUnavailable and DeadlinePassed."""
        self._gather(look)

    def bring(self, look: Look) -> Mapping[int, float]:
        """The best parts of the best files, whichever lane found them; raises IndexUnavailable and DeadlinePassed."""
        gathered = self._gather(look)
        for record in look.records.values():
            admit_file(look, gathered, record)
        table = file_table(look, gathered, self._settings, {})
        scores = score(
            normalised(table.values, FILE_FEATURES, UNBOUNDED_OF_FILES), self._settings.file(len(look.goal.terms))
        )
        best = nlargest(
            self._settings.brought_files, range(len(table.files)), key=lambda at: (scores[at], table.places[at])
        )
        self._parts = tuple(self._parts_of(gathered, table.files[at], place) for place, at in enumerate(best))
        first = [table.files[at] for at in best[: self._settings.sure_files]]
        self._sure = frozenset(place for place, file in enumerate(first) if gathered.speaks(file))
        self.left += len(table.files) - len(best)
        return dict.fromkeys((record_id for held in self._parts for record_id in held), 1.0)

    def strengths(self, look: Look, brought: Mapping[int, float]) -> Mapping[int, float]:
        """How much of the goal's weight the best parts of a file cover together: what a file says of the goal is said
        of its parts. Weighed as the relevance scale weighs the words of one record. Of the first files that hold a word
        or a name of the goal, the best part passes the floor."""
        del brought
        strengths: dict[int, float] = {}
        for place, parts in enumerate(self._parts):
            held = [record_id for record_id in parts if record_id in look.records]
            best = [look.terms.of(look.records[i]).terms for i in held[: self._settings.brought_records]]
            covered = look.weights.coverage(frozenset().union(*map(look.weights.held_by, best)))
            strengths.update(dict.fromkeys(held, look.scale.link_of_words(covered)))
            if held and place in self._sure:
                strengths[held[0]] = max(strengths[held[0]], look.scale.link(0.0))
        return strengths

    def alike(self, look: Look) -> Sequence[int]:
        """The best part of each of the best files, then the second ones."""
        del look
        return [held[place] for place in range(2) for held in self._parts if len(held) > place]

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """Scores of the records, each with the features of its file and its own; raises IndexUnavailable."""
        tables = self.made = self._tables(look, record_ids)
        totals = self._scores(look, tables)
        return Ranked(
            {record_id: total for (record_id, _), total in zip(tables.records, totals.tolist(), strict=True)},
            self._shown(tables),
        )

    def _tables(self, look: Look, record_ids: Collection[int]) -> CodeTables:
        """The features behind the scores; raises IndexUnavailable."""
        gathered = self._gather(look)
        records = tuple((i, look.records[i]) for i in sorted(record_ids))
        for _, record in records:
            admit_file(look, gathered, record)
        best: dict[int, float] = {}
        for record_id, cosine in look.cosines.items():
            held = look.records.get(record_id)
            if held is not None and held.path:
                file = file_of(look, held)
                best[file] = max(best.get(file, -1.0), cosine)
        files = file_table(look, gathered, self._settings, best)
        rows = {file: at for at, file in enumerate(files.files)}
        return CodeTables(
            files,
            normalised(files.values, FILE_FEATURES, UNBOUNDED_OF_FILES),
            records,
            normalised(record_table(records, gathered, look.cosines), RECORD_FEATURES, UNBOUNDED_OF_RECORDS),
            tuple(rows[file_of(look, record)] if record.path else -1 for _, record in records),
        )

    def _scores(self, look: Look, tables: CodeTables) -> Matrix:
        """One score a record, in the order of the table."""
        files, own = self._settings.file(len(look.goal.terms)), self._settings.record
        return of_parts(score(tables.file_values, files), score(tables.record_values, own), tables.file_of)

    def _gather(self, look: Look) -> Gathered:
        """What the ranker's own lanes find, looked for once; again where `bring` could not."""
        if self._gathered is None:
            searches, self._searches = self._searches, None
            self._gathered = gather(look, self._histories, self._settings, self._places, searches)
        return self._gathered

    def _parts_of(self, gathered: Gathered, file: int, place: int) -> tuple[int, ...]:
        """The file's best parts by words, more of the first files; the record that stands for it where it has none."""
        settings, searched = self._settings, gathered.searched
        limit = settings.whole_file_records if place < settings.whole_files else settings.brought_records
        by_words = [*searched.chunk.files.get(file, ()), *searched.first_line.files.get(file, ())]
        parts = tuple(dict.fromkeys(record_id for _, record_id in by_words))
        self.left += max(0, len(parts) - limit)
        parts = parts[:limit]
        return parts or tuple(i for i in (gathered.first.get(file),) if i is not None)

    def _shown(self, tables: CodeTables) -> dict[int, Features]:
        """By record its non-zero features, normalised, those of its file as `file.…`, worked out once a file."""
        files = [_non_zero(_SHOWN_OF_FILES, row) for row in tables.file_values.tolist()]
        shown: dict[int, Features] = {}
        for (record_id, _), file, row in zip(
            tables.records, tables.file_of, tables.record_values.tolist(), strict=True
        ):
            own = _non_zero(RECORD_FEATURES, row)
            shown[record_id] = (*files[file], *own) if file >= 0 else own
        return shown


def _non_zero(names: Sequence[str], values: Sequence[float]) -> Features:
    return tuple([(name, round(value, 4)) for name, value in zip(names, values, strict=True) if value])
