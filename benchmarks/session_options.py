"""The options that benchmarks over recorded sessions share, and reading what they name."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.data import (
    DATA,
    GIT_DIRS,
    BadRow,
    Trace,
    need_files,
    read_start_commits,
    read_traces,
    stop,
    trace_files,
)
from benchmarks.sessions import Sources, default_cache
from workingset.vocabulary import Tokens

POOLED = "pooled"
"""The name of all sets together, in tables and RESULT lines."""
BUDGETS = "4000,8000,16000,32000"


def add_session_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name traces, trees and budgets."""
    parser.add_argument("--traces", type=Path, nargs="+", default=trace_files(), metavar="FILE")
    parser.add_argument("--git-dirs", type=Path, default=GIT_DIRS, help="bare clones, at DIR/owner+name/repo")
    parser.add_argument("--start-commits", type=Path, default=DATA / "start_commits.json")
    parser.add_argument("--budgets", type=_budgets, default=_budgets(BUDGETS), help="tokens, with commas between")
    parser.add_argument("--limit", type=int, help="so many traces of each file")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="what was made is kept here and used again")


def sources_of(options: argparse.Namespace) -> Sources:
    """Return where trees come from; exits with 2 where something is not there."""
    need_files([options.git_dirs], "bare clones of the traces' repositories (--git-dirs)")
    need_files([options.start_commits], "start commits (--start-commits)")
    return Sources(options.git_dirs, read_start_commits(options.start_commits), options.cache)


def read_all(options: argparse.Namespace) -> list[Trace]:
    """Return the traces of all files; exits with 2 where one is not there or not of the form."""
    need_files(options.traces, "traces (--traces)")
    try:
        return [trace for file in options.traces for trace in read_traces(file, options.limit)]
    except BadRow as error:
        stop(str(error))


def _budgets(text: str) -> tuple[Tokens, ...]:
    try:
        budgets = tuple(Tokens(int(part)) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: whole numbers with commas between are wanted") from error
    if min(budgets) < 1:
        raise argparse.ArgumentTypeError("each budget is at least 1 token")
    return budgets
