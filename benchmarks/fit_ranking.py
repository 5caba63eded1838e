"""Which weights does the ranker of code get from rows of localisation?

Takes the same rows, trees and cache as `benchmarks/localisation.py`, whose kept answers hold the features of every
candidate. Weights of files are fitted first, those of parts then, over the functions of the rows that have any. Prints
recall with weights from the other half of the rows (cross-fitted), with those of half A on half B, and the weights of
all rows as lines for `retrieval/ranking/code/settings.py`, with the name and digest of every file of rows. Only rows
under a permissive licence may make weights that ship: the open rows are under the MIT licence.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np

from benchmarks.conditional_logit import Choice, Matrix, fitted
from benchmarks.localisation import add_options, run
from benchmarks.localisation_figures import Order, as_ordered, figures, reordered
from benchmarks.localisation_measure import Features, Located
from benchmarks.localisation_runs import RowResult
from benchmarks.results import percent, table
from retrieval.ranking.code.scoring import score
from retrieval.ranking.code.settings import CodeRankingSettings, FileWeights, RecordWeights


def main() -> None:
    """Run or read, fit, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_options(parser)
    parser.add_argument("--penalty", type=float, default=3.0, help="of files' weights; the recipes found 2 to 5 right")
    parser.add_argument("--part-penalty", type=float, default=3.0, help="of parts' weights")
    parser.add_argument("--part-share", type=float, default=0.5, help="how far parts lie below their file's best")
    options = parser.parse_args()
    found = [r for r in run(options) if r.located is not None and r.located.gold and r.located.features is not None]
    halves = {half: fit([r for r in found if r.row.half == half], options) for half in "AB"}
    whole = fit(found, options)
    for name in sorted({r.row.set_name for r in found}):
        of_set = [r for r in found if r.row.set_name == name]
        half_b = [r for r in of_set if r.row.half == "B"]
        rows = [
            ("as shipped", *_cells(of_set, as_ordered)),
            ("cross-fitted", *_cells(of_set, _crossed(halves))),
            ("half B by A", *_cells(half_b, _by(halves["A"]))),
            ("all by all (too good)", *_cells(of_set, _by(whole))),
        ]
        print(f"\n{table((name, 'n', 'R@1', 'R@5', 'R@10', 'functions', 'R@10'), rows)}")
    print(f"\nFitted on {len(found)} rows, half A | half B | all:")
    for file in options.rows:
        print(f"  {file.name} sha256 {digest(file)}")
    for kind in ("long", "short", "record"):
        a, b, every = (asdict(getattr(settings, kind)) for settings in (halves["A"], halves["B"], whole))
        print(f"\n{kind}:")
        for name, value in every.items():
            print(f"    {name}={value:.2f},  # {a[name]:.2f} | {b[name]:.2f}")


def fit(found: Sequence[RowResult], options: argparse.Namespace) -> CodeRankingSettings:
    """Weights of files, for long and for short goals apart, and of parts from these rows; as before where none tell."""
    located = [r.located for r in found if r.located is not None]
    settings = CodeRankingSettings()
    long = [one for one in located if one.terms >= settings.short_terms]
    short = [one for one in located if one.terms < settings.short_terms]
    settings = replace(
        settings,
        long=_of_files(long, options.penalty) or settings.long,
        short=_of_files(short, options.penalty) or settings.short,
    )
    parts = [choice for one in located if (choice := _parts(one, settings.file(one.terms))) is not None]
    if not any(choice.tells for choice in parts):
        return settings
    own = options.part_share * fitted(parts, options.part_penalty)[1:]
    return replace(settings, record=RecordWeights(**_named(RecordWeights, own)))


def _of_files(located: Sequence[Located], penalty: float) -> FileWeights | None:
    choices = [_files(one) for one in located]
    telling = any(choice.tells for choice in choices)
    return FileWeights(**_named(FileWeights, fitted(choices, penalty))) if telling else None


def _files(located: Located) -> Choice:
    features = _features(located)
    gold = frozenset(located.gold)
    return Choice(features.files, np.asarray([path in gold for path in features.paths], dtype=np.bool_))


def _parts(located: Located, files: FileWeights) -> Choice | None:
    """The functions among the parts. Their first feature is the log of their file's share in the softmax of files."""
    features = _features(located)
    held = [at for at, unit in enumerate(features.units) if unit is not None and features.file_of[at] >= 0]
    if not held or not located.gold_functions:
        return None
    scores = score(features.files, files)
    shares = scores - (scores.max() + np.log(np.exp(scores - scores.max()).sum()))
    of_file = np.asarray([[shares[features.file_of[at]]] for at in held])
    gold = frozenset(located.gold_functions)
    return Choice(
        np.hstack([of_file, features.records[held]]),
        np.asarray([features.units[at] in gold for at in held], dtype=np.bool_),
    )


def _features(located: Located) -> Features:
    if located.features is None:
        raise ValueError(f"{located.row.instance_id}: the product ordered it by other means")
    return located.features


def _named(kind: type[FileWeights] | type[RecordWeights], values: Matrix) -> Mapping[str, float]:
    return dict(zip((each.name for each in fields(kind)), (round(value, 2) for value in values.tolist()), strict=True))


def _by(settings: CodeRankingSettings) -> Callable[[Located], Order]:
    return lambda located: reordered(located, settings)


def _crossed(halves: Mapping[str, CodeRankingSettings]) -> Callable[[Located], Order]:
    other = {"A": halves["B"], "B": halves["A"]}
    return lambda located: reordered(located, other[located.row.half])


def _cells(found: Iterable[RowResult], order: Callable[[Located], Order]) -> tuple[str, ...]:
    told = figures(list(found), order)
    recalls = (percent(told.at_1), percent(told.at_5), percent(told.at_10))
    return (str(told.n), *recalls, str(told.with_functions), percent(told.functions_at_10))


def digest(file: Path) -> str:
    """The sha256 of a file of rows."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
