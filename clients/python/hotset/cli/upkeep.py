"""Commands on how turns came about, and on history: explain, replay, collect."""

from __future__ import annotations

from typing import Annotated

import typer

from hotset.cli import options as o
from hotset.cli.durations import seconds_of
from hotset.cli.link import connect
from hotset.cli.output import agreed, show
from hotset.cli.render import render_collected, render_receipt, render_replay, visible
from hotset.errors import Cancelled, DaemonFault
from hotset.types import ReplayVerdict

Receipt = Annotated[
    str, typer.Argument(help="A receipt as Focus names it, agent/turn. Else the agent's --turn or last.")
]
TurnNumber = Annotated[int, typer.Option("--turn", min=0, help="Which turn of the agent. 0: the last Focus.")]


def explain(
    receipt: Receipt = "",
    turn: TurnNumber = 0,
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Show the receipt of a turn: what was decided, from which numbers, because of what."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.explain(turn, receipt=receipt)
    show(answer, lambda: render_receipt(answer), json=json)


def replay(
    receipt: Receipt = "",
    turn: TurnNumber = 0,
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Decide a turn again from what it was decided from: the status is 0 unless it comes out otherwise."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.replay(turn, receipt=receipt)
    show(answer, lambda: render_replay(answer), json=json)
    if answer.verdict is ReplayVerdict.DIFFERENT:
        raise DaemonFault(
            f"{answer.receipt} decides otherwise now",
            reason="REPLAY_DIFFERS",
            what_to_do="report it with the lines that differ",
        )


def collect(
    namespace: Annotated[
        str, typer.Argument(help="Whose history. Else that of every namespace, by --older-than.")
    ] = "",
    before: Annotated[int | None, typer.Option("--before", min=0, help="Cuts below this generation expire.")] = None,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", help="Cuts older than so long expire: 12h, 30d. 0: all but the newest."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be deleted, and delete nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Delete history: the earlier versions of records that only old cuts could show. What stands now stays."""
    seconds = _age(older_than)
    whose = visible(namespace) if namespace else "every namespace"
    if not dry_run and not yes and not agreed(f"Delete the history of {whose} up to there?"):
        raise Cancelled(
            "no history was deleted", reason="NOT_CONFIRMED", what_to_do="answer y, or give --yes to not be asked"
        )
    with connect(address, home, no_autostart=no_autostart, timeout=timeout) as client:
        answer = client.collect(namespace, before_generation=before, older_than_seconds=seconds, dry_run=dry_run)
    show(answer, lambda: render_collected(answer), json=json)


def _age(older_than: str | None) -> int | None:
    if older_than is None or older_than.strip() == "0":
        return None if older_than is None else 0
    try:
        return seconds_of(older_than)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--older-than") from error
