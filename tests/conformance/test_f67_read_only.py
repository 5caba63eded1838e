"""F67: Status and Check / run against a store opened read-only, 10,000 calls / state digest unchanged.

A tenth of the calls; the whole count belongs to the soak, which step 7 brings.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hotsetd.calls import FocusCall
from retrieval.errors import ReadOnlyStore
from tests.daemon_room import note, opened

CALLS = 1_000


def test_f67_status_and_check_leave_the_state_as_it_was(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i}", f"refund rule number {i} about orders and payments") for i in range(12)])
        room.focus("refund orders", budget_tokens=2_000)
        before = room.parts.turns.status(room.parts.caller, "dev").state_digest

    with opened(tmp_path, read_only=True) as room:
        turns, caller = room.parts.turns, room.parts.caller
        check = FocusCall(agent="dev", goal="payments")
        for call in range(CALLS):
            if call % 2:
                turns.check(caller, check, room.deadline)
            assert turns.status(caller, "dev").state_digest == before
        with pytest.raises(ReadOnlyStore):
            room.focus("refund orders")

    with opened(tmp_path) as room:
        assert room.parts.turns.status(room.parts.caller, "dev").state_digest == before
