"""F50: query current_required, only stale evidence of score 1.0 / run / "no current evidence", gap; stale shown only as
stale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hotset.v1 import common_pb2
from hotsetd.wire.common import Versions
from hotsetd.wire.focus import FocusWire
from tests.daemon_room import note, opened
from workingset.obligation import ObligationStatus
from workingset.settings import HeatSettings
from workingset.sufficiency import State
from workingset.vocabulary import Tokens

DAY = 86_400
TEXT = "the gateway listens on port 8080"
WIRE = FocusWire(
    Versions("o200k", "hash", "", "default-1"),
    HeatSettings(),
    estimated=False,
    ghosts_listed=5,
    default_budget=Tokens(4_000),
)


def test_f50_a_perfect_match_that_is_stale_is_no_current_evidence(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        now = room.clock.now_seconds()
        old = replace(note("port", TEXT), verified_seconds=now - 31 * DAY, validator='"v1"')
        room.records([old])
        answer = room.focus(TEXT, profile="current_facts")
        reply = WIRE.focus(answer, delta_only=False, replayed=False)

        owed = {one.kind.value: one for one in answer.coverage.obligations}["freshness"]
        assert owed.status is ObligationStatus.UNSATISFIED
        assert owed.open
        assert owed.note.startswith("no current evidence")
        assert [(gap.what, gap.ref) for gap in owed.gaps] == [("no current evidence", ""), ("stale", "shop:port")]
        assert all(gap.fill for gap in owed.gaps)

        assert answer.outcome.sufficiency.top_relevance == 1.0
        assert answer.outcome.sufficiency.state is not State.SUFFICIENT
        assert any("freshness" in each for each in answer.outcome.sufficiency.open_obligations)

        (item,) = [each for each in reply.items if each.ref == "shop:port"]
        assert item.freshness == reply.coverage.freshness == common_pb2.FRESHNESS_STALE
        assert "## shop:port port [stale]\n" in reply.block
        assert reply.block.count(TEXT) == 2, "once as stale evidence, once as the goal"
        assert item.relevance == 1.0

        room.records([replace(old, verified_seconds=now, validator='"v1"')])
        again = room.focus(TEXT, profile="current_facts")
        renewed = {one.kind.value: one for one in again.coverage.obligations}["freshness"]
        assert renewed.status is ObligationStatus.SATISFIED
        assert "[stale]" not in again.outcome.block.text
