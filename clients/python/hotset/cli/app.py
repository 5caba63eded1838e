"""The command line, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from hotset._version import VERSION
from hotset.cli import exits, knowledge, pins, serve, sources, stop, succession, touching, turns, upkeep
from hotset.cli.output import complain, emit
from hotset.errors import BadRequest, HotsetError

app = typer.Typer(
    name="hotset",
    help="What deserves a place in an agent's attention, and an honest account of everything else.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        emit(f"hotset {VERSION}\n")
        raise typer.Exit(exits.OK)


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")] = False,
) -> None:
    """What deserves a place in an agent's attention, and an honest account of everything else."""


app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(serve.serve)
app.command()(stop.stop)
app.command()(knowledge.ingest)
app.add_typer(sources.app, name="source")
app.command()(turns.focus)
app.command()(turns.check)
app.command()(turns.status)
app.command()(touching.touch)
app.command()(touching.observe)
app.command()(turns.resolve)
app.command()(pins.pin)
app.command()(pins.unpin)
app.command()(pins.evict)
app.command()(turns.undo)
app.command("close-request")(turns.close_request)
app.command()(turns.reset)
app.command()(succession.fork)
app.command()(succession.handoff)
app.command()(succession.forget)
app.command()(upkeep.explain)
app.command()(upkeep.replay)
app.command()(upkeep.collect)
app.command("list")(knowledge.list_records)
app.command()(knowledge.get)
app.command()(knowledge.describe)


def run(arguments: list[str] | None = None) -> None:
    """Run one command and end the process; `arguments` replaces those of the process."""
    try:
        app(args=arguments, prog_name="hotset")
    except HotsetError as error:
        complain(error)
        raise SystemExit(exits.USAGE if isinstance(error, BadRequest) else exits.ERROR) from None
