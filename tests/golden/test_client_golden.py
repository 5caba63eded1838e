"""What people and programs see of the worked example, byte for byte.

Set HOTSET_WRITE_GOLDEN=1 to write the files anew, and read the difference before keeping it.
"""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

from hotset import as_json
from hotset.cli.render import (
    render_check,
    render_closed,
    render_collected,
    render_focus,
    render_forget,
    render_fork,
    render_handoff,
    render_ingest_summary,
    render_moves,
    render_pin,
    render_receipt,
    render_replay,
    render_status,
    render_touch,
)
from hotset.types import Answer, PinAnswer
from tests.golden import client_example as example

HERE = Path(__file__).parent / "client"
GOAL = "Why is the nightly export of invoices slow?"

OVER = replace(
    example.FOCUS,
    answer=Answer.OVER_BUDGET,
    over_budget=example.OVER_BUDGET,
    block="",
    items=(),
    moves=(),
    degraded=False,
)
NOT_TAKEN = PinAnswer("dev-7", Answer.OVER_BUDGET, None, example.OVER_BUDGET, (), example.VERSIONS, False)
TAKEN = PinAnswer("dev-7", Answer.OK, example.PIN, None, example.MOVES[1:2], example.VERSIONS, False)

SCREENS: dict[str, RenderableType] = {
    "focus": render_focus(example.FOCUS, GOAL),
    "focus_over_budget": render_focus(OVER, GOAL),
    "check": render_check(example.CHECK),
    "status": render_status(example.STATUS),
    "touch": render_touch(example.TOUCH, example.USES),
    "observe": render_touch(example.SEEN),
    "observe_nothing": render_touch(example.NOTHING_SEEN),
    "closed": render_closed(example.CLOSED),
    "fork": render_fork(example.FORKED),
    "handoff": render_handoff(example.HANDED),
    "forget": render_forget(example.FORGOTTEN),
    "forget_left": render_forget(example.LEFT),
    "forget_unknown": render_forget(example.UNKNOWN),
    "explain": render_receipt(example.EXPLAINED),
    "replay": render_replay(example.REPLAYED),
    "replay_different": render_replay(example.OTHERWISE),
    "replay_other_code": render_replay(example.NOT_COMPARED),
    "collect": render_collected(example.COLLECTED),
    "collect_dry": render_collected(replace(example.COLLECTED, dry_run=True)),
    "pin": render_pin(TAKEN),
    "pin_over_budget": render_pin(NOT_TAKEN),
    "moves_none": render_moves(()),
    "ingest": render_ingest_summary(example.SUMMARY),
}


def screen(renderable: RenderableType, **options: object) -> str:
    """Return what a plain terminal of 80 columns shows; markup is on, as in a console that nobody set up."""
    plain = {"width": 80, "no_color": True, "force_terminal": False, "legacy_windows": False} | options
    console = Console(file=io.StringIO(), **plain)  # type: ignore[arg-type]
    console.print(renderable)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def compare(name: str, seen: str) -> None:
    file = HERE / name
    if os.environ.get("HOTSET_WRITE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(seen, encoding="utf-8")
    assert seen == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(SCREENS))
def test_a_screen_is_as_it_was(name: str) -> None:
    compare(f"{name}.txt", screen(SCREENS[name]))


@pytest.mark.parametrize("name", sorted(SCREENS))
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_screen_fits_and_obeys_no_control_of_stored_text(name: str, width: int) -> None:
    seen = screen(SCREENS[name], width=width)
    assert all(cell_len(line) <= width for line in seen.splitlines())
    assert "\x1b" not in seen
    assert "\x07" not in seen


@pytest.mark.parametrize("name", sorted(SCREENS))
def test_colour_adds_nothing_but_colour(name: str) -> None:
    coloured = Console(
        file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor", legacy_windows=False
    )
    with coloured.capture() as capture:
        coloured.print(SCREENS[name])
    plain = "".join(f"{line.rstrip()}\n" for line in Text.from_ansi(capture.get()).plain.splitlines())
    assert plain == screen(SCREENS[name])


def test_json_of_a_turn_is_as_it_was() -> None:
    compare("focus.json", as_json(example.FOCUS) + "\n")


def test_json_of_a_status_is_as_it_was() -> None:
    compare("status.json", as_json(replace(example.STATUS, items=example.ITEMS[:1])) + "\n")
