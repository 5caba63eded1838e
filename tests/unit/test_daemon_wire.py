"""The daemon's side of the wire: what requests say, and what answers become, with no field left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message

from hotset.v1 import attention_pb2 as pb
from hotsetd.answers import (
    CloseAnswer,
    Deleted,
    ForgetAnswer,
    MovesAnswer,
    ObservedUse,
    PinAnswer,
    ResetAnswer,
    StatusAnswer,
    SuccessorAnswer,
    TouchAnswer,
)
from hotsetd.calls import ObservationCall, ObservationKind
from hotsetd.wire import attention_requests as requests
from hotsetd.wire.attention import AttentionWire
from hotsetd.wire.common import Versions
from hotsetd.wire.focus import OWNERS, FocusWire, pin_message, pin_report
from retrieval.errors import BadField
from tests.rpc.client_fakes import filled
from workingset.budget import Offender, OverBudget
from workingset.drift import Drift, Verdict
from workingset.entry import Entry, Ghost, Pin, PinOwner
from workingset.settings import HeatSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.refresh import PinReport
from workingset.transitions.touch import Action, Touched
from workingset.vocabulary import (
    AgentId,
    Cut,
    Digest,
    Epoch,
    Fidelity,
    Generation,
    Heat,
    Namespace,
    Ref,
    Standing,
    Tokens,
    Turn,
)
from workingset.working_set import Ancestor, FaultCounts, WorkingSet

WIRE = AttentionWire(Versions("o200k", "minilm", "2026-10", "default-1"))
FOCUS = FocusWire(
    Versions("o200k", "minilm", "", "default-1"),
    HeatSettings(),
    estimated=True,
    ghosts_listed=5,
    default_budget=Tokens(4_000),
)
A, B = AgentId("dev-7"), AgentId("dev-8")
MOVES = (Move(Ref("shop:a"), Tier.RESIDENT, Tier.EVICTED, Cause.ASKED, "a title"),)
TOUCHED = Touched((Ref("shop:a"), Ref("shop:b")), True, (Ref("shop:b"),))
PIN = Pin(
    ref=Ref("shop:a"),
    owner=PinOwner.REQUEST,
    reason="law",
    pinned_turn=Turn(2),
    expires_turn=Turn(9),
    text="words",
    epoch=Epoch(3),
    expires_seconds=1_800_000_000,
    follow_successor=True,
)
STATE = WorkingSet(
    agent=A,
    epoch=Epoch(1),
    turn=Turn(3),
    budget=Tokens(4_000),
    entries=(
        Entry(
            ref=Ref("shop:a"),
            namespace=Namespace("shop"),
            kind="rule",
            title="a title",
            tier=Tier.MANDATORY,
            fidelity=Fidelity.FULL,
            generation=Generation(3),
            digest=Digest("d"),
            admitted_turn=Turn(2),
            order=1,
        ),
    ),
    pins=(PIN, Pin(Ref("goal:1"), PinOwner.GOAL, "goal of the turn", Turn(3), text="why is it slow?")),
    ghosts=(Ghost(Ref("shop:b"), Turn(2), 5, "budget pressure", Heat(0.5), "a ghost"),),
    references=4,
    faults=FaultCounts(4, 2, 2, 1),
    drift=Drift(Verdict.HOLD),
    last_receipt="r-3",
    undo=(),
    ancestors=(Ancestor(B, 1),),
    reset_reason="compacted",
)


# --- requests ---

DECODED: list[tuple[type[Message], Callable[[Any], Any]]] = [
    (pb.TouchRequest, requests.touch_call),
    (pb.EvictRequest, requests.evict_call),
    (pb.ResetContextRequest, requests.reset_call),
    (pb.UndoRefocusRequest, requests.undo_call),
    (pb.CloseRequestRequest, requests.close_call),
    (pb.ForkRequest, requests.fork_call),
    (pb.HandoffRequest, requests.handoff_call),
    (pb.ResolveRequest, requests.resolve_call),
]


@pytest.mark.parametrize(("kind", "decode"), DECODED, ids=lambda each: getattr(each, "__name__", ""))
def test_each_field_of_a_request_becomes_one_of_the_call(kind: type[Message], decode: Callable[[Any], Any]) -> None:
    _nothing_left_out(decode(filled(kind)))


def _nothing_left_out(call: Any) -> None:
    for each in dataclasses.fields(call):
        value = getattr(call, each.name)
        assert value not in ("", 0, (), False), each.name
        for part in value if isinstance(value, tuple) else ():
            if dataclasses.is_dataclass(part):
                _nothing_left_out(part)


def test_focus_says_what_the_user_asked_and_whether_results_may_enter() -> None:
    request = filled(pb.FocusRequest)
    request.page_in = pb.PAGE_IN_OFF
    call = requests.focus_call(request)
    assert (call.user_request, call.page_in) == (request.user_request, False)
    request.page_in = pb.PAGE_IN_ON
    _nothing_left_out(requests.focus_call(request))


def test_a_focus_that_does_not_say_pages_in() -> None:
    assert requests.focus_call(pb.FocusRequest(goal="g")).page_in


def test_a_pin_has_every_end_that_was_asked_for() -> None:
    request = filled(pb.PinRequest)
    request.owner = pb.PIN_OWNER_AGENT
    call = requests.pin_call(request)
    _nothing_left_out(call)
    assert (call.expires_turns, call.expires_seconds) == (request.expires_turns, request.expires_seconds)
    assert (call.owner, call.expires_with_epoch, call.follow_successor) == (PinOwner.AGENT, True, True)
    plain = requests.pin_call(pb.PinRequest(ref="shop:a"))
    assert (plain.owner, plain.expires_with_epoch, plain.expires_seconds) == (PinOwner.HOST, False, 0)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (pb.OBSERVATION_KIND_USER, ObservationKind.USER),
        (pb.OBSERVATION_KIND_AGENT, ObservationKind.AGENT),
        (pb.OBSERVATION_KIND_TOOL_CALL, ObservationKind.TOOL_CALL),
        (pb.OBSERVATION_KIND_TOOL_OUTPUT, ObservationKind.TOOL_OUTPUT),
    ],
)
def test_an_observation_says_whose_words_it_holds(number: pb.ObservationKind.ValueType, kind: ObservationKind) -> None:
    seen = pb.Observation(kind=number, text="cat a.py\r\n", tool="shell")
    call = requests.touch_call(pb.TouchRequest(agent="a", observed=[seen]))
    assert call.observed == (ObservationCall(kind, "cat a.py\r\n", "shell"),)
    assert (call.uses, call.keep_history) == ((), False)


def test_fork_and_handoff_name_both_agents() -> None:
    assert requests.fork_call(pb.ForkRequest(agent="a", child="b")).other == "b"
    assert requests.handoff_call(pb.HandoffRequest(agent="a", to="b")).other == "b"


REFUSED: list[tuple[str, str, Callable[[], object]]] = [
    ("page_in", "PAGE_IN_OFF", lambda: requests.focus_call(pb.FocusRequest(page_in=9))),  # type: ignore[arg-type]
    ("mode", "FOCUS_MODE_CHECK", lambda: requests.check_mode(9)),  # type: ignore[arg-type]
    ("owner", "PIN_OWNER_HOST", lambda: requests.pin_call(pb.PinRequest(owner=pb.PIN_OWNER_REQUEST))),
    ("owner", "PIN_OWNER_AGENT", lambda: requests.pin_call(pb.PinRequest(owner=pb.PIN_OWNER_GOAL))),
    (
        "uses[1].action",
        "USE_ACTION_EDIT",
        lambda: requests.touch_call(pb.TouchRequest(uses=[pb.Use(), pb.Use(action=9)])),  # type: ignore[arg-type]
    ),
    ("expires_seconds", "leave it out", lambda: requests.pin_call(pb.PinRequest(expires_seconds=1 << 40))),
    (
        "observed[0].kind",
        "OBSERVATION_KIND_TOOL_OUTPUT",
        lambda: requests.touch_call(pb.TouchRequest(observed=[pb.Observation(text="whose?")])),
    ),
]


@pytest.mark.parametrize(("field", "choice", "decode"), REFUSED)
def test_a_word_that_may_not_be_sent_is_refused_with_those_that_may(
    field: str, choice: str, decode: Callable[[], object]
) -> None:
    with pytest.raises(BadField) as caught:
        decode()
    assert caught.value.field == field
    assert choice in str(caught.value)
    assert "UNSPECIFIED" not in str(caught.value)


# --- answers ---

TOUCH = TouchAnswer(
    state=STATE,
    touched=((4, TOUCHED),),
    unmatched=(1,),
    moves=MOVES,
    observed=(ObservedUse(2, Action.EDIT, "shop/a.py:1-9", TOUCHED),),
    kept=(Ref("agent.dev-7:turn-1"),),
    passed_over=(("no_record", 2),),
)
OVER = OverBudget(Tokens(9_000), (Offender(Ref("shop:a"), Tier.PINNED, Tokens(8_000), "a title"),))
ANSWERED: dict[str, tuple[Message, set[str]]] = {
    "status": (
        FOCUS.status(
            StatusAnswer(state=STATE, state_digest=Digest("d"), cut=Cut(((Namespace("shop"), Generation(3)),)))
        ),
        {"model_calls"},
    ),
    "touch": (WIRE.touch(TOUCH, replayed=True), {"model_calls"}),
    "pin": (
        WIRE.pin(A, PinAnswer(pin=PIN, title="t", tokens=Tokens(5), moves=MOVES, over_budget=OVER), replayed=True),
        set(),
    ),
    "unpin": (WIRE.unpin(A, MovesAnswer(moves=MOVES), replayed=True), set()),
    "evict": (WIRE.evict(A, MovesAnswer(moves=MOVES), replayed=True), set()),
    "reset": (WIRE.reset(A, ResetAnswer(epoch=2), replayed=True), set()),
    "undo": (WIRE.undo(A, MovesAnswer(moves=MOVES), replayed=True), set()),
    "close": (WIRE.close(A, CloseAnswer(user_request="mend it", moves=MOVES), replayed=True), set()),
    "fork": (WIRE.fork(SuccessorAnswer(agent=A, other=B, turn=Turn(3), entries=20), replayed=True), set()),
    "handoff": (WIRE.handoff(SuccessorAnswer(agent=A, other=B, turn=Turn(3), entries=20), replayed=True), set()),
    "forget": (WIRE.forget(ForgetAnswer(agent=A, deleted=(Deleted(what="receipts", count=3, left=0),))), set()),
}


@pytest.mark.parametrize("name", ANSWERED)
def test_each_field_of_a_reply_is_filled(name: str) -> None:
    message, never = ANSWERED[name]
    set_fields = {each.name for each, _ in message.ListFields()}
    assert set_fields | never == {each.name for each in message.DESCRIPTOR.fields}


def test_a_status_shows_the_request_the_lineage_the_undo_and_the_reset() -> None:
    state = dataclasses.replace(
        STATE,
        pins=(dataclasses.replace(PIN, text="mend the refunds"),),
        ancestors=(Ancestor(B, 1), Ancestor(A, 2)),
        reset_reason="compacted",
        undo=None,
    )
    reply = FOCUS.status(StatusAnswer(state=state, state_digest=Digest("d"), cut=Cut()))
    assert (reply.user_request, list(reply.lineage)) == ("mend the refunds", ["dev-8", "dev-7"])
    assert (reply.undo_offered, reply.reset_reason) == (False, "compacted")
    offered = dataclasses.replace(state, undo=(), pins=())
    reply = FOCUS.status(StatusAnswer(state=offered, state_digest=Digest("d"), cut=Cut()))
    assert (reply.undo_offered, reply.user_request) == (True, "")


def test_a_pin_shows_each_of_its_ends() -> None:
    message = pin_message(PIN, "a title", 40)
    assert (message.owner, message.expires_turn) == (pb.PIN_OWNER_REQUEST, 9)
    assert (message.expires_with_epoch, message.expires_at_seconds) == (True, 1_800_000_000)
    assert message.follow_successor
    first_epoch = dataclasses.replace(PIN, epoch=Epoch(0))
    assert pin_message(first_epoch, "", 0).expires_with_epoch
    assert not pin_message(dataclasses.replace(PIN, epoch=None), "", 0).expires_with_epoch


def test_a_pin_that_followed_says_where_to() -> None:
    report = PinReport(Ref("shop:a"), Standing.SUPERSEDED, Ref("shop:b"), "nothing", Ref("shop:b"))
    assert pin_report(report).replaced_by == "shop:b"
    assert pin_report(dataclasses.replace(report, replaced_by=None)).replaced_by == ""


def test_each_owner_of_a_pin_has_its_word() -> None:
    assert set(OWNERS) == set(PinOwner)
    assert len(set(OWNERS.values())) == len(OWNERS)


def test_an_observed_use_keeps_its_place_its_words_and_what_came_of_it() -> None:
    (used,) = WIRE.touch(TOUCH, replayed=False).observed
    assert (used.observation, used.action, used.matched) == (2, pb.USE_ACTION_EDIT, "shop/a.py:1-9")
    assert (list(used.refs), used.fault, list(used.paged_in)) == (["shop:a", "shop:b"], True, ["shop:b"])
    (passed,) = WIRE.touch(TOUCH, replayed=False).passed_over
    assert (passed.reason, passed.count) == ("no_record", 2)


def test_forget_is_verified_only_where_nothing_is_left() -> None:
    gone, left = Deleted(what="receipts", count=3, left=0), Deleted(what="answers", count=2, left=1)
    assert WIRE.forget(ForgetAnswer(agent=A, deleted=(gone,))).verified
    reply = WIRE.forget(ForgetAnswer(agent=A, deleted=(gone, left)))
    assert not reply.verified
    assert [(each.what, each.count, each.left) for each in reply.deleted] == [("receipts", 3, 0), ("answers", 2, 1)]
