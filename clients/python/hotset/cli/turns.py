"""Commands of the agent's turn: focus, check, status, resolve, and undo, close-request, reset."""

from __future__ import annotations

from typing import Annotated

import typer

from hotset.cli import options as o
from hotset.cli.cuts import cut_at
from hotset.cli.hinting import hints_of
from hotset.cli.link import connect
from hotset.cli.output import emit, end, error_console, show
from hotset.cli.render import (
    RenderSettings,
    render_check,
    render_closed,
    render_focus,
    render_moves,
    render_resolve,
    render_status,
    visible,
)
from hotset.types import PageIn


def focus(
    goal: Annotated[str, typer.Argument(help="What the agent is about to do.")],
    budget: o.Budget = 0,
    namespace: o.Namespaces = None,
    top_k: o.TopK = 0,
    profile: o.Profile = "",
    request: Annotated[
        str, typer.Option("--request", help="What the user asked, where it is new. It stays until it is closed.")
    ] = "",
    page_in: Annotated[
        bool, typer.Option("--page-in/--no-page-in", help="Whether results may enter the block as text.")
    ] = True,
    changed: o.Changed = None,
    opened: o.Opened = None,
    read: o.ReadLately = None,
    diff: o.Diff = None,
    delta_only: Annotated[bool, typer.Option("--delta-only", help="Leave the block out; the delta has it.")] = False,
    refs: o.Refs = False,
    block: Annotated[bool, typer.Option("--block", help="Print the block to stdout, and nothing else.")] = False,
    request_id: Annotated[
        str | None, typer.Option("--request-id", help="A call repeated with the same id is not applied again.")
    ] = None,
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Take one turn: move the working set to GOAL and show what moved, what is in, and what was left out."""
    if block and (json or delta_only):
        raise typer.BadParameter("--block stands alone: --json holds the block too, --delta-only leaves it out")
    hints = hints_of(changed, opened, read, diff)
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.focus(
            goal,
            budget_tokens=budget,
            namespaces=namespace or (),
            top_k=top_k,
            profile=profile,
            user_request=request,
            page_in=PageIn.ON if page_in else PageIn.OFF,
            hints=hints,
            delta_only=delta_only,
            request_id=request_id,
        )
    if not block:
        show(answer, lambda: render_focus(answer, goal, RenderSettings(refs=refs)), json=json)
    elif answer.over_budget is None:
        emit(answer.block)
    else:
        error_console().print(render_focus(answer, goal))
    end(answer.answer)


def check(
    goal: Annotated[str, typer.Argument(help="What the agent is about to do. Else its current goal.")] = "",
    budget: o.Budget = 0,
    namespace: o.Namespaces = None,
    top_k: o.TopK = 0,
    profile: o.Profile = "",
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Ask "do I have enough?" without moving anything."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.check(goal, budget_tokens=budget, namespaces=namespace or (), top_k=top_k, profile=profile)
    show(answer, lambda: render_check(answer, goal), json=json)
    end(answer.answer)


def status(
    refs: o.Refs = False,
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Show the working set as it stands."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.status()
    show(answer, lambda: render_status(answer, RenderSettings(refs=refs)), json=json)


def resolve(
    refs: Annotated[list[str], typer.Argument(help="Refs, as every other command shows them.")],
    at: o.At = None,
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Read records by ref, whole. Moves nothing."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.resolve(refs, cut=cut_at(refs, at))
    show(answer, lambda: render_resolve(answer), json=json)


def undo(
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Take the refocus of the last turn back: what it took out returns."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.undo_refocus()
    show(answer, lambda: render_moves(answer.moves), json=json)


def close_request(
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Say that the user's request is done: it need not stay in the set any longer."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.close_request()
    show(answer, lambda: render_closed(answer), json=json)


def reset(
    reason: o.Reason = "",
    agent: o.Agent = "default",
    json: o.AsJson = False,
    address: o.Address = None,
    home: o.Home = None,
    no_autostart: o.NoAutostart = False,
    timeout: o.Timeout = None,
) -> None:
    """Say that the context was cleared or compacted: nothing counts as delivered any more."""
    with connect(address, home, no_autostart=no_autostart, timeout=timeout, agent=agent) as client:
        answer = client.reset_context(reason=reason)
    show(
        answer, lambda: f"{visible(answer.agent)}: epoch {answer.epoch} begins; the next block is sent whole", json=json
    )
