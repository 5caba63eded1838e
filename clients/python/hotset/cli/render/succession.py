"""Whose set it is, for people: a fork, a handoff, and what is left of an agent that was forgotten."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hotset.cli.render.text import add_row, count, counted, spaced, visible
from hotset.types import ForgetAnswer, ForkAnswer, HandoffAnswer


def render_fork(answer: ForkAnswer) -> RenderableType:
    """Return what the new agent begins with."""
    size = counted(answer.entries, "entry", "entries")
    whose = f"{visible(answer.child)} begins with a copy of {visible(answer.agent)}'s set"
    return Text(f"{whose}: {size}, at turn {answer.turn}")


def render_handoff(answer: HandoffAnswer) -> RenderableType:
    """Return who has the set now."""
    size = counted(answer.entries, "entry", "entries")
    agent = visible(answer.agent)
    return Text(f"{visible(answer.to)} has {agent}'s set now: {size}, at turn {answer.turn}; {agent} is left without")


def render_forget(answer: ForgetAnswer) -> RenderableType:
    """Return what was deleted, and what a look through the whole store still found."""
    agent = visible(answer.agent)
    heading = Text(f"Nothing of {agent} is left", style="bold green")
    if not answer.verified:
        heading = Text(f"Something of {agent} is LEFT", style="bold red")
    rows = [each for each in answer.deleted if each.count or each.left]
    if not rows:
        return Text(f"Nothing was kept of {agent}") if answer.verified else heading
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    table.add_column("what", overflow="fold")
    table.add_column("deleted", justify="right", no_wrap=True)
    table.add_column("left", justify="right", no_wrap=True)
    for each in rows:
        left = Text(count(each.left), style="bold red" if each.left else "")
        add_row(table, spaced(each.what), count(each.count), left)
    return Group(heading, table)
