"""F54: retrieved_at without validator / report / freshness unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.daemon_room import note, opened
from workingset.vocabulary import Freshness

GOAL = "which port does the gateway listen on"


@pytest.mark.parametrize("profile", ["default", "current_facts", "irreversible_action"])
def test_f54_what_was_only_retrieved_is_never_current(tmp_path: Path, profile: str) -> None:
    with opened(tmp_path) as room:
        now = room.clock.now_seconds()
        fetched = replace(note("port", "the gateway listens on port 8080"), retrieved_seconds=now)
        room.records([fetched])
        answer = room.focus(GOAL, profile=profile)
        room.focus(GOAL, profile=profile)
        (entry,) = [e for e in room.state().entries if e.ref == "shop:port"]

    assert entry.freshness is Freshness.UNKNOWN, "being shown and used verifies nothing"
    owed = [one for one in answer.coverage.obligations if one.kind.value == "freshness"]
    if owed:
        assert owed[0].note.endswith("0 current, 0 stale, 1 not known")
        assert owed[0].open
