"""Explain and Replay: a turn's receipt as it was, and the turn decided again, or an honest word why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hotsetd.calls import PinCall, ResetCall, SuccessorCall, TouchCall, UseCall
from hotsetd.config import JobSettings, ReplaySettings, Settings
from hotsetd.corpus import RemoveCall
from hotsetd.errors import NotRetained, UnknownAgent, UnknownReceipt
from hotsetd.receipts import ReceiptCall, Replayed, Verdict
from hotsetd.retaining import Retaining, core_fingerprint, retained_of, row_of
from retrieval.errors import BadField, CutExpired
from retrieval.ingest.typed_records import EdgeInput
from retrieval.store.collecting import collect
from retrieval.store.purging import purge
from tests.daemon_room import NAMESPACE, Room, note, opened
from workingset.entry import PinOwner
from workingset.receipt import receipt_digest
from workingset.settings import WorkingSetSettings
from workingset.transitions.touch import Action
from workingset.vocabulary import AgentId, Namespace, Turn

SPACE, DEV = Namespace(NAMESPACE), AgentId("dev")
SETTINGS = Settings(jobs=JobSettings(settle_seconds=0.0))


def fill(room: Room, text: str = "is paid back") -> None:
    notes = [note(f"r{i}", f"a refund of order {i} {text} within {i} days, by rule") for i in range(8)]
    room.records([*notes, note("rule", f"payments {text} need a receipt")])
    room.records([], [EdgeInput("r1", "depends_on", "rule")])


def some_turns(room: Room) -> None:
    fill(room)
    room.focus("refund of an order", budget_tokens=600)
    use = UseCall(f"{NAMESPACE}:r1", "", "", 0, 0, Action.CITE)
    room.parts.turns.touch(room.parts.caller, TouchCall(agent="dev", uses=(use,)))
    room.focus("refund of an order within days", user_request="pay order 3 back")
    fill(room, "is paid back in cash")
    room.focus("payments that need a receipt", budget_tokens=300)
    room.parts.hosting.reset_context(room.parts.caller, ResetCall(agent="dev", request_id="", reason="compacted"))
    room.focus("refund in cash")


def replay(room: Room, turn: int = 0) -> Replayed:
    return room.parts.receipts.replay(room.parts.caller, ReceiptCall(agent="dev", turn=turn))


def test_a_receipt_is_explained_by_name_by_turn_and_as_the_last(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        fill(room)
        first = room.focus("refund of an order")
        second = room.focus("payments that need a receipt")
        explain, caller = room.parts.receipts.explain, room.parts.caller

        by_name = explain(caller, ReceiptCall(receipt="dev/1"))
        assert (by_name.agent, by_name.turn, by_name.retained) == ("dev", 1, True)
        assert by_name.root == first.outcome.receipt
        assert by_name.digest == first.receipt_digest == receipt_digest(first.outcome.receipt)
        assert explain(caller, ReceiptCall(agent="dev", turn=1)) == by_name
        assert explain(caller, ReceiptCall(agent="dev")).digest == second.receipt_digest


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (ReceiptCall(agent="dev", turn=9), UnknownReceipt, "turn 9"),
        (ReceiptCall(agent="nobody"), UnknownAgent, "nobody"),
        (ReceiptCall(agent="child"), UnknownReceipt, "no receipt yet"),
        (ReceiptCall(receipt="dev"), BadField, "agent/turn"),
        (ReceiptCall(receipt="dev/one"), BadField, "agent/turn"),
        (ReceiptCall(receipt="dev/1", turn=2), BadField, "another agent or turn"),
        (ReceiptCall(receipt="dev/1", agent="other"), BadField, "another agent or turn"),
        (ReceiptCall(), BadField, "agent"),
    ],
)
def test_what_names_no_receipt_is_refused(tmp_path: Path, call: ReceiptCall, error: type[Exception], says: str) -> None:
    with opened(tmp_path) as room:
        fill(room)
        room.focus("refund of an order")
        room.parts.succession.fork(room.parts.caller, SuccessorCall(agent="dev", other="child"))
        for ask in (room.parts.receipts.explain, room.parts.receipts.replay):
            with pytest.raises(error, match=says):
                ask(room.parts.caller, call)


def test_every_turn_decides_the_same_again(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        some_turns(room)
        before = room.parts.turns.status(room.parts.caller, "dev").state_digest
        for turn in (1, 2, 3, 4):
            again = replay(room, turn)
            assert (again.verdict, again.differences) == (Verdict.EQUAL, ())
            assert again.receipt_then == again.receipt_now
            assert again.state_then == again.state_now
            assert again.cut.at(SPACE)
        assert replay(room).state_now == before
        assert room.parts.turns.status(room.parts.caller, "dev").state_digest == before


def test_turns_are_replayed_by_a_later_process_and_read_only(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        some_turns(room)
        said = [replay(room, turn) for turn in (1, 4)]
    with opened(tmp_path, read_only=True) as room:
        assert [replay(room, turn) for turn in (1, 4)] == said
        assert room.parts.receipts.explain(room.parts.caller, ReceiptCall(agent="dev")).turn == 4


def test_a_removed_record_is_replayed_with_its_last_text(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        fill(room)
        room.focus("refund of an order")
        caller, ref = room.parts.caller, next(e.ref for e in room.state().entries if e.ref.startswith(NAMESPACE))
        room.parts.hosting.pin(
            caller, PinCall(agent="dev", ref=ref, text="", reason="", expires_turns=0, owner=PinOwner.HOST)
        )
        room.parts.corpus.remove(caller, RemoveCall(namespace=NAMESPACE, refs=(ref,)))
        reports = room.focus("refund of an order").outcome.pin_reports
        assert [report.ref for report in reports] == [ref]
        assert replay(room, 2).verdict is Verdict.EQUAL

        collect(room.parts.store, caller.tenant, SPACE, replay(room, 2).cut.generations[0][1])
        with pytest.raises(CutExpired):
            replay(room, 2)
        state = room.focus("refund of an order").outcome.state
        assert (state.turn, state.check()) == (3, [])
        assert replay(room, 3).verdict is Verdict.EQUAL


def test_other_settings_are_said_and_nothing_is_compared(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        fill(room)
        room.focus("refund of an order")
    core = replace(SETTINGS.working_set, omissions_named=SETTINGS.working_set.omissions_named + 1)
    with opened(tmp_path, replace(SETTINGS, working_set=core)) as room:
        again = replay(room)
        assert (again.verdict, again.receipt_now, again.state_now) == (Verdict.OTHER_SETTINGS, "", "")
        assert again.receipt_then
    with opened(tmp_path, replace(SETTINGS, tokenizer="utf8-bytes")) as room:
        assert replay(room).verdict is Verdict.OTHER_SETTINGS


def test_other_code_is_said_and_nothing_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as room:
        fill(room)
        room.focus("refund of an order")
    monkeypatch.setattr("hotsetd.retaining.core_fingerprint", lambda: "another core")
    with opened(tmp_path) as room:
        assert replay(room).verdict is Verdict.OTHER_CODE


def test_what_an_earlier_version_kept_is_said_and_not_read(tmp_path: Path) -> None:
    """A row of another format, and one of other code whose inputs this code cannot read."""
    with opened(tmp_path) as room:
        fill(room)
        room.focus("refund of an order")
        store, caller = room.parts.store, room.parts.caller
        with store.snapshot(caller.tenant) as txn:
            row = txn.retained(DEV, Turn(1))
        assert row is not None
        kept = retained_of(row)
        other = replace(kept.decided, code="before", inputs=b"other fields")

        def keep(changed: bytes) -> None:
            store.write(caller.tenant, lambda txn: txn.put_retained(DEV, Turn(1), changed, 8))

        keep(row_of(kept.before, b"", other))
        assert replay(room).verdict is Verdict.OTHER_CODE
        keep(b"\xff" + row)
        with pytest.raises(NotRetained, match="format ff"):
            replay(room)


def test_a_turn_that_decides_otherwise_is_told_with_its_first_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a defect would make it: the same inputs, another outcome."""
    with opened(tmp_path) as room:
        fill(room)
        room.focus("refund of an order", budget_tokens=500)
        count = room.parts.counter.count

        def one_more(text: str) -> int:
            return count(text) + 1

        monkeypatch.setattr(room.parts.receipts, "_count", one_more)
        again = replay(room)
        assert again.verdict is Verdict.DIFFERENT
        assert again.receipt_now not in ("", again.receipt_then)
        assert [line[:2] for line in again.differences[:2]] == ["- ", "+ "]
        assert len(again.differences) <= 16


def test_history_that_was_collected_is_said(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        some_turns(room)
        collect(room.parts.store, room.parts.caller.tenant, SPACE, replay(room).cut.generations[0][1])
        assert replay(room, 4).verdict is Verdict.EQUAL
        with pytest.raises(CutExpired, match="'shop'"):
            replay(room, 1)
        assert room.parts.receipts.explain(room.parts.caller, ReceiptCall(agent="dev", turn=1)).turn == 1


def test_texts_that_were_purged_are_said(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        fill(room)
        room.focus("refund of an order")
        purge(room.parts.store, room.parts.caller.tenant, SPACE)
        with pytest.raises(NotRetained, match="not there any more"):
            replay(room)


@pytest.mark.parametrize(("kept", "turns"), [(2, "4, 5"), (0, "nor are")])
def test_only_so_many_turns_are_kept_and_the_answer_says_which(tmp_path: Path, kept: int, turns: str) -> None:
    with opened(tmp_path, replace(SETTINGS, replay=ReplaySettings(kept_turns=kept))) as room:
        fill(room)
        for number in range(5):
            room.focus(f"refund of order {number}")
        explained = room.parts.receipts.explain(room.parts.caller, ReceiptCall(agent="dev", turn=1))
        assert not explained.retained
        with pytest.raises(NotRetained, match=turns):
            replay(room, 1)


def test_what_is_kept_goes_with_its_agent(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        some_turns(room)
        forgotten = room.parts.succession.forget(room.parts.caller, "dev")
        assert {each.what: each.count for each in forgotten.deleted}["retained"] == 4
        assert forgotten.verified


def test_the_code_of_the_core_has_a_name_that_follows_it() -> None:
    assert len(core_fingerprint()) == 32
    first, other = (Retaining(WorkingSetSettings(omissions_named=named), "c").settings for named in (1, 2))
    assert first != other
    assert Retaining(WorkingSetSettings(omissions_named=1), "d").settings != first
