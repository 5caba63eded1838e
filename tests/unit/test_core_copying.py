"""A changed copy is what `dataclasses.replace` makes, and refuses what that refuses."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import pytest

from tests.core_scenes import record
from workingset.copying import changed
from workingset.tier import Cause, Move, Tier
from workingset.transitions.records import entry_of
from workingset.vocabulary import Fidelity, Heat, Tokens, Turn

ENTRY = entry_of(record("a", 0.5, requires=["b"]), Tier.RESIDENT, Fidelity.FULL, Turn(1), 0)


def test_it_equals_replace_and_leaves_the_original_alone() -> None:
    before = replace(ENTRY)
    copy = changed(ENTRY, tokens=Tokens(7), heat=Heat(2.0))
    assert copy == replace(ENTRY, tokens=Tokens(7), heat=Heat(2.0))
    assert hash(copy) == hash(replace(ENTRY, tokens=Tokens(7), heat=Heat(2.0)))
    assert before == ENTRY
    assert changed(ENTRY) == ENTRY
    assert changed(ENTRY) is not ENTRY


def test_every_field_can_be_changed() -> None:
    for field in fields(ENTRY):
        assert getattr(changed(ENTRY, **{field.name: "new"}), field.name) == "new"


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError, match="no field 'warmth'"):
        changed(ENTRY, warmth=1)


def test_values_that_check_themselves_or_have_no_slots_are_refused() -> None:
    with pytest.raises(TypeError, match="Move"):
        changed(Move(ENTRY.ref, Tier.EVICTED, Tier.RESIDENT, Cause.FAULT), title="x")

    @dataclass(frozen=True)
    class Loose:
        name: str = ""

    with pytest.raises(TypeError, match="Loose"):
        changed(Loose(), name="x")
