"""Use cases over a real store: repeated calls, deadlines, lost claims, pins, uses by path, what changed on disk."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from hotsetd.calls import FocusCall, PinCall, RefsCall, ResetCall, TouchCall, UseCall
from hotsetd.codec import WORKING_SETS
from hotsetd.config import JobSettings, Settings
from retrieval.deadline import Deadline
from retrieval.errors import BadField, DeadlinePassed, UnknownRef
from retrieval.ingest.typed_records import EdgeInput
from tests.daemon_room import NAMESPACE, Room, note, opened
from workingset.delivery import Change
from workingset.drift import Verdict
from workingset.entry import PinOwner
from workingset.tier import Tier
from workingset.transitions.touch import Action
from workingset.vocabulary import Fidelity, Ref, Standing, SupportClosure

CODE = {
    "pay/refunds.py": (
        "def issue_refund(order):\n    return order.total\n\n\ndef undo_refund(order):\n    return -order.total\n"
    ),
    "pay/invoices.py": "def write_invoice(order):\n    return str(order)\n",
    "web/refunds.py": "def refund_page():\n    return 'page'\n",
}


def _use(ref: str = "", path: str = "", start: int = 0, end: int = 0, action: Action = Action.READ) -> UseCall:
    return UseCall(ref, "", path, start, end, action)


def _pin(**asked: object) -> PinCall:
    call = PinCall(agent="dev", ref="", text="", reason="rule", expires_turns=0, owner=PinOwner.HOST)
    return replace(call, **asked)  # type: ignore[arg-type]


def _touch(room: Room, *uses: UseCall, request_id: str = "") -> tuple[object, bool]:
    return room.parts.turns.touch(room.parts.caller, TouchCall(agent="dev", uses=uses, request_id=request_id))


def test_a_repeated_focus_is_answered_again_and_not_applied_again(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])
        call = FocusCall(agent="dev", goal="refund order", request_id="one")

        first, replayed = room.parts.turns.focus(room.parts.caller, call, room.deadline)
        again, again_replayed = room.parts.turns.focus(room.parts.caller, call, room.deadline)

        assert (replayed, again_replayed) == (False, True)
        assert again.outcome == first.outcome
        assert again.receipt_digest == first.receipt_digest
        assert room.state().turn == 1


def test_a_repeated_touch_counts_its_uses_once_also_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])
        room.focus("refund order")
        _touch(room, _use(f"{NAMESPACE}:a"), request_id="t1")
    with opened(tmp_path) as room:
        _, replayed = _touch(room, _use(f"{NAMESPACE}:a"), request_id="t1")

        assert replayed
        assert room.state().faults.references == 1


def test_a_call_past_its_deadline_changes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])
        room.focus("refund order")
        before = room.state()
        late = Deadline(room.clock.monotonic() - 1.0, room.clock.monotonic)

        with pytest.raises(DeadlinePassed):
            room.parts.turns.focus(room.parts.caller, FocusCall(agent="dev", goal="order"), late)
        cancelled = Deadline(room.clock.monotonic() + 60.0, room.clock.monotonic, lambda: True)
        with pytest.raises(DeadlinePassed):
            room.parts.turns.focus(room.parts.caller, FocusCall(agent="dev", goal="order"), cancelled)

        assert room.state() == before


def test_a_set_that_moved_on_elsewhere_is_read_again(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])
        room.focus("refund order")
        state = room.state()
        moved = WORKING_SETS.encode(replace(state, turn=state.turn + 5))
        tenant = room.parts.caller.tenant
        with room.parts.store.snapshot(tenant) as txn:
            stored = txn.working_set(state.agent)
        assert stored is not None
        room.parts.store.write(
            tenant, lambda txn: txn.save_working_set(stored.claim, state.epoch, state.turn + 5, moved)
        )

        assert room.focus("refund order").outcome.state.turn == state.turn + 6


def test_uses_by_path_touch_the_records_of_those_lines(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents(CODE)
        room.focus("write_invoice")

        answer, _ = room.parts.turns.touch(
            room.parts.caller,
            TouchCall(
                agent="dev",
                uses=(
                    _use(path="pay/refunds.py", start=5, end=6, action=Action.EDIT),
                    _use(path="/home/me/shop/pay/refunds.py", start=1, end=2),
                    _use(path="no/such/file.py"),
                ),
            ),
        )

        titles = {entry.ref: entry.title for entry in answer.state.entries}
        assert [[titles[ref] for ref in touched.refs] for _, touched in answer.touched] == [
            ["undo_refund"],
            ["issue_refund"],
        ]
        assert [touched.fault for _, touched in answer.touched] == [True, True]
        assert answer.unmatched == (2,)
        assert answer.state.faults.faults == 2


def test_a_path_that_could_be_several_files_is_refused_with_their_names(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents(CODE)
        room.focus("refund")

        with pytest.raises(BadField, match=r"pay/refunds\.py.*web/refunds\.py"):
            _touch(room, _use(path="elsewhere/refunds.py"))


def test_a_use_of_an_unknown_ref_leaves_the_set_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])
        room.focus("refund order")
        before = room.state()

        with pytest.raises(UnknownRef):
            _touch(room, _use(f"{NAMESPACE}:a"), _use(f"{NAMESPACE}:zzz"))

        assert room.state() == before


def test_what_a_result_needs_is_mandatory_and_in_the_block(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records(
            [note("refund", "issue_refund pays an order back"), note("rule", "Everything is done at most once.")],
            [EdgeInput("rule", "premise_of", "refund")],
        )

        outcome = room.focus("issue_refund").outcome

        tiers = {entry.title: entry.tier for entry in outcome.state.entries}
        assert tiers["refund"] is Tier.RESIDENT
        assert tiers["rule"] is Tier.MANDATORY
        assert "at most once" in outcome.block.text
        assert outcome.state.entry(Ref(f"{NAMESPACE}:refund")).closure is SupportClosure.CLOSED  # type: ignore[union-attr]


def test_a_file_that_changed_is_updated_and_named_as_stale(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents(CODE)
        first = room.focus("issue_refund").outcome
        ref = next(entry.ref for entry in first.state.entries if entry.title == "issue_refund")
        room.documents({**CODE, "pay/refunds.py": CODE["pay/refunds.py"].replace("order.total", "order.paid", 1)})

        second = room.focus("issue_refund").outcome

        assert [stale.ref for stale in second.drift.stale] == [ref]
        assert "order.paid" in second.block.text
        assert {(d.ref, d.change) for d in second.delta} == {(ref, Change.UPDATED)}


def test_a_removed_record_leaves_and_a_pinned_one_stays_and_is_reported(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents(CODE)
        first = room.focus("refund issue_refund undo_refund").outcome
        refs = {entry.title: entry.ref for entry in first.state.entries}
        room.parts.hosting.pin(room.parts.caller, _pin(ref=refs["issue_refund"]))
        room.documents({path: text for path, text in CODE.items() if path != "pay/refunds.py"})

        outcome = room.focus("refund issue_refund undo_refund").outcome

        assert outcome.state.entry(refs["undo_refund"]) is None
        assert [(r.ref, r.standing) for r in outcome.pin_reports] == [(refs["issue_refund"], Standing.REMOVED)]
        assert "return order.total" in outcome.block.text
        assert "[removed]" in outcome.block.text


def test_a_superseded_pin_is_reported_with_its_successor(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("old", "refunds take ten days"), note("new", "refunds take two days")])
        room.focus("refunds days")
        room.parts.hosting.pin(room.parts.caller, _pin(ref=f"{NAMESPACE}:old"))
        room.records([], [EdgeInput("new", "supersedes", "old")])

        outcome = room.focus("refunds days").outcome

        (report,) = outcome.pin_reports
        assert (report.standing, report.successor) == (Standing.SUPERSEDED, f"{NAMESPACE}:new")
        assert "ten days" in outcome.block.text
        assert f"superseded by {NAMESPACE}:new" in outcome.block.text


def test_unpinned_words_leave_and_their_record_stays_resolvable(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])
        room.focus("refund order")
        answer, _ = room.parts.hosting.pin(room.parts.caller, _pin(text="never log card numbers"))
        room.parts.hosting.unpin(room.parts.caller, RefsCall(agent="dev", refs=(answer.pin.ref,)))

        assert room.state().entry(answer.pin.ref) is None
        assert room.parts.corpus.get(room.parts.caller, answer.pin.ref, ()).record.text == "never log card numbers"
        assert "card numbers" not in room.focus("log card numbers").outcome.block.text.split("# Goal")[0]


def test_a_new_epoch_delivers_everything_again(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i}", f"refund rule {i}") for i in range(5)])
        room.focus("refund rule")
        assert room.focus("refund rule").outcome.delta == ()

        answer, _ = room.parts.hosting.reset_context(room.parts.caller, ResetCall(agent="dev"))
        after = room.focus("refund rule").outcome

        assert answer.epoch == 1
        assert {d.change for d in after.delta} == {Change.NEW}
        assert {d.ref for d in after.delta} == {segment.ref for segment in after.block.segments}


def test_check_moves_nothing_and_status_says_the_same_before_and_after(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i}", f"refund rule {i}") for i in range(5)])
        room.focus("refund rule")
        before = room.parts.turns.status(room.parts.caller, "dev").state_digest

        check = room.parts.turns.check(room.parts.caller, FocusCall(agent="dev", goal="something else"), room.deadline)
        current = room.parts.turns.check(room.parts.caller, FocusCall(agent="dev", goal=""), room.deadline)

        assert room.parts.turns.status(room.parts.caller, "dev").state_digest == before
        assert check.coverage.ranked < current.coverage.ranked
        assert current.sufficiency.captured > 0


def test_the_first_focus_holds_and_names_every_lane(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund the order")])

        answer = room.focus("refund order")

        assert answer.outcome.drift.verdict is Verdict.HOLD
        assert {lane.lane for lane in answer.coverage.lanes} == {"exact", "lexical", "vector", "graph"}
        assert answer.coverage.model_calls == 0
        assert answer.outcome.state.entries[1].fidelity is Fidelity.FULL


def test_nobody_waits_for_an_index_of_what_is_not_searched(tmp_path: Path) -> None:
    settings = Settings(jobs=JobSettings(settle_seconds=5.0))
    with opened(tmp_path, settings) as room:
        room.records([note("a", "refund the order")])
        room.focus("refund order")
        room.parts.hosting.pin(room.parts.caller, _pin(text="never log card numbers"))

        began = time.monotonic()
        room.focus("refund order")

        assert time.monotonic() - began < 4.0
