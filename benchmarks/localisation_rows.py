"""Rows of localisation as values: a goal, the commit it was asked at, and the files, lines and functions it is about.

A row is one JSON object: `instance_id, set, repo, base_commit, goal, gold_files`, and where known `archivable`,
`gold_hunks: [{path, start, end}]` and `gold_functions: [{path, symbol}]`. A hunk that only adds lines to an empty file
starts at 0. Rows that are not archivable are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import BadRow, read_rows
from benchmarks.halves import half_of
from workingset.vocabulary import Lines


@dataclass(frozen=True, slots=True)
class Row:
    """One question about one tree. `commit` is the one to start from."""

    instance_id: str
    set_name: str
    repo: str
    commit: str
    goal: str
    files: tuple[str, ...]
    hunks: tuple[tuple[str, Lines], ...]
    functions: tuple[tuple[str, str], ...]

    @property
    def half(self) -> str:
        """Which half of the rows it is of."""
        return half_of(self.instance_id)


def read_localisations(file: Path, start_commits: Mapping[str, str]) -> Iterator[Row]:
    """Yield the archivable rows of a file; raises BadRow, OSError."""
    for number, row in enumerate(read_rows(file), 1):
        if row.get("archivable", True):
            try:
                yield parse_row(row, start_commits)
            except (KeyError, TypeError, ValueError) as error:
                raise BadRow(f"{file}, line {number}: {error!r} is missing or not of the form") from error


def parse_row(row: Mapping[str, Any], start_commits: Mapping[str, str]) -> Row:
    """Return a row as a value; raises KeyError, TypeError, ValueError."""
    return Row(
        instance_id=row["instance_id"],
        set_name=row["set"],
        repo=row["repo"],
        commit=start_commits.get(row["instance_id"], row["base_commit"]),
        goal=row["goal"],
        files=tuple(row["gold_files"]),
        hunks=tuple(
            (hunk["path"], Lines(max(1, hunk["start"]), max(1, hunk["start"], hunk["end"])))
            for hunk in row.get("gold_hunks") or ()
        ),
        functions=tuple((one["path"], one["symbol"]) for one in row.get("gold_functions") or ()),
    )
