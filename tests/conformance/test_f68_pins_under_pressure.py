"""F68: pinned item, budget pressure x10, 200 turns / run / never evicted; text verbatim."""

from __future__ import annotations

from pathlib import Path

import quicktok

from hotsetd.calls import PinCall
from tests.daemon_room import NAMESPACE, note, opened
from workingset.entry import PinOwner
from workingset.tier import Tier

TURNS = 200
BUDGET = 900
count = quicktok.get_encoding("o200k_base").count
WORDS = "Never log card numbers.\n\tNot even masked — “four digits” are enough.  \n"
TOPICS = ("refund", "invoice", "shipping", "login", "search", "stock", "coupon", "tax")


def test_f68_a_pin_outlives_200_turns_of_tenfold_pressure(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        filler = " ".join(f"word{i}" for i in range(200))
        assert 25 * count(filler) >= 10 * BUDGET  # what each goal matches is ten times what fits
        room.records([note(f"{topic}-{i}", f"{topic} case {i}: {filler}") for topic in TOPICS for i in range(25)])
        room.records([note("rule", WORDS)])
        caller = room.parts.caller
        for ref, text in ((f"{NAMESPACE}:rule", ""), ("", WORDS)):
            call = PinCall(agent="dev", ref=ref, text=text, reason="law", expires_turns=0, owner=PinOwner.HOST)
            answer, _ = room.parts.hosting.pin(caller, call)
            assert answer.over_budget is None
        pinned = {pin.ref for pin in room.state().pins}
        assert len(pinned) == 2

        for turn in range(TURNS):
            topic = TOPICS[turn % len(TOPICS)]
            outcome = room.focus(f"{topic} case {turn % 25}", budget_tokens=BUDGET).outcome

            assert outcome.ignored.count + outcome.ignored.reduced >= 20
            kept = {e.ref for e in outcome.state.entries if e.tier is Tier.PINNED and e.kind != "goal"}
            assert kept == pinned
            assert outcome.block.text.count(WORDS.removesuffix("\n")) == 2
            assert count(outcome.block.text) <= BUDGET
            assert not pinned & {move.ref for move in outcome.moves}
