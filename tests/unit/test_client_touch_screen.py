"""The screen of a touch: what was paged in has its place, and what got none is not called so."""

from __future__ import annotations

from rich.console import Console

from hotset.cli.render import render_touch
from hotset.types import Faults, Move, Tier, TouchAnswer, Touched, Versions


def screen(touched: Touched, *moves: Move) -> str:
    answer = TouchAnswer(
        agent="dev",
        turn=1,
        touched=(touched,),
        unmatched=(),
        moves=moves,
        faults=Faults(1, 0, 1, 0),
        versions=Versions(),
        model_calls=0,
        replayed=False,
        observed=(),
        kept=(),
        passed_over=(),
    )
    console = Console(width=100)
    with console.capture() as captured:
        console.print(render_touch(answer))
    return captured.get()


def move(origin: Tier, target: Tier, title: str) -> Move:
    return Move(f"shop:{title}", origin, target, "why", title)


def test_what_has_its_place_was_paged_in_and_what_has_none_was_not() -> None:
    shown = screen(
        Touched(0, ("shop:small", "shop:large"), fault=True, paged_in=("shop:small",), no_place=("shop:large",)),
        move(Tier.EVICTED, Tier.RESIDENT, "small"),
        move(Tier.EVICTED, Tier.RESIDENT, "large"),
        move(Tier.RESIDENT, Tier.EVICTED, "large"),
    )
    assert "paged in: small" in shown
    assert "no place for all of: large" in shown
    assert "Moves: 1 paged in, 1 evicted" in shown
