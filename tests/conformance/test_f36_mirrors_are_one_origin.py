"""F36: ten mirrors of one wire article / corroborate / one origin component; ten rows kept."""

from __future__ import annotations

from pathlib import Path

from retrieval.ingest.typed_records import EdgeInput
from tests.daemon_room import note, opened

MIRRORS = 10


def test_f36_ten_mirrors_count_once_and_stay_ten(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        wire = note("wire", "the ministry confirmed the figures in a statement")
        mirrors = [note(f"mirror{i}", f"paper {i}: the harvest fell by a tenth, says the wire") for i in range(MIRRORS)]
        room.records([wire, *mirrors], [EdgeInput(f"mirror{i}", "copy_of", "wire") for i in range(MIRRORS)])
        answer = room.focus("the harvest fell by a tenth", profile="adversarial_corpus", budget_tokens=8_000)
        with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
            kept = txn.counts(answer.coverage.cut.generations[0][0]).records

    owed = {one.kind.value: one for one in answer.coverage.obligations}["independent_origin"]
    assert kept == MIRRORS + 1
    assert owed.note == f"{MIRRORS} results of 1 origins"
    assert owed.status.value == "unsatisfied"
    assert owed.open
    assert answer.coverage.origins == 1
    assert dict(answer.outcome.ignored.reasons)["duplicate_origin"] == MIRRORS - 1
