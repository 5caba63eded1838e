"""F78: two agents, one store, 10,000 interleaved turns / compare with serial runs / per-agent digests equal.

A tenth of the turns here.
"""

from __future__ import annotations

import random
from pathlib import Path

from hotsetd.calls import TouchCall, UseCall
from tests.daemon_room import NAMESPACE, Room, note, opened
from workingset.transitions.touch import Action

TURNS = 500
GOALS = [f"{what} case {i}" for what in ("refund", "invoice", "stock") for i in range(8)]


def test_f78_interleaved_agents_end_where_serial_ones_do(tmp_path: Path) -> None:
    plans = {agent: _plan(agent) for agent in ("ann", "bob")}
    with opened(tmp_path / "serial") as room:
        _fill(room)
        for agent, goals in plans.items():
            for goal in goals:
                _turn(room, agent, goal)
        serial = {agent: room.parts.turns.status(room.parts.caller, agent).state_digest for agent in plans}

    with opened(tmp_path / "interleaved") as room:
        _fill(room)
        order = [agent for agent in plans for _ in range(TURNS)]
        random.Random(7).shuffle(order)
        left = {agent: iter(goals) for agent, goals in plans.items()}
        for agent in order:
            _turn(room, agent, next(left[agent]))
        interleaved = {agent: room.parts.turns.status(room.parts.caller, agent).state_digest for agent in plans}

    assert interleaved == serial
    assert serial["ann"] != serial["bob"]


def _plan(agent: str) -> list[str]:
    return random.Random(agent).choices(GOALS, k=TURNS)


def _fill(room: Room) -> None:
    room.records([note(goal.replace(" ", "-"), f"{goal}: how it is booked, checked and undone") for goal in GOALS])


def _turn(room: Room, agent: str, goal: str) -> None:
    room.focus(goal, agent, budget_tokens=400)
    if goal.endswith(("1", "5")):
        use = UseCall(f"{NAMESPACE}:{goal.replace(' ', '-')}", "", "", 0, 0, Action.READ)
        room.parts.turns.touch(room.parts.caller, TouchCall(agent=agent, uses=(use,)))
