"""Commands of the host: pin, unpin, evict."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from hotset.cli import options as o
from hotset.cli.durations import seconds_of
from hotset.cli.link import connect
from hotset.cli.output import end, show
from hotset.cli.render import render_moves, render_pin, visible
from hotset.types import PinOwner


class Owner(StrEnum):
    """Who may hold a pin that is set by hand."""

    HOST = "host"
    AGENT = "agent"


def pin(
    ref: Annotated[str, typer.Argument(help="A record's ref; or use --text.")] = "",
    text: Annotated[str, typer.Option("--text", help="Pin these words instead of a record.")] = "",
    turns: Annotated[int, typer.Option("--turns", min=0, help="For so many turns. 0: until it is unpinned.")] = 0,
    until_reset: Annotated[bool, typer.Option("--until-reset", help="Until the context is next reset.")] = False,
    lasting: Annotated[
        str, typer.Option("--for", metavar="DURATION", help="For so long: 90s, 30m, 2h, 1d. The first end counts.")
    ] = "",
    follow: Annotated[bool, typer.Option("--follow", help="Go on to the record that supersedes it.")] = False,
    owner: Annotated[Owner, typer.Option("--owner", help="An agent's own pins are capped and expire.")] = Owner.HOST,
    reason: o.Reason = "",
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Keep a record, or words, in the set whatever the pressure."""
    if bool(ref) == bool(text):
        raise typer.BadParameter("name a ref, or words with --text: one of the two")
    seconds = _seconds(lasting)
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.pin(
            ref,
            text=text,
            reason=reason,
            expires_turns=turns,
            expires_with_epoch=until_reset,
            expires_seconds=seconds,
            follow_successor=follow,
            owner=PinOwner(owner.value),
        )
    show(answer, lambda: render_pin(answer), json=json)
    end(answer.answer)


def _seconds(lasting: str) -> int:
    try:
        return seconds_of(lasting) if lasting else 0
    except ValueError as error:
        raise typer.BadParameter(visible(str(error)), param_hint="--for") from None


def unpin(
    ref: Annotated[str, typer.Argument(help="The ref that is pinned.")],
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Take a pin away."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.unpin(ref)
    show(answer, lambda: render_moves(answer.moves), json=json)


def evict(
    refs: Annotated[list[str], typer.Argument(help="Refs to take out of the set.")],
    reason: o.Reason = "",
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Take entries out of the set. The records stay in the store and may return."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.evict(refs, reason=reason)
    show(answer, lambda: render_moves(answer.moves), json=json)
