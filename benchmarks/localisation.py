"""Are the files and functions that an issue or a prompt is about in the working set?

Measure M2: rows of issues and of first prompts with the files that were changed for them, over their trees at the
commit before. Each tree goes through the product's own ingest into one namespace a repository, each goal through its
own projection, and at each budget through one Focus of its core with the default window. All files are candidates,
tests too. Rows are answered by commit, so that a tree differs little from the one before. Missing vectors are made on
demand for the best lexical hits, as the daemon makes them, but given the time they take.

Lanes alone, in pairs, and ablations order the same candidates with the weights of other features at 0. Beside us: BM25
over whole files of the same tree, and Aider, by its own ranking of files and by what its repository map names.

The weights that ship were fitted on all open rows: on those, this program's figures are in-sample, in both halves, and
`benchmarks/fit_ranking.py` prints what weights of the other half give. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import nan
from pathlib import Path

from benchmarks.data import DATA, GIT_DIRS, BadRow, need_files, read_start_commits, stop
from benchmarks.localisation_figures import (
    ALL,
    LANES,
    Figures,
    Order,
    ablations,
    as_ordered,
    efficiency,
    figures,
    mapped_files,
    packed_all,
    packed_files,
    subsets,
    with_lanes,
    without,
)
from benchmarks.localisation_measure import Located
from benchmarks.localisation_rows import Row, read_localisations
from benchmarks.localisation_runs import Inputs, RowResult, results
from benchmarks.results import Value, percent, result_line, table
from benchmarks.session_options import Flattened, budgets_of
from benchmarks.sessions import default_cache
from retrieval.ranking.code.settings import CodeRankingSettings
from workingset.vocabulary import Tokens

_ROWS = [DATA / "codeloc" / f"{name}.open.jsonl.gz" for name in ("swebench", "entire_sessions")]
_HOW_TO_CLONE = "Make each: git clone --bare https://github.com/OWNER/NAME GIT_DIRS/OWNER+NAME/repo"
_HOW_TO_GIVE = f"They come with the evaluation data, expected at {DATA}; benchmarks/localisation_rows.py says the form."
_SETTINGS = CodeRankingSettings()
_HEAD = ("n", "R@1", "R@5", "R@10", "functions", "R@10")


def main() -> None:
    """Read, run, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_options(parser)
    options = parser.parse_args()
    found = run(options)
    sets = {name: [r for r in found if r.row.set_name == name] for name in sorted({r.row.set_name for r in found})}
    print(inputs(sets))
    for name, of_set in sets.items():
        print(f"\n{name}\n{_main_table(of_set, options)}\n\n{_budget_table(of_set, options.budgets)}")
        if options.lanes == (ALL,):
            print(f"\n{_lane_table(of_set)}\n\n{_ablation_table(of_set)}")
    print()
    for line in _lines(sets, options):
        print(line)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options, which `benchmarks/fit_ranking.py` shares."""
    parser.add_argument("--rows", type=Path, nargs="+", default=_ROWS, metavar="FILE")
    parser.add_argument("--git-dirs", type=Path, default=GIT_DIRS, help="bare clones, at DIR/owner+name/repo")
    parser.add_argument("--start-commits", type=Path, default=DATA / "start_commits.json")
    parser.add_argument("--lanes", type=_lanes, default=(ALL,), help=f"{ALL}, or of {', '.join(LANES)} joined by +")
    parser.add_argument(
        "--budgets",
        type=budgets_of,
        nargs="+",
        action=Flattened,
        default=budgets_of("2000,4000,8000"),
        metavar="TOKENS",
    )
    parser.add_argument("--limit", type=int, help="so many rows of each file, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=default_cache(), help="what was made is kept here and used again")
    parser.add_argument("--aider-python", type=Path, help="the Python of an environment that has aider-chat")
    parser.add_argument("--aider-limit", type=int, default=20, help="so many rows of each file go to Aider too")


def run(options: argparse.Namespace) -> list[RowResult]:
    """Answer the rows; exits with 2 where something is not there."""
    need_files(options.rows, "rows (--rows)", _HOW_TO_GIVE)
    need_files([options.git_dirs], "bare clones of the rows' repositories (--git-dirs)", _HOW_TO_CLONE)
    starts = read_start_commits(options.start_commits) if options.start_commits.exists() else {}
    rows: list[Row] = []
    aider: set[str] = set()
    for file in options.rows:
        try:
            of_file = list(read_localisations(file, starts))
        except BadRow as error:
            stop(str(error))
        chosen = random.Random(options.seed).sample(of_file, min(len(of_file), options.limit or len(of_file)))
        rows += chosen
        aider.update(row.instance_id for row in chosen[: options.aider_limit])
    given = Inputs(options.git_dirs, options.cache, options.budgets, options.aider_python, frozenset(aider))
    found = list(results(rows, given))
    if not any(r.located for r in found):
        stop(f"no row could be answered: {dict(Counter(r.missing for r in found))}\n{_HOW_TO_CLONE}")
    return found


def _lanes(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split("+") if name.strip())
    if names != (ALL,) and (not names or any(name not in LANES for name in names)):
        raise argparse.ArgumentTypeError(f"{text!r}: {ALL}, or of {', '.join(LANES)} joined by +")
    return names


def inputs(sets: Mapping[str, Sequence[RowResult]]) -> str:
    """What was answered, what was left out, and what it took."""
    rows: list[tuple[str, ...]] = []
    for name, of_set in sets.items():
        located = [r.located for r in of_set if r.located is not None]
        rows.append(
            (
                name,
                str(len(of_set)),
                str(sum(bool(r.missing) for r in of_set)),
                str(sum(not one.gold for one in located)),
                str(sum(bool(one.gold_functions) for one in located)),
                f"{max((one.records for one in located), default=0):,}",
                str(sum(one.model_calls for one in located)),
                str(sum(one.embedding_calls for one in located)),
                " / ".join(sorted({one.order.split(";")[0] + one.order.split(";")[1] for one in located})),
            )
        )
    head = ("set", "rows", "no tree", "no gold", "functions", "records", "model calls", "embedded", "order")
    return table(head, rows)


def _order(options: argparse.Namespace) -> Callable[[Located], Order]:
    return as_ordered if options.lanes == (ALL,) else with_lanes(options.lanes, _SETTINGS)


def _main_table(of_set: Sequence[RowResult], options: argparse.Namespace) -> str:
    order = _order(options)
    rows = [("+".join(options.lanes), *_cells(figures(of_set, order)))]
    halves = [(half, [r for r in of_set if r.row.half == half]) for half in "AB"]
    rows += [(f"  half {half}", *_cells(figures(of_half, order))) for half, of_half in halves]
    rows.append(("BM25 over files", *_cells(figures(of_set, _bm25_of(of_set)))))
    if asked := [r for r in of_set if r.aider]:
        rows.append(("Aider's ranking", *_cells(figures(asked, _aider_of(asked)))))
        rows.append(("  the same rows, ours", *_cells(figures(asked, order))))
    return table(("files", *_HEAD), rows)


def _bm25_of(of_set: Sequence[RowResult]) -> Callable[[Located], Order]:
    by_id = {r.row.instance_id: r.bm25 for r in of_set}
    return lambda located: (by_id[located.row.instance_id], ())


def _aider_of(asked: Sequence[RowResult]) -> Callable[[Located], Order]:
    by_id = {r.row.instance_id: r.aider.ranked for r in asked if r.aider}
    return lambda located: (by_id[located.row.instance_id], ())


def _cells(found: Figures) -> tuple[str, ...]:
    recalls = (percent(found.at_1), percent(found.at_5), percent(found.at_10))
    return (str(found.n), *recalls, str(found.with_functions), percent(found.functions_at_10))


def _budget_table(of_set: Sequence[RowResult], budgets: Sequence[Tokens]) -> str:
    head = ("all lanes, budget", "gold files in the set", "all gold functions", "gold lines of delivered")
    aider = [r for r in of_set if r.aider]
    head = (*head, f"of {len(aider)} rows: gold files in the set", "in Aider's map") if aider else head
    rows: list[tuple[str, ...]] = []
    for budget in budgets:
        in_set = (percent(packed_files(of_set, budget)), percent(packed_all(of_set, budget)))
        row = (f"{budget:,}", *in_set, percent(efficiency(of_set, budget), 2))
        if aider:
            row = (*row, percent(packed_files(aider, budget)), percent(mapped_files(aider, budget)))
        rows.append(row)
    return table(head, rows)


def _lane_table(of_set: Sequence[RowResult]) -> str:
    return table(
        ("lanes", *_HEAD),
        [("+".join(lanes), *_cells(figures(of_set, with_lanes(lanes, _SETTINGS)))) for lanes in subsets()],
    )


def _ablation_table(of_set: Sequence[RowResult]) -> str:
    rows = [
        (f"without {name}", *_cells(figures(of_set, without(files, parts, _SETTINGS))))
        for name, files, parts in ablations()
    ]
    return table(("one feature left out", *_HEAD), rows)


def _lines(sets: Mapping[str, Sequence[RowResult]], options: argparse.Namespace) -> list[str]:
    lines: list[str] = []
    for name, of_set in sets.items():
        ours = figures(of_set, _order(options))
        calls = sum(r.located.model_calls for r in of_set if r.located is not None)
        whole = options.lanes == (ALL,)
        for budget in options.budgets:
            spent = efficiency(of_set, budget) if whole else nan
            in_set = packed_all(of_set, budget) if whole else nan
            lines.append(_line(name, "+".join(options.lanes), budget, ours, spent, in_set, calls))
        lines.append(_line(name, "bm25", "none", figures(of_set, _bm25_of(of_set)), nan, nan))
        asked = [r for r in of_set if r.aider]
        if asked:
            lines.append(_line(name, "aider", "none", figures(asked, _aider_of(asked)), nan, nan))
        if whole:
            for lanes in subsets():
                found = figures(of_set, with_lanes(lanes, _SETTINGS))
                lines.append(_line(name, "+".join(lanes), "none", found, nan, nan))
    return lines


def _line(
    name: str, lanes: str, budget: Tokens | str, found: Figures, spent: float, in_set: float, calls: int = 0
) -> str:
    values: dict[str, Value] = {
        "set": name,
        "n": found.n,
        "lanes": lanes,
        "budget": budget,
        "recall_at_1": found.at_1,
        "recall_at_5": found.at_5,
        "recall_at_10": found.at_10,
        "function_recall_at_10": found.functions_at_10,
        "efficiency": spent,
        "functions_in_set": in_set,
        "model_calls": calls,
    }
    return result_line("M2", values)


if __name__ == "__main__":
    main()
