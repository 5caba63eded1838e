"""Which weights does the ranker of prose get from rows of multi-hop questions?

Asks the product every question, as `benchmarks/memory.py` does, and fits the weights of the shipped features over the
candidates of each. Prints recall with weights from the other half of the questions (cross-fitted), with those of half A
on half B, and half A's weights, which rounded to halves are `retrieval/ranking/prose/settings.py`, with the name and
digest of the rows. Only rows under a permissive licence may make weights that ship: MuSiQue is under CC BY 4.0.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.conditional_logit import Choice, Matrix, fitted
from benchmarks.kept_vectors import KeptEmbedder
from benchmarks.memory_rows import QuestionSet, SetFiles, default_sets, read_set
from benchmarks.memory_store import MemoryStore, opened
from benchmarks.results import percent, table
from benchmarks.sessions import default_cache
from retrieval.ranking.look import Look
from retrieval.ranking.prose.ranker import FITTED, ProseRanker
from retrieval.ranking.query_class import QueryClass
from retrieval.ranking.ranker import Ranked, Ranker, Ranking
from retrieval.settings import RetrievalSettings
from retrieval.text.embedding import MiniLmEmbedder

CUTS = (2, 5, 10)


@dataclass(frozen=True, slots=True)
class Row:
    """One question's candidates, and how many gold texts there are, found or not."""

    half: str
    choice: Choice
    gold: int

    def recall(self, weights: Matrix, cut: int) -> float:
        """The share of the gold among the first."""
        best = np.argsort(-(self.choice.values @ weights), kind="stable")[:cut]
        return float(self.choice.right[best].sum()) / self.gold


class Keeping(Ranker):
    """The shipped ranker, keeping the features of the latest question by ref."""

    name = "keeping"

    def __init__(self, within: ProseRanker) -> None:
        self._within = within
        self.features: dict[str, tuple[float, ...]] = {}

    def begin(self) -> Ranking:
        """An ordering as the ranker within gives it."""
        return _Kept(self._within.begin(), self.features)


class _Kept(Ranking):
    def __init__(self, within: Ranking, features: dict[str, tuple[float, ...]]) -> None:
        self._within = within
        self._features = features

    def bring(self, look: Look) -> Mapping[int, float]:
        """What the ranker within brings."""
        return self._within.bring(look)

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """What the ranker within says."""
        ranked = self._within.rank(look, record_ids)
        for record_id in sorted(record_ids):
            values = tuple(value for name, value in ranked.features[record_id] if name in FITTED)
            self._features[look.records[record_id].ref] = values
        return ranked


def main() -> None:
    """Ask, fit, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    musique = default_sets()[0]
    parser.add_argument("--questions", type=Path, default=musique.questions)
    parser.add_argument("--passages", type=Path, default=musique.passages)
    parser.add_argument("--penalty", type=float, default=0.1, help="of the squared weights")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="vectors are kept here and used again")
    options = parser.parse_args()
    files = SetFiles(options.questions, options.passages)
    questions = read_set(files)
    options.cache.mkdir(parents=True, exist_ok=True)
    embedder = KeptEmbedder(MiniLmEmbedder(), options.cache / "memory-vectors")
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder, opened(Path(folder), embedder) as store:
        store.fill(questions)
        rows = list(_rows(questions, store))
        embedder.save()
    _print(rows, options.penalty)
    for file in (options.questions, options.passages):
        print(f"{file.name} sha256 {hashlib.sha256(file.read_bytes()).hexdigest()}")


def _rows(questions: QuestionSet, store: MemoryStore) -> Iterator[Row]:
    settings = RetrievalSettings()
    keeping = Keeping(ProseRanker(settings.prose))
    retrieval = store.retrieval(settings, {QueryClass.PROSE: keeping})
    for question in questions.questions:
        keeping.features = {}
        store.ask(retrieval, question.pool, question.text)
        values = np.asarray(list(keeping.features.values()), dtype=np.float64).reshape(-1, len(FITTED))
        right = np.asarray([store.ids[ref] in question.gold for ref in keeping.features], dtype=np.bool_)
        yield Row(question.half, Choice(values, right), len(question.gold))


def _print(rows: Sequence[Row], penalty: float) -> None:
    halves = {half: [row for row in rows if row.half == half] for half in "AB"}
    weights = {half: fitted([row.choice for row in own], penalty) for half, own in halves.items()}
    crossed = [(row, weights["B" if row.half == "A" else "A"]) for row in rows]
    rounded = np.round(2.0 * weights["A"]) / 2.0
    table_rows = [
        _line("cross-fitted", crossed),
        _line("half B by A", [(row, weights["A"]) for row in halves["B"]]),
        _line("half B by A, rounded to halves", [(row, rounded) for row in halves["B"]]),
        _line("all by A, rounded to halves", [(row, rounded) for row in rows]),
    ]
    print(table(("recall %", "n", *(f"R@{cut}" for cut in CUTS)), table_rows))
    named = zip(FITTED, weights["A"], weights["B"], rounded, strict=True)
    print(
        table(
            ("weight", "half A", "half B", "A rounded"), [(n, f"{a:.2f}", f"{b:.2f}", f"{r:g}") for n, a, b, r in named]
        )
    )


def _line(name: str, scored: Sequence[tuple[Row, Matrix]]) -> tuple[str, ...]:
    cells = (percent(statistics.fmean(row.recall(weights, cut) for row, weights in scored)) for cut in CUTS)
    return (name, str(len(scored)), *cells)


if __name__ == "__main__":
    main()
