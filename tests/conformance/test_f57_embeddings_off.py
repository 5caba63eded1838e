"""F57: embeddings switched off / exact goal / same mandatory set (sensors only change periphery)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from retrieval.errors import IndexUnavailable
from retrieval.ingest.typed_records import EdgeInput
from tests.contract.hashing_embedder import HashingEmbedder
from tests.daemon_room import Room, note, opened
from workingset.tier import Tier
from workingset.vocabulary import Ref

GOAL = "what does `ship_order` need"
RECORDS = [
    note("ship", "orders are shipped after payment", kind="rule", title="ship_order"),
    note("paid", "an order is paid when the bank says so", kind="premise"),
    note("bank", "the bank's word is signed", kind="premise"),
    note("guard", "never ship what is recalled", kind="guard"),
    note("defeater", "shipping was stopped in march", kind="claim"),
    *(note(f"near{i}", f"shipping notes {i}: parcels, orders, needs and labels") for i in range(30)),
]
EDGES = [
    EdgeInput("ship", "depends_on", "paid"),
    EdgeInput("paid", "depends_on", "bank"),
    EdgeInput("guard", "guard_of", "ship"),
    EdgeInput("defeater", "defeats", "ship"),
]


def mandatory(room: Room, profile: str) -> tuple[dict[Ref, tuple[Ref, ...]], tuple[Ref, ...]]:
    """Entries that must be there by who needs them, and what opposes the named record."""
    answer = room.focus(GOAL, profile, profile=profile, budget_tokens=20_000)
    held = {e.ref: e.required_by for e in answer.outcome.state.entries if e.tier is Tier.MANDATORY}
    return held, dict(answer.coverage.opposed)[Ref("shop:ship")]


@pytest.mark.parametrize("profile", ["default", "contested_claims", "irreversible_action"])
def test_f57_what_must_be_there_does_not_hang_on_embeddings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    def off(self: HashingEmbedder, texts: Sequence[str]) -> list[tuple[float, ...]]:
        del self, texts
        raise IndexUnavailable("embeddings are off")

    with opened(tmp_path / "on") as room:
        room.records(RECORDS, EDGES)
        seeing = mandatory(room, profile)
    monkeypatch.setattr(HashingEmbedder, "embed", off)
    monkeypatch.setattr(Room, "catch_up", lambda room: room.parts.follower.advance_lexical(10_000))
    with opened(tmp_path / "off") as room:
        room.records(RECORDS, EDGES)
        blind = mandatory(room, profile)
        lanes = {lane.lane: lane.state for lane in room.focus(GOAL, "other").coverage.lanes}

    assert lanes["vector"] == "unavailable"
    assert blind == seeing
    assert set(seeing[0]) == {"shop:paid", "shop:bank", "shop:guard", "shop:defeater"}
    assert seeing[1] == ("shop:defeater",)
