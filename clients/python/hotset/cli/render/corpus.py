"""Knowledge for people: what an ingest did, records, lists, namespaces."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from hotset.cli.render.evaluation import facts
from hotset.cli.render.settings import RenderSettings
from hotset.cli.render.text import (
    Tail,
    Uncut,
    add_row,
    count,
    counted,
    moment,
    percent,
    place,
    reasons,
    spaced,
    visible,
    widest,
)
from hotset.types import (
    GetAnswer,
    IngestSummary,
    NamespaceDescription,
    ResolveAnswer,
    ResolvedRecord,
    StoredRecord,
)

_LIST_CELLS = 30
"""Cells of a list beside kinds and refs."""


def render_ingest_summary(summary: IngestSummary, settings: RenderSettings | None = None) -> RenderableType:
    """Return what an ingest wrote, and what it passed over and why."""
    settings = settings or RenderSettings()
    rows: list[tuple[str, RenderableType]] = [
        (
            "files",
            Text(
                f"{count(summary.files_taken)} taken, {count(summary.files_unchanged)} unchanged,"
                f" {count(summary.files_removed)} removed, {_size(summary.bytes)}"
            ),
        ),
        (
            "records",
            Text(
                f"{count(summary.records_written)} written, {count(summary.records_removed)} removed;"
                f" {counted(summary.edges_written, 'relation')}"
            ),
        ),
        ("took", Text(_time(summary))),
    ]
    if summary.skipped:
        rows.append(("passed over", Text(reasons(summary.skipped))))
    heading = f"Ingested into {visible(summary.namespace)}, now at generation {count(summary.generation)}"
    parts: list[RenderableType] = [Text(heading, style="bold"), facts(rows)]
    parts += [
        Text(f"  {visible(each.path)}: {spaced(each.reason)}: {visible(each.what)}", no_wrap=True, overflow="ellipsis")
        for each in summary.problems[: settings.problems]
    ]
    hidden = len(summary.problems) - settings.problems
    if hidden > 0 or summary.problems_truncated:
        parts.append(Text("  … and more: see the counts above", style="dim"))
    return Group(*parts)


def _time(summary: IngestSummary) -> str:
    stages = ", ".join(f"{spaced(each.stage)} {each.seconds:.1f}" for each in summary.stages)
    return f"{summary.elapsed_seconds:.1f} s" + (f" ({stages})" if stages else "")


def _size(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number / 1e3:.1f} kB"


def render_resolve(answer: ResolveAnswer) -> RenderableType:
    """Return records with their texts."""
    parts: list[RenderableType] = []
    for record in answer.records:
        parts += [_heading(record), _whole(record.text)]
    return Group(*parts)


def _whole(text: str) -> Text:
    """Return a text whose long lines stay as they are, so that it can be piped on."""
    return Text(visible(text, one_line=False), no_wrap=True, overflow="ignore")


def _heading(record: ResolvedRecord | StoredRecord) -> Rule:
    title = f"{visible(record.title or record.ref)} · {visible(record.kind)} · {place(record.path, record.lines)}"
    return Rule(
        Text(f"{title} · {spaced(record.standing.value)} @{record.generation}", overflow="ellipsis"), align="left"
    )


def render_record(answer: GetAnswer) -> RenderableType:
    """Return one record with its relations."""
    record = answer.record
    rows: list[tuple[str, RenderableType]] = [
        ("ref", Text(visible(record.ref))),
        ("digest", Text(visible(record.digest))),
    ]
    rows += [
        (name, Text(visible(value)))
        for name, value in (("source", record.source), ("origin", record.origin), ("language", record.language))
        if value
    ]
    told = (("retrieved", record.retrieved_seconds), ("verified", record.verified_seconds))
    rows += [(name, Text(moment(at))) for name, at in told if at]
    rows += [("validator", Text(visible(record.validator)))] if record.validator else []
    rows += [(visible(key), Text(visible(value))) for key, value in record.attributes.items()]
    table = Table.grid(padding=(0, 2))
    for edge in answer.edges:
        certainty = " (best effort)" if edge.best_effort else ""
        outward = edge.from_ref == record.ref
        other = edge.to_ref if outward else edge.from_ref
        relation = f"{spaced(edge.relation)} →" if outward else f"← {spaced(edge.relation)}"
        add_row(table, f"  {relation}", Text(visible(other)), f"{spaced(edge.role.value)}{certainty}")
    parts: list[RenderableType] = [_heading(record), facts(rows), _whole(record.text)]
    if answer.edges:
        more = ", and more" if answer.edges_truncated else ""
        parts += [Text(f"Relations: {count(len(answer.edges))}{more}", style="bold"), table]
    return Group(*parts)


def render_list(records: Iterable[StoredRecord]) -> RenderableType:
    """Return records as a table, without texts."""
    records = tuple(records)
    kinds, refs = (widest(map(visible, texts)) for texts in ((r.kind for r in records), (r.ref for r in records)))
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False, expand=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("what", no_wrap=True, overflow="ellipsis", ratio=2)
    table.add_column("where", no_wrap=True, overflow="ellipsis", ratio=2, style="dim")
    table.add_column("ref", no_wrap=True, width=max(refs, len("ref")))
    for record in records:
        add_row(
            table,
            visible(record.kind),
            Text(visible(record.title)),
            Tail(place(record.path, record.lines)),
            Text(visible(record.ref)),
        )
    return Uncut(table, max(kinds, len("kind")) + refs + _LIST_CELLS)


def render_namespace(answer: NamespaceDescription) -> RenderableType:
    """Return what a namespace holds and how far its indexes are."""
    rows: list[tuple[str, RenderableType]] = [
        ("generation", Text(count(answer.generation))),
        (
            "records",
            Text(f"{count(answer.records)} ({reasons(answer.kinds)})" if answer.kinds else count(answer.records)),
        ),
        ("relations", Text(count(answer.edges))),
    ]
    for index in answer.indexes:
        behind = f", {counted(index.lag, 'change')} behind" if index.lag else ""
        note = f": {visible(index.note)}" if index.note else ""
        rows.append((f"index {visible(index.index)}", Text(f"holds {percent(index.covered)}{behind}{note}")))
    if answer.relations:
        named = ", ".join(f"{spaced(each.relation)} ({spaced(each.role.value)})" for each in answer.relations)
        rows.append(("schema", Text(named)))
    return Group(Text(visible(answer.namespace), style="bold"), facts(rows))
