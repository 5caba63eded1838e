"""From answers to figures: recall of files and functions, as the product ordered them and with some of its lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from math import nan
from statistics import fmean

from benchmarks.localisation_measure import Features, Located, Unit
from benchmarks.localisation_runs import RowResult
from retrieval.ranking.code.scoring import of_parts, score
from retrieval.ranking.code.settings import CodeRankingSettings, FileWeights, RecordWeights
from workingset.vocabulary import Tokens

ALL = "all"
LANES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "lexical": (("chunk", "chunks", "first_line", "titles", "path"), ("chunk", "first_line", "title")),
    "names": (("mention", "frame", "defines", "uses", "phrase"), ("line", "defines")),
    "history": (("commits", "recent", "frequent", "together"), ()),
    "vector": (("likeness",), ("likeness", "without_likeness")),
}
"""Features of files and of parts by the lane that finds them. What is in no lane (folder, test, length and the like) is
a prior: it stays beside any lane."""

Order = tuple[tuple[str, ...], tuple[Unit, ...]]
"""Files and functions, best first."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over rows. Functions are over the rows that have any; `nan` where there is none."""

    n: int
    at_1: float
    at_5: float
    at_10: float
    with_functions: int
    functions_at_10: float


def figures(results: Sequence[RowResult], order_of: Callable[[Located], Order]) -> Figures:
    """Recall of one way to order, over rows whose tree has a gold file."""
    located = [r.located for r in results if r.located is not None and r.located.gold]
    orders = [order_of(one) for one in located]
    files = [[recall(order[0], one.gold, k) for k in (1, 5, 10)] for one, order in zip(located, orders, strict=True)]
    functions = [
        recall(order[1], one.gold_functions, 10)
        for one, order in zip(located, orders, strict=True)
        if one.gold_functions
    ]
    at = [mean(row[place] for row in files) for place in range(3)]
    return Figures(len(files), at[0], at[1], at[2], len(functions), mean(functions))


def recall(order: Sequence[object], gold: Sequence[object], k: int) -> float:
    """The share of the gold among the first k."""
    return len(set(order[:k]).intersection(gold)) / len(gold)


def mean(values: Iterable[float]) -> float:
    """The mean, `nan` of nothing."""
    held = list(values)
    return fmean(held) if held else nan


def as_ordered(located: Located) -> Order:
    """The product's own order."""
    return located.files, located.functions


def packed_files(results: Sequence[RowResult], budget: Tokens) -> float:
    """The share of a row's gold files that have text in the set."""
    rows = [r.located for r in results if r.located is not None and r.located.gold]
    return mean(len(set(one.packed[budget].files).intersection(one.gold)) / len(one.gold) for one in rows)


def mapped_files(results: Sequence[RowResult], budget: Tokens) -> float:
    """The share of a row's gold files that Aider's map names, over the rows it was asked."""
    rows = [(r.located, r.aider) for r in results if r.located is not None and r.located.gold and r.aider]
    return mean(len(set(aider.within(budget)).intersection(one.gold)) / len(one.gold) for one, aider in rows)


def packed_all(results: Sequence[RowResult], budget: Tokens) -> float:
    """The share of rows with gold functions whose set holds them all whole."""
    rows = [r.located for r in results if r.located is not None and r.located.gold_functions]
    return mean(float(one.packed[budget].functions) for one in rows)


def efficiency(results: Sequence[RowResult], budget: Tokens) -> float:
    """Gold lines over delivered lines, pooled over rows."""
    packed = [r.located.packed[budget] for r in results if r.located is not None and r.located.gold]
    lines = sum(one.lines for one in packed)
    return sum(one.gold_lines for one in packed) / lines if lines else nan


def subsets() -> list[tuple[str, ...]]:
    """Each lane alone, each pair, all."""
    names = list(LANES)
    return [*((name,) for name in names), *combinations(names, 2), tuple(names)]


def with_lanes(lanes: Iterable[str], settings: CodeRankingSettings) -> Callable[[Located], Order]:
    """Order the same candidates with the weights of all other lanes at 0."""
    kept = set(lanes)
    off = [features for name, features in LANES.items() if name not in kept]
    without_files = {name for files, _ in off for name in files}
    without_parts = {name for _, parts in off for name in parts}
    return without(without_files, without_parts, settings)


def without(files: Iterable[str], parts: Iterable[str], settings: CodeRankingSettings) -> Callable[[Located], Order]:
    """Order the same candidates with the weights of these features at 0."""
    off = dict.fromkeys(files, 0.0)
    changed = replace(
        settings,
        long=replace(settings.long, **off),
        short=replace(settings.short, **off),
        record=replace(settings.record, **dict.fromkeys(parts, 0.0)),
    )
    return lambda located: reordered(located, changed)


def reordered(located: Located, settings: CodeRankingSettings) -> Order:
    """The order that other settings give to the same candidates."""
    features = located.features
    if features is None:
        return located.files, located.functions
    of_files = score(features.files, settings.file(located.terms))
    totals = of_parts(of_files, score(features.records, settings.record), features.file_of)
    by_file = sorted(_first_parts(features, totals.tolist()).items(), key=lambda item: (-item[1], item[0]))
    by_unit: dict[Unit, float] = {}
    for unit, total in zip(features.units, totals.tolist(), strict=True):
        if unit is not None:
            by_unit[unit] = max(by_unit.get(unit, total), total)
    functions = sorted(by_unit, key=lambda unit: (-by_unit[unit], unit))
    return tuple(path for path, _ in by_file), tuple(functions)


def _first_parts(features: Features, totals: Sequence[float]) -> dict[str, float]:
    best: dict[str, float] = {}
    for file, total in zip(features.file_of, totals, strict=True):
        if file >= 0:
            path = features.paths[file]
            best[path] = max(best.get(path, total), total)
    return best


def ablations() -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """(name, features of files, features of parts) to leave out, one at a time."""
    of_files = [(f"file {each.name}", (each.name,), ()) for each in fields(FileWeights)]
    return [*of_files, *((f"part {each.name}", (), (each.name,)) for each in fields(RecordWeights))]
