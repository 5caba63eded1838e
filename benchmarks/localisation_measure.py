"""What one row gave: how its files and functions are ranked, and what of them is in the set at each budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.localisation_rows import Row
from benchmarks.localisation_stand import Asked, Stand
from retrieval.ranking.code.scoring import Matrix
from retrieval.record import Record
from workingset.candidate import Candidate, Projection
from workingset.rendering import CountTokens
from workingset.settings import WorkingSetSettings
from workingset.transitions.focus import FocusOrder, focus
from workingset.vocabulary import AgentId, Fidelity, Lines, Ref, Tokens
from workingset.working_set import WorkingSet

Unit = tuple[str, str]
"""A function, as its path and its name; the parts of a long one are one unit."""
_PART = re.compile(r" \(part \d+\)$")


@dataclass(frozen=True, slots=True)
class Packed:
    """A set under one budget: which gold files have any text in it, whether all gold functions are in it whole, its
    lines, and how many of them are gold."""

    files: tuple[str, ...]
    functions: bool
    lines: int
    gold_lines: int


@dataclass(frozen=True, slots=True)
class Features:
    """What the order was made of: normalised features, shape (files, features) and (records, features).

    `file_of` is the row among the files that each record's file has, -1 for none. `units` are empty for what is no
    function.
    """

    paths: tuple[str, ...]
    files: Matrix
    units: tuple[Unit | None, ...]
    records: Matrix
    file_of: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Located:
    """One row as the product answered it. `files` and `functions` are in the order of the results, each once; `gold`
    are those of the row's files that the tree has, `gold_functions` its functions by the tree's own records.
    `terms` are the distinct ones of the goal."""

    row: Row
    files: tuple[str, ...]
    functions: tuple[Unit, ...]
    gold: tuple[str, ...]
    gold_functions: tuple[Unit, ...]
    packed: dict[Tokens, Packed]
    features: Features | None
    records: int
    milliseconds: float
    model_calls: int
    embedding_calls: int
    order: str
    terms: int


def locate(stand: Stand, row: Row, budgets: Sequence[Tokens], count: CountTokens) -> Located:
    """Ask the stand, whose tree is the row's, and measure the answer."""
    asked = stand.ask(row.goal)
    at = {path: stand.records_at(path) for path in row.files}
    gold_records = [record for records in at.values() for record in records]
    functions = gold_functions(row, gold_records)
    projection = asked.projection
    units = [unit for candidate in projection.ranked if (unit := unit_of(candidate)) is not None]
    return Located(
        row=row,
        files=tuple(dict.fromkeys(candidate.path for candidate in projection.ranked if candidate.path)),
        functions=tuple(dict.fromkeys(units)),
        gold=tuple(path for path, records in at.items() if records),
        gold_functions=functions,
        packed={budget: _packed(projection, row, gold_records, functions, budget, count) for budget in budgets},
        features=_features(asked),
        records=projection.records_in_scope,
        milliseconds=asked.milliseconds,
        model_calls=projection.model_calls,
        embedding_calls=projection.embedding_calls,
        order=projection.fusion,
        terms=len(projection.goal.terms),
    )


def unit_of(record: Record | Candidate) -> Unit | None:
    """The function that a record is, or is a part of; None where it is none."""
    name = _PART.sub("", record.title)
    if record.kind == "function" or (record.kind == "chunk" and name != record.title):
        return record.path, name
    return None


def gold_functions(row: Row, records: Iterable[Record]) -> tuple[Unit, ...]:
    """The row's functions, or those its hunks overlap where it names none; a row without either has none. A nested
    function is in its outer one; what lies outside functions is left out."""
    units = {unit: record for record in records if (unit := unit_of(record)) is not None}
    if row.functions:
        found = {
            unit
            for unit in units
            for path, symbol in row.functions
            if unit[0] == path and (symbol == unit[1] or symbol.startswith(f"{unit[1]}."))
        }
    else:
        changed = (record for record in records if row.hunks and _gold_lines(row, record))
        found = {unit for record in changed if (unit := unit_of(record)) is not None}
    return tuple(sorted(found))


def _gold_lines(row: Row, record: Record | Candidate) -> int:
    """How many of the record's lines are gold: in a hunk, or in a gold file where the row has no hunks."""
    if record.lines is None or record.path not in row.files:
        return 0
    if not row.hunks:
        return record.lines.count
    return sum(_common(record.lines, lines) for path, lines in row.hunks if path == record.path)


def _common(one: Lines, other: Lines) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start) + 1)


def _packed(
    projection: Projection,
    row: Row,
    gold: Sequence[Record],
    functions: Sequence[Unit],
    budget: Tokens,
    count: CountTokens,
) -> Packed:
    """One Focus of the core, with the window and settings that a host gets by default."""
    settings = WorkingSetSettings()
    order = FocusOrder(budget, settings.packing.top_k_results, tuple(n for n, _ in projection.cut.generations))
    outcome = focus(WorkingSet(AgentId("bench")), projection, order, settings, count)
    whole = {entry.ref for entry in outcome.state.entries if entry.has_text and entry.fidelity is Fidelity.FULL}
    shown = {c.ref: c for c in (*projection.ranked, *projection.support) if c.ref in whole}
    texts = {entry.ref for entry in outcome.state.entries if entry.has_text}
    with_text = {c.path for c in (*projection.ranked, *projection.support) if c.ref in texts}
    return Packed(
        files=tuple(path for path in row.files if path in with_text),
        functions=bool(functions) and all(_is_in(row, unit, gold, whole) for unit in functions),
        lines=outcome.block.text.count("\n"),
        gold_lines=sum(_gold_lines(row, candidate) for candidate in shown.values()),
    )


def _is_in(row: Row, unit: Unit, gold: Iterable[Record], whole: set[Ref]) -> bool:
    """Whether the parts of the function that are to be changed are there; all parts where none is known."""
    parts = [record for record in gold if unit_of(record) == unit]
    changed = [record for record in parts if row.hunks and _gold_lines(row, record)]
    return all(record.ref in whole for record in changed or parts)


def _features(asked: Asked) -> Features | None:
    tables = asked.tables
    if tables is None:
        return None
    return Features(
        tuple(path for _, path in tables.files.places),
        tables.file_values,
        tuple(unit_of(record) for _, record in tables.records),
        tables.record_values,
        tables.file_of,
    )
