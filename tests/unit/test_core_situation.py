"""The situation: equal where nothing that a choice rests on has changed, and different where anything has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import NS, SETTINGS, Corpus, count, record, ref
from workingset.candidate import Projection
from workingset.entry import Pin, PinOwner
from workingset.settings import HeatSettings, WorkingSetSettings
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.focus import FocusOrder
from workingset.transitions.situation import asked_of, situation_of
from workingset.transitions.texts import Texts
from workingset.vocabulary import AgentId, Epoch, Fidelity, Heat, Ref, Standing, Tokens, Turn
from workingset.working_set import WorkingSet

CORPUS = Corpus.of(record("a", 0.9, requires=["m"]), record("b", 0.5), record("m"))
STATE = WorkingSet(AgentId("dev"))
ORDER = FocusOrder(Tokens(900), 20, (NS,))


def situation(
    projection: Projection | None = None,
    state: WorkingSet = STATE,
    order: FocusOrder = ORDER,
    settings: WorkingSetSettings = SETTINGS,
    admit: tuple[str, ...] = ("b",),
    pins: tuple[Pin, ...] = (),
    heat: float = 0.0,
) -> str:
    made = projection or CORPUS.projection("goal")
    draft = Draft(state, Turn(3), settings)
    for name in admit:
        draft.admit(CORPUS.projection("goal", None, [ref(name)]).known[0], Tier.RESIDENT, Cause.RESULT, Fidelity.FULL)
        draft.update(replace(draft.entries[ref(name)], heat=Heat(heat)))
    draft.pins.update({pin.ref: pin for pin in pins})
    return situation_of(asked_of(state, made, order, settings), draft, Texts(made, pins, count))


def changed(name: str, **fields: object) -> Projection:
    made = Corpus(dict(CORPUS.records))
    made.put(replace(made.records[ref(name)], **fields))  # type: ignore[arg-type]
    return made.projection("goal")


def test_equal_inputs_are_one_situation_and_heat_and_turn_do_not_matter() -> None:
    assert situation() == situation() == situation(heat=3.0) == situation(state=replace(STATE, turn=Turn(7)))


PIN = Pin(Ref("agent.dev:1"), PinOwner.HOST, "rule", Turn(1), text="rule")


@pytest.mark.parametrize(
    "other",
    [
        situation(CORPUS.projection("other goal")),
        situation(CORPUS.projection("goal", {ref("b"): 0.5})),
        situation(CORPUS.projection("goal", {ref("a"): 0.9, ref("b"): 0.51})),
        situation(CORPUS.projection("goal", overflow=1)),
        situation(changed("a", digest="other")),
        situation(changed("m", digest="other")),
        situation(changed("a", requires=())),
        situation(changed("a", origin="wire")),
        situation(changed("m", standing=Standing.REMOVED)),
        situation(order=replace(ORDER, budget=Tokens(901))),
        situation(order=replace(ORDER, top_k=19)),
        situation(order=replace(ORDER, namespaces=())),
        situation(state=replace(STATE, references=1)),
        situation(state=replace(STATE, epoch=Epoch(1))),
        situation(settings=replace(SETTINGS, heat=HeatSettings(half_life_turns=5.0))),
        situation(admit=()),
        situation(admit=("a", "b")),
        situation(pins=(PIN,)),
        situation(pins=(replace(PIN, expires_turn=Turn(9)),)),
    ],
)
def test_each_thing_that_a_choice_rests_on_makes_another_situation(other: str) -> None:
    assert other != situation()


def test_records_that_nothing_in_sight_needs_do_not_matter() -> None:
    made = CORPUS.projection("goal")
    stray = replace(made, support=(*made.support, record("stray")))
    assert situation(stray) == situation(made)
