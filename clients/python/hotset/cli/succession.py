"""Commands on whose set it is: fork, handoff, forget."""

from __future__ import annotations

from typing import Annotated

import typer

from hotset.cli import options as o
from hotset.cli.link import connect
from hotset.cli.output import agreed, show
from hotset.cli.render import render_forget, render_fork, render_handoff, visible
from hotset.errors import Cancelled, DaemonFault


def fork(
    child: Annotated[str, typer.Argument(help="The new agent; it must not have a set yet.")],
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Give CHILD a copy of the working set; both go on by themselves."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.fork(child)
    show(answer, lambda: render_fork(answer), json=json)


def handoff(
    to: Annotated[str, typer.Argument(help="Who gets the set; it must not have one yet.")],
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Give TO the working set itself; the agent is left without."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.handoff(to)
    show(answer, lambda: render_handoff(answer), json=json)


def forget(
    agent: Annotated[str, typer.Argument(help="The agent that is forgotten.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Delete all that is kept of AGENT, and look whether anything is left: the status is 0 only if nothing is."""
    question = f"Delete all that is kept of agent {visible(agent)}, its set, its history and its notes?"
    if not yes and not agreed(question):
        raise Cancelled(
            f"nothing of {agent} was deleted",
            reason="NOT_CONFIRMED",
            what_to_do="answer y, or give --yes to not be asked",
        )
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.forget()
    show(answer, lambda: render_forget(answer), json=json)
    if not answer.verified:
        raise DaemonFault(
            f"something of {agent} is left after it was forgotten",
            reason="NOT_VERIFIED",
            what_to_do="end what still works for it and forget it again; if it stays so, report it",
        )
