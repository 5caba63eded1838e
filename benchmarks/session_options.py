"""The options that benchmarks over recorded sessions share, and reading what they name."""

from __future__ import annotations

import argparse
from collections.abc import Hashable, Sequence
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
_HOW_TO_CLONE = "Make each: git clone --bare https://github.com/OWNER/NAME GIT_DIRS/OWNER+NAME/repo"
_HOW_TO_GIVE = (
    f"It comes with the evaluation data, expected at {DATA}; other files of the form that benchmarks/data.py describes "
    "do as well."
)


def add_session_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name traces, trees and budgets."""
    parser.add_argument("--traces", type=Path, nargs="+", default=trace_files(), metavar="FILE")
    parser.add_argument("--git-dirs", type=Path, default=GIT_DIRS, help="bare clones, at DIR/owner+name/repo")
    parser.add_argument("--start-commits", type=Path, default=DATA / "start_commits.json")
    parser.add_argument(
        "--budgets",
        type=budgets_of,
        nargs="+",
        action=Flattened,
        default=budgets_of(BUDGETS),
        metavar="TOKENS",
        help="with blanks or commas between; 4k is 4000",
    )
    parser.add_argument("--limit", type=int, help="so many traces of each file")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="what was made is kept here and used again")


def sources_of(options: argparse.Namespace) -> Sources:
    """Return where trees come from; exits with 2 where something is not there."""
    need_files([options.git_dirs], "bare clones of the traces' repositories (--git-dirs)", _HOW_TO_CLONE)
    need_files([options.start_commits], "start commits (--start-commits)", _HOW_TO_GIVE)
    options.cache.mkdir(parents=True, exist_ok=True)
    return Sources(options.git_dirs, read_start_commits(options.start_commits), options.cache)


def read_all(options: argparse.Namespace) -> list[Trace]:
    """Return the traces of all files; exits with 2 where one is not there or not of the form."""
    need_files(options.traces, "traces (--traces)", _HOW_TO_GIVE)
    try:
        return [trace for file in options.traces for trace in read_traces(file, options.limit)]
    except BadRow as error:
        stop(str(error))


class Flattened(argparse.Action):
    """Takes words that each hold several values as one tuple of all of them."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Sequence[Sequence[Hashable]] | str | None,
        option_string: str | None = None,
    ) -> None:
        """Set the option to the values of all words, each once."""
        del parser, option_string
        setattr(namespace, self.dest, tuple(dict.fromkeys(value for word in values or () for value in word)))


def _tokens(word: str) -> Tokens:
    return Tokens(int(word.removesuffix("k")) * (1_000 if word.endswith("k") else 1))


def budgets_of(text: str) -> tuple[Tokens, ...]:
    """Return the budgets of one word, such as `2k,4000`; raises ArgumentTypeError."""
    try:
        budgets = tuple(_tokens(part.strip().lower()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: whole numbers of tokens are wanted, such as 4000 or 4k") from error
    if not budgets:
        raise argparse.ArgumentTypeError("give at least one budget")
    if min(budgets) < 1:
        raise argparse.ArgumentTypeError("each budget is at least 1 token")
    return budgets
