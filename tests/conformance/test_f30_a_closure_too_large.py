"""F30: closure too large / run / support_closure=resource_limited, not false and not unknown-by-absence."""

from __future__ import annotations

from pathlib import Path

from retrieval.ingest.typed_records import EdgeInput
from tests.daemon_room import note, opened


def test_f30_a_closure_beyond_the_bounds_is_said_to_be_limited(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        needs = [note(f"need{i:03}", f"premise number {i}") for i in range(100)]
        answer_needs = [EdgeInput("answer", "depends_on", f"need{i:03}") for i in range(100)]
        room.records([note("answer", "the lease expires after nine turns"), *needs], answer_needs)
        answer = room.focus("when does the lease expire", budget_tokens=8_000)

    support = {one.kind.value: one for one in answer.coverage.obligations}["support"]
    assert support.status.value == "resource_limited"
    assert any(gap.ref.endswith(":answer") for gap in support.gaps)
    assert not any(entry.ref.endswith(":answer") and entry.has_text for entry in answer.outcome.state.entries)
    assert dict(answer.outcome.ignored.reasons)["closure"] == 1
