"""Commands on knowledge: ingest, list, get, describe."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from hotset.cli import options as o
from hotset.cli.cuts import cut_at
from hotset.cli.link import connect
from hotset.cli.output import error_console, show
from hotset.cli.places import slug
from hotset.cli.render import render_ingest_summary, render_list, render_namespace, render_record, visible
from hotset.errors import DaemonFault
from hotset.types import IngestEvent, IngestProgress, IngestSummary, StoredRecord


def ingest(
    path: Annotated[Path, typer.Argument(help="A directory on the daemon's machine.")],
    namespace: Annotated[
        str, typer.Option("--namespace", "-n", help="Where it goes. Else the directory's name, as a slug.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Take every file again, changed or not.")] = False,
    source: Annotated[str, typer.Option("--source", help="What to call the tree. Else the daemon names it.")] = "",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Put a directory's code and documents into the store; again later, to take what changed."""
    if not path.expanduser().is_dir():
        raise typer.BadParameter(f"{visible(str(path))} is not a directory", param_hint="PATH")
    named = namespace or slug(path)
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        summary = _follow(client.ingest_tree(named, path, force=force, source=source, timeout_seconds=timeout))
    show(summary, lambda: render_ingest_summary(summary), json=json)


def _follow(events: Iterator[IngestEvent]) -> IngestSummary:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"), TimeElapsedColumn())
    console = error_console()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("ingest", total=None, said="")
        for event in events:
            match event:
                case IngestProgress():
                    said = f"{event.files_done:,}/{event.files_total:,} files, {event.records:,} records"
                    progress.update(
                        task,
                        description=visible(event.stage),
                        total=event.files_total or None,
                        completed=event.files_done,
                        said=said,
                    )
                case IngestSummary():
                    return event
                case _:
                    continue
    raise DaemonFault(
        "the ingest ended without a summary", reason="NO_SUMMARY", what_to_do="run it again: what is in stays in"
    )


def list_records(
    namespace: Annotated[str, typer.Argument(help="Which namespace.")],
    kind: Annotated[str, typer.Option("--kind", help="Only records of this kind.")] = "",
    path: Annotated[str, typer.Option("--path", help="Only records whose path begins so.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=0, help="At most so many. 0: all.")] = 100,
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """List a namespace's records, without their texts."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        found = client.list_records(namespace, kind=kind, path_prefix=path)
        records = tuple(islice(found, limit)) if limit else tuple(found)
        more = bool(limit) and next(found, None) is not None
    show({"namespace": namespace, "records": records, "more": more}, lambda: _listed(records, more), json=json)


def _listed(records: tuple[StoredRecord, ...], more: bool) -> RenderableType:
    if not records:
        return Text("no records")
    rest = f"{len(records):,} records" + (" and more: raise --limit (0: all)" if more else "")
    return Group(render_list(records), Text(rest, style="dim"))


def get(
    ref: Annotated[str, typer.Argument(help="The record's ref.")],
    at: o.At = None,
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Show one record with its relations."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        answer = client.get(ref, cut=cut_at([ref], at))
    show(answer, lambda: render_record(answer), json=json)


def describe(
    namespace: Annotated[str, typer.Argument(help="Which namespace.")],
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Show what a namespace holds and how far its indexes are."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        answer = client.describe_namespace(namespace)
    show(answer, lambda: render_namespace(answer), json=json)
