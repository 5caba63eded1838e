"""F62: goal absent / focus / empty, state saturated with its cause, filtering_reason set, ignored 0."""

from __future__ import annotations

from pathlib import Path

from tests.daemon_room import note, opened
from workingset.sufficiency import Nothing, State


def test_f62_a_goal_that_nothing_answers_is_empty_and_says_which_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i}", f"The refund of order {i} is booked once a day.") for i in range(20)])

        outcome = room.focus("zebra xylophone quasar").outcome

        assert [entry.kind for entry in outcome.state.entries] == ["goal"]
        assert outcome.sufficiency.state is State.SATURATED
        assert outcome.nothing in {Nothing.EMPTY, Nothing.BELOW_THRESHOLD}
        assert outcome.sufficiency.cause == outcome.nothing.value
        assert outcome.ignored.count == 0


def test_f62_a_store_without_records_says_not_indexed(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        outcome = room.focus("refund an order").outcome

        assert outcome.sufficiency.state is State.SATURATED
        assert outcome.nothing is Nothing.NOT_INDEXED
        assert outcome.sufficiency.cause == "not_indexed"
        assert outcome.ignored.count == 0
