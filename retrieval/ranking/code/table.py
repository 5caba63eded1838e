"""The candidate files of one goal and their features."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Final

from retrieval.history.reading import Histories
from retrieval.ranking.code.named import Named, bounded_shares, named, read
from retrieval.ranking.code.past import Past, Place, past, together
from retrieval.ranking.code.paths import file_of, folder_of, of_path
from retrieval.ranking.code.question import CodeQuestion, question_of
from retrieval.ranking.code.scoring import FILE_FEATURES, Matrix, table
from retrieval.ranking.code.searches import Searched, Searches, search
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.look import Look
from retrieval.record import NameKind, Record

_SEED_WEIGHTS: Final[Mapping[str, float]] = {
    "chunk": 1.0,
    "chunks": 1.0,
    "first_line": 0.5,
    "path": 0.5,
    "mention": 1.0,
    "frame": 1.0,
    "defines": 0.7,
    "uses": 0.3,
    "phrase": 0.5,
    "commits": 0.3,
}
"""Cited (design, recipes, 1.3, `seed`), with paths added: which files are candidates, and which lead to others."""


@dataclass(slots=True)
class Gathered:
    """What was found by file number before anything is scored. `lanes` are the raw features of files by name."""

    question: CodeQuestion
    searched: Searched
    named: Named
    past: Past
    lanes: dict[str, dict[int, float]]
    seed: dict[int, float]
    places: dict[int, Place] = field(default_factory=dict[int, Place])
    first: dict[int, int] = field(default_factory=dict[int, int])
    """The record that stands for a file: its best part by words, else its first."""

    def speaks(self, file: int) -> bool:
        """Whether the file, or a message of its past, holds a word or a name of the goal."""
        return any(lane.get(file, 0.0) > 0.0 for lane in self.lanes.values())


class Places(dict[int, Place]):
    """Which file a number stands for, which never changes. Emptied when full, by any thread, so that what is known may
    be gone at the next look."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, file: int, place: Place) -> None:
        if len(self) >= self._limit:
            self.clear()
        super().__setitem__(file, place)


def question(look: Look, settings: CodeRankingSettings) -> CodeQuestion:
    """The goal as a question about code."""
    return question_of(look.goal, settings.name_limit, settings.phrase_limit)


def gather(
    look: Look, histories: Histories, settings: CodeRankingSettings, places: Places, searches: Searches | None = None
) -> Gathered:
    """Ask all lanes and choose the candidate files; raises IndexUnavailable and DeadlinePassed.

    `searches` are those begun before, None where they are to be made now.
    """
    look.deadline.check()
    asked = question(look, settings)
    searched = search(look, asked, settings, searches)
    look.deadline.check()
    names = named(look, asked, settings)
    look.deadline.check()
    history = past(look, histories, settings)
    lanes = {
        "chunk": searched.chunk.best(),
        "chunks": searched.chunk.together(),
        "first_line": searched.first_line.together(),
        "titles": searched.title.together(),
        "path": searched.path.best(),
        "mention": names.mention,
        "frame": names.frame,
        "defines": names.defines,
        "uses": bounded_shares(searched.uses),
        "phrase": names.phrase,
        "commits": history.commits,
    }
    gathered = Gathered(asked, searched, names, history, lanes, _seed(lanes))
    _choose(look, gathered, settings, places)
    return gathered


def _seed(lanes: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    seed: dict[int, float] = defaultdict(float)
    for name, weight in _SEED_WEIGHTS.items():
        top = max(lanes[name].values(), default=0.0)
        for file, value in lanes[name].items():
            seed[file] += weight * value / top if top > 0.0 else 0.0
    return dict(seed)


def _choose(look: Look, gathered: Gathered, settings: CodeRankingSettings, places: Places) -> None:
    """The best files by seed and those that the past leads to; each gets its place and a record to stand for it.

    What the past leads to is read, for a file may be gone; what a search led to is read where its number is not known.
    """
    best = nlargest(settings.candidate_files, gathered.seed, key=lambda file: (gathered.seed[file], file))
    searched = gathered.searched
    for file in best:
        held = searched.chunk.files.get(file) or searched.first_line.files.get(file) or searched.path.files.get(file)
        held = held or searched.title.files.get(file)
        if held:
            gathered.first[file] = held[0][1]
    for file, place in gathered.past.places.items():
        if file not in gathered.first:
            ids = look.txn.find(place[0], NameKind.PATH, place[1], 1)
            if ids:
                gathered.first[file] = ids[0]
    # One look for each: another thread may empty `places` at any moment.
    searched_for = {file: known for file in best if (known := places.get(file)) is not None}
    gathered.places.update(searched_for)
    unsure = {file: record_id for file, record_id in gathered.first.items() if file not in searched_for}
    records = read(look, unsure.values(), gathered.named)
    for file, record_id in unsure.items():
        record = records.get(record_id)
        if record is None or file_of(look, record) != file:
            del gathered.first[file]
        else:
            gathered.places[file] = places[file] = (record.namespace, record.path)
    for record in (*look.records.values(), *gathered.named.records.values()):
        admit_file(look, gathered, record)


def admit_file(look: Look, gathered: Gathered, record: Record) -> None:
    """Make a record's file a candidate."""
    if record.path:
        gathered.places.setdefault(file_of(look, record), (record.namespace, record.path))


@dataclass(frozen=True, slots=True)
class FileTable:
    """Candidate files in the order of their places, with raw features, shape (files, features)."""

    files: tuple[int, ...]
    places: tuple[Place, ...]
    values: Matrix


def file_table(
    look: Look, gathered: Gathered, settings: CodeRankingSettings, cosines: Mapping[int, float]
) -> FileTable:
    """Features of every candidate file. `cosines` are the best of each file's parts; a file without one lies a
    little below the least (design, recipes, 1.3)."""
    in_order = sorted((place, file) for file, place in gathered.places.items())
    seeds = _seeds(gathered, settings)
    folders = _folders(seeds)
    companions = together(seeds, gathered.past, look)
    absent = min(cosines.values(), default=0.0) - 0.05
    files, places = tuple(file for _, file in in_order), tuple(place for place, _ in in_order)
    changed = [gathered.past.changed(place) for place in places]
    of_paths = [of_path(path) for _, path in places]
    columns: dict[str, list[float]] = {
        **{name: [lane.get(file, 0.0) for file in files] for name, lane in gathered.lanes.items()},
        "recent": [lately for lately, _ in changed],
        "frequent": [often for _, often in changed],
        "together": [companions.get(file, 0.0) for file in files],
        "folder": [
            folders.get((namespace, of.folder), 0.0) for (namespace, _), of in zip(places, of_paths, strict=True)
        ],
        "likeness": [cosines.get(file, absent) for file in files],
        "initial": [of.initial for of in of_paths],
        "test": [of.test for of in of_paths],
        "wordy": [of.wordy for of in of_paths],
        "aside": [of.aside for of in of_paths],
    }
    return FileTable(files, places, table(columns, FILE_FEATURES, len(files)))


def _seeds(gathered: Gathered, settings: CodeRankingSettings) -> list[tuple[Place, float]]:
    """The first files by seed, each with its share of their squared weight."""
    known = [(gathered.seed.get(file, 0.0), place) for file, place in gathered.places.items()]
    best = sorted(known, key=lambda item: (-item[0], item[1]))[: settings.seed_files]
    total = sum(weight**2 for weight, _ in best)
    return [(place, weight**2 / total) for weight, place in best if total > 0.0]


def _folders(seeds: Iterable[tuple[Place, float]]) -> dict[Place, float]:
    shares: dict[Place, float] = defaultdict(float)
    for (namespace, path), share in seeds:
        shares[namespace, folder_of(path)] += share
    return shares
