"""Recorded sessions as values: the rows of `traces/*.jsonl.gz`, and what to say where files are not there.

A row is one session: `trace_id, repo, base_commit?, goal, turns: [{turn, action, refs, user?, text?, query?}]`, with
`refs: [{path, start?, end?, kind: open|search|edit, failed?}]`. Search references and failed ones are left out: they
put no text before the agent. Of equal references in one turn the first counts.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

DATA = Path("../shared/data")
GIT_DIRS = Path("../shared/git")
TRACE_SETS = ("entire", "miniswe", "bookminder", "aider")
COMPACTION = "compact"
"""The action of a turn in which the host compacted its context."""


class BadRow(ValueError):
    """A row that does not have the documented form; the message names the field and where it stands."""


@dataclass(frozen=True, slots=True)
class TraceReference:
    """One open or edit of a file. Lines count from 1 and include both ends; None is where the row has none."""

    path: str
    edit: bool
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class TraceTurn:
    """One action of the agent. `user` is what the human said just before it, `text` and `query` the agent's own."""

    action: str
    user: str = ""
    text: str = ""
    query: str = ""
    references: tuple[TraceReference, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """One recorded session. `actor` is who led it, where the row says so."""

    set_name: str
    trace_id: str
    repo: str
    base_commit: str
    goal: str
    turns: tuple[TraceTurn, ...]
    actor: str = ""


def trace_files(data: Path = DATA) -> list[Path]:
    """The four sets that everybody has."""
    return [data / "traces" / f"{name}.open.jsonl.gz" for name in TRACE_SETS]


def set_name(file: Path) -> str:
    """A set is called after its file, up to the first dot."""
    return file.name.partition(".")[0]


def read_traces(file: Path, limit: int | None = None) -> Iterator[Trace]:
    """Yield the first `limit` sessions of a file; raises BadRow, OSError."""
    for number, row in enumerate(read_rows(file), 1):
        if limit is not None and number > limit:
            return
        try:
            yield parse_trace(row, set_name(file))
        except BadRow as error:
            raise BadRow(f"{file}, line {number}: {error}") from error


def read_rows(file: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a file of JSON lines, packed or not; raises BadRow, OSError."""
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadRow(f"{file}, line {number}: not JSON: {error}") from error
            if not isinstance(row, dict):
                raise BadRow(f"{file}, line {number}: an object is wanted")
            yield row


def parse_trace(row: Mapping[str, Any], name: str) -> Trace:
    """Return a row as a session of the named set; raises BadRow."""
    for wanted, kind in (("trace_id", str), ("repo", str), ("turns", list)):
        if not isinstance(row.get(wanted), kind):
            raise BadRow(f"{wanted}: {kind.__name__} is wanted, there is {row.get(wanted)!r:.80}")
    return Trace(
        set_name=name,
        trace_id=row["trace_id"],
        repo=row["repo"],
        base_commit=row.get("base_commit") or "",
        goal=row.get("goal") or "",
        turns=tuple(_turn(turn, place) for place, turn in enumerate(row["turns"])),
        actor=row.get("actor") or "",
    )


def read_start_commits(file: Path) -> dict[str, str]:
    """Return the commit to start from by trace; sessions that are not listed start at their base."""
    listed = json.loads(file.read_text(encoding="utf-8"))
    return {trace_id: row["start_commit"] for trace_id, row in listed.items()}


def need_files(files: Iterable[Path], what: str, how: str) -> None:
    """Say how to get the files, and exit with 2, unless all are there."""
    missing = [file for file in files if not file.exists()]
    if missing:
        stop(f"{what} not there: {', '.join(map(str, missing))}\n{how}")


def stop(message: str) -> NoReturn:
    """Print why a benchmark cannot run, and exit with 2."""
    print(message, file=sys.stderr)
    raise SystemExit(2)


def _turn(turn: Mapping[str, Any], place: int) -> TraceTurn:
    refs = [ref for ref in turn.get("refs") or () if ref.get("kind") in ("open", "edit") and not ref.get("failed")]
    return TraceTurn(
        action=turn.get("action") or "",
        user=turn.get("user") or "",
        text=turn.get("text") or "",
        query=turn.get("query") or "",
        references=tuple(dict.fromkeys(_reference(ref, f"turns[{place}].refs") for ref in refs)),
    )


def _reference(ref: Mapping[str, Any], where: str) -> TraceReference:
    path, start, end = ref.get("path"), ref.get("start"), ref.get("end")
    if not isinstance(path, str) or not path:
        raise BadRow(f"{where}.path: a path is wanted, there is {path!r}")
    if start is not None and (not isinstance(start, int) or start < 1):
        raise BadRow(f"{where}.start: a line from 1 is wanted, there is {start!r}")
    if end is not None and (start is None or not isinstance(end, int) or end < start):
        raise BadRow(f"{where}.end: a line from start is wanted, there is {end!r}")
    return TraceReference(path, ref["kind"] == "edit", start, end)
