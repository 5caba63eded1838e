"""The invariants of a working set: a sound one has no complaint, and each fault is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.entry import Entry, Ghost, PinOwner
from workingset.tier import Tier
from workingset.vocabulary import Fidelity, Heat, Ref, Turn
from workingset.working_set import FaultCounts, WorkingSet


def sound() -> WorkingSet:
    agent = Agent(Corpus.of(record("a", 0.9, requires=["m"]), record("m"), record("b", 0.5), record("rule")))
    agent.pin("rule")
    agent.focus("goal")
    agent.touch("a")
    return agent.state


STATE = sound()


def with_entry(name: str, **fields: object) -> WorkingSet:
    def changed(entry: Entry) -> Entry:
        return replace(entry, **fields) if entry.ref == ref(name) else entry  # type: ignore[arg-type]

    return replace(STATE, entries=tuple(map(changed, STATE.entries)))


def test_a_sound_set_has_no_complaint() -> None:
    assert STATE.check() == []
    assert WorkingSet(STATE.agent).check() == []


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (replace(STATE, entries=(*STATE.entries, STATE.entries[0])), "has 2 entries"),
        (with_entry("b", tier=Tier.EVICTED), "in tier evicted"),
        (
            replace(STATE, ghosts=(Ghost(ref("b"), Turn(1), 0, "why", Heat(0.0)),)),
            "an entry and a ghost",
        ),
        (with_entry("b", heat=Heat(-0.1)), "negative heat"),
        (with_entry("b", admitted_turn=Turn(99)), "in the future"),
        (replace(STATE, entries=STATE.entries[::-1]), "out of order"),
        (replace(STATE, faults=FaultCounts(3, 1, 1, 0)), "do not add up"),
        (replace(STATE, pins=()), "without a pin"),
        (with_entry("rule", tier=Tier.RESIDENT), "without an entry in tier pinned"),
        (with_entry("m", fidelity=Fidelity.GIST), "not at full fidelity"),
        (
            replace(STATE, pins=(*STATE.pins, replace(STATE.pins[0], ref=ref("x"), owner=PinOwner.GOAL))),
            "several goals",
        ),
        (with_entry("m", required_by=(Ref("shop:nowhere"),)), "which is not in the set"),
        (with_entry("m", required_by=()), "mandatory for nothing"),
    ],
)
def test_each_broken_invariant_is_named(broken: WorkingSet, complaint: str) -> None:
    assert any(complaint in found for found in broken.check())


def test_entries_and_pins_are_found_by_ref() -> None:
    assert STATE.entry(ref("a")) in STATE.entries
    assert STATE.entry(ref("nowhere")) is None
    assert STATE.pin(ref("rule")) in STATE.pins
    assert STATE.pin(ref("a")) is None
    assert WorkingSet(STATE.agent).goal is None
    assert STATE.goal is not None
    assert STATE.goal.text == "goal"
