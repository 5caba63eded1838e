"""Commands on sources: follow a directory, list what is followed, follow it no longer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from hotset import HotsetClient
from hotset.cli import options as o
from hotset.cli.link import connect
from hotset.cli.output import error_console, show
from hotset.cli.places import slug
from hotset.cli.render import render_source, render_source_removed, render_sources, visible
from hotset.errors import NotFound
from hotset.types import AddSourceAnswer, Source, SourceState

app = typer.Typer(no_args_is_help=True, help="Directories whose records follow their files.")
_LOOK_SECONDS = 0.1
_Namespace = Annotated[
    str, typer.Option("--namespace", "-n", help="Where it goes. Else the directory's name, as a slug.")
]


@app.command()
def add(
    path: Annotated[Path, typer.Argument(help="A directory on the daemon's machine.")],
    namespace: _Namespace = "",
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until it is read.")] = False,
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Follow a directory: its code and documents are found as they are now, after every edit."""
    if not path.expanduser().is_dir():
        raise typer.BadParameter(f"{visible(str(path))} is not a directory", param_hint="PATH")
    named = namespace or slug(path)
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        answer = client.add_source(named, path)
        source = answer.source if no_wait else _read(client, answer)
    before = "followed already" if answer.already_followed else "followed from now on"
    show(
        AddSourceAnswer(source, answer.already_followed),
        lambda: Group(render_source(source), Text(before, style="dim")),
        json=json,
    )


def _read(client: HotsetClient, answer: AddSourceAnswer) -> Source:
    """Wait until the whole of a source is in, or cannot be; says on a terminal how far it is."""
    console = error_console()
    source = answer.source
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as said:
        task = said.add_task("reading", total=None)
        while source.state is SourceState.SCANNING:
            time.sleep(_LOOK_SECONDS)
            there = client.list_sources(source.namespace).sources
            found = next((each for each in there if each.root == source.root), None)
            if found is None:
                raise NotFound(
                    f"{source.root} is followed no longer: it was removed while it was read",
                    reason="UNKNOWN_SOURCE",
                )
            source = found
            if source.progress is not None:
                done = f"{source.progress.files_done:,}/{source.progress.files_total:,} files"
                said.update(task, description=done)
    return source


@app.command("list")
def list_sources(
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Only of this namespace.")] = "",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Show what is followed, how current it is, and what was passed over."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        answer = client.list_sources(namespace)
    show(answer, lambda: render_sources(answer), json=json)


@app.command()
def remove(
    path: Annotated[Path, typer.Argument(help="The directory, as it was added.")],
    namespace: _Namespace = "",
    keep: Annotated[bool, typer.Option("--keep", help="Leave its records as they are.")] = False,
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Follow a directory no longer, and take out what it brought."""
    named = namespace or slug(path)
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        answer = client.remove_source(named, path, keep_records=keep)
    show(answer, lambda: render_source_removed(answer), json=json)
