"""F59: erosion source with high score / focus / retained and counted."""

from __future__ import annotations

from pathlib import Path

from tests.daemon_room import opened
from tests.unit.test_projection_architecture import FILES, MANIFEST


def test_f59_what_breaks_a_rule_is_kept_and_counted(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents({**FILES, "hotset.architecture.toml": MANIFEST})
        answer = room.focus("where is `lease_ends`", budget_tokens=8_000)

    found = answer.coverage.architecture
    shown = [entry for entry in answer.outcome.state.entries if entry.has_text]
    first = min((entry for entry in shown if entry.title == "lease_ends"), key=lambda entry: entry.order)
    assert found is not None
    assert dict(found.counts)["erosion"] >= 1
    assert first.path == "core/lease.py"
    assert first.relevance == max(entry.relevance for entry in shown)
