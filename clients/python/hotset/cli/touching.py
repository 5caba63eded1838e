"""Commands that report what the agent did: touch, observe."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hotset.cli import options as o
from hotset.cli.link import connect
from hotset.cli.output import show
from hotset.cli.places import use_of
from hotset.cli.render import render_touch, visible
from hotset.errors import BadRequest
from hotset.types import Observation, ObservationKind, Use, UseAction


class Kind(StrEnum):
    """Whose words are reported."""

    USER = "user"
    AGENT = "agent"
    TOOL_CALL = "tool-call"
    TOOL_OUTPUT = "tool-output"


def touch(
    places: Annotated[
        list[str] | None, typer.Argument(metavar="PLACE...", help="PATH:10-48, PATH, or a ref (namespace:name).")
    ] = None,
    ref: Annotated[list[str] | None, typer.Option("--ref", help="A ref that reads like a place.")] = None,
    edit: Annotated[bool, typer.Option("--edit", help="The agent edited them.")] = False,
    cite: Annotated[bool, typer.Option("--cite", help="The agent cited them.")] = False,
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Where the paths are.")] = "",
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Report what the agent really used; what was not in the block is a fault and is paged in."""
    if edit and cite:
        raise typer.BadParameter("--edit and --cite: one of them; touch twice for both")
    action = UseAction.EDIT if edit else UseAction.CITE if cite else UseAction.READ
    uses = tuple(use_of(place, namespace, action) for place in places or ())
    uses += tuple(Use(ref=each, action=action) for each in ref or ())
    if not uses:
        raise typer.BadParameter("name at least one place or --ref")
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.touch(uses)
    show(answer, lambda: render_touch(answer, uses), json=json)


def observe(
    kind: Annotated[Kind, typer.Argument(help="Whose words they are.")],
    file: Annotated[Path, typer.Argument(help="Where they are. -: standard input.")] = Path("-"),
    tool: Annotated[str, typer.Option("--tool", help="Which tool was called, or answered.")] = "",
    keep: Annotated[bool, typer.Option("--keep", help="Keep them as a record in the agent's own namespace.")] = False,
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Report what the agent did or saw; what it used is found in it.

    A tool call uses the files that it names, in the set or not: one that is not there is a fault. Words of user and
    agent use what is in the set, by ref, path, path with lines, or name. A tool's output uses what is in the set by ref
    or by path with lines ("src/a.py:10: …") only: files that it lists were not read.
    """
    seen = Observation(ObservationKind(kind.value.replace("-", "_")), _text_of(file), tool)
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.touch(observed=[seen], keep_history=keep)
    show(answer, lambda: render_touch(answer, searched=_SEARCHED[kind]), json=json)


_SEARCHED = {
    Kind.USER: "no ref, path or name of what is in the set is in it",
    Kind.AGENT: "no ref, path or name of what is in the set is in it",
    Kind.TOOL_CALL: "it names no file of a namespace that was searched last",
    Kind.TOOL_OUTPUT: "no ref, and no path with lines, of what is in the set is in it",
}
"""Why nothing was found in words of each kind."""


def _text_of(file: Path) -> str:
    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.expanduser().read_bytes()
    except OSError as error:
        why = f"{visible(str(file))} cannot be read: {error.strerror or error}"
        raise typer.BadParameter(why, param_hint="FILE") from None
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"text: byte {error.start} of {file} is not UTF-8",
            reason="BAD_FIELD",
            field="text",
            what_to_do="write it as UTF-8 first, for instance with iconv",
        ) from None
