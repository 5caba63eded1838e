"""F32: one attractive candidate with a closure bomb plus five plain ones / run / the five still served."""

from __future__ import annotations

from pathlib import Path

from retrieval.ingest.typed_records import EdgeInput
from tests.daemon_room import note, opened

NEEDS = 1_000
PLAIN = 5


def test_f32_a_bomb_does_not_starve_the_plain_ones(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        bomb = note("a-bomb", "lease lease expires: when the lease expires, the lease is over")
        needs = [note(f"need{i:04}", f"premise number {i}") for i in range(NEEDS)]
        plain = [note(f"plain{i}", f"case {i}: the lease expires after {i} turns") for i in range(PLAIN)]
        rules = [note(f"rule{i}", f"what holds in case {i}") for i in range(PLAIN)]
        edges = [EdgeInput("a-bomb" if not i else f"need{i - 1:04}", "depends_on", f"need{i:04}") for i in range(NEEDS)]
        edges += [EdgeInput(f"rule{i}", "rule_for", f"plain{i}") for i in range(PLAIN)]
        room.records([bomb, *needs, *plain, *rules], edges)
        answer = room.focus("when does the lease expire", budget_tokens=8_000)

    shown = {entry.ref.partition(":")[2] for entry in answer.outcome.state.entries if entry.has_text}
    assert {f"plain{i}" for i in range(PLAIN)} <= shown
    assert {f"rule{i}" for i in range(PLAIN)} <= shown
    assert "a-bomb" not in shown
    assert dict(answer.outcome.ignored.reasons)["closure"] >= 1
