"""The calls by which a host steers a set and passes it on, against a real daemon."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from hotset import (
    BadRequest,
    Document,
    DriftVerdict,
    EdgeInput,
    HotsetClient,
    HotsetError,
    Observation,
    ObservationKind,
    PageIn,
    PinOwner,
    RecordInput,
    RelationRole,
    Tier,
    UnknownAgent,
    Use,
)
from hotset.v1 import attention_pb2, attention_pb2_grpc
from tests.rpc.real_daemon import RealDaemon

REQUEST = "Refunds are sometimes issued twice: mend it."
CODE = "def issue_refund(order):\n    return order.paid\n\n\ndef charge(order):\n    return order.total\n"


def _ingest(client: HotsetClient, namespace: str, *records: RecordInput, edges: tuple[EdgeInput, ...] = ()) -> None:
    for _ in client.ingest_records(namespace, records, edges):
        pass


def _rule(name: str, text: str) -> RecordInput:
    return RecordInput(id=name, kind="rule", title=name, text=text)


@pytest.fixture(scope="module")
def shop(daemon: RealDaemon) -> str:
    with HotsetClient(daemon.address, agent="shop-filler") as client:
        for _ in client.ingest_documents("step2shop", [Document("shop/refund.py", CODE.encode())], source="tree"):
            pass
    return "step2shop"


# --- the user's request ---


def test_the_users_request_is_mandatory_until_it_is_closed(client: HotsetClient) -> None:
    turn = client.focus("refund rule 7", user_request=REQUEST, namespaces=["rules"], budget_tokens=2_000)
    assert REQUEST in turn.block
    later = client.focus("rule 9", namespaces=["rules"])
    assert REQUEST in later.block
    status = client.status()
    assert status.user_request == REQUEST
    (pin,) = [pin for pin in status.pins if pin.owner is PinOwner.REQUEST]
    assert next(item.tier for item in status.items if item.ref == pin.ref) is Tier.MANDATORY

    closed = client.close_request()

    assert closed.user_request == REQUEST
    assert pin.ref in {move.ref for move in closed.moves}
    assert client.status().user_request == ""
    assert REQUEST not in client.focus("rule 9", namespaces=["rules"]).block


def test_a_new_request_takes_the_place_of_the_old_one(client: HotsetClient) -> None:
    client.focus("refund rule 7", user_request=REQUEST)
    turn = client.focus("refund rule 8", user_request="Now explain rule 8.")
    assert "Now explain rule 8." in turn.block
    assert REQUEST not in turn.block
    assert client.close_request().user_request == "Now explain rule 8."


def test_a_request_that_is_not_open_cannot_be_closed(client: HotsetClient) -> None:
    client.focus("refund")
    with pytest.raises(HotsetError) as caught:
        client.close_request()
    assert caught.value.what_to_do


# --- page-in ---


def test_without_page_in_only_what_is_pinned_or_used_has_text(client: HotsetClient) -> None:
    turn = client.focus("refund rule 7", namespaces=["rules"], page_in=PageIn.OFF)
    assert {item.tier for item in turn.items} <= {Tier.PINNED, Tier.FRONTIER_ONLY}

    client.touch([Use(ref="rules:r7")])
    turn = client.focus("refund rule 7", namespaces=["rules"], page_in=PageIn.OFF)

    assert {item.ref for item in turn.items if item.tier is Tier.RESIDENT} == {"rules:r7"}


# --- pins ---


def test_a_pin_ends_with_its_epoch(client: HotsetClient) -> None:
    client.focus("refund")
    client.pin("rules:r3", reason="for now", expires_with_epoch=True)
    assert "rules:r3" in {pin.ref for pin in client.status().pins if pin.expires_with_epoch}

    client.reset_context(reason="compacted at 150k tokens")
    client.focus("refund")

    status = client.status()
    assert "rules:r3" not in {pin.ref for pin in status.pins}
    assert status.reset_reason == "compacted at 150k tokens"


def test_a_pin_shows_when_it_ends(client: HotsetClient) -> None:
    client.focus("refund")
    before = int(time.time())
    answer = client.pin("rules:r3", expires_seconds=3_600)
    after = int(time.time()) + 1
    assert answer.pin is not None
    assert before + 3_600 <= answer.pin.expires_at_seconds <= after + 3_600


def test_a_pin_follows_the_successor_where_that_is_asked(client: HotsetClient) -> None:
    _ingest(client, "follow", _rule("old", "Refunds above 500 need two people."), _rule("stays", "Old too."))
    client.focus("refunds", namespaces=["follow"])
    client.pin("follow:old", follow_successor=True)
    client.pin("follow:stays")
    successors = (
        EdgeInput("new", "supersedes", "old", RelationRole.SUCCESSION),
        EdgeInput("newer", "supersedes", "stays", RelationRole.SUCCESSION),
    )
    new = _rule("new", "Refunds above 400 need two people."), _rule("newer", "New.")
    _ingest(client, "follow", *new, edges=successors)

    turn = client.focus("refunds", namespaces=["follow"])

    reports = {report.ref: (report.successor, report.replaced_by) for report in turn.pin_reports}
    assert reports["follow:old"] == ("follow:new", "follow:new")
    assert reports["follow:stays"] == ("follow:newer", "")
    assert {"follow:new", "follow:stays"} <= {pin.ref for pin in client.status().pins}


@pytest.mark.parametrize("seconds", [2**62, 2**64 - 1])
def test_a_pin_for_ever_and_a_day_is_refused(client: HotsetClient, seconds: int) -> None:
    client.focus("refund")
    with pytest.raises(BadRequest) as caught:
        client.pin("rules:r3", expires_seconds=seconds)
    assert caught.value.field == "expires_seconds"
    assert "rules:r3" not in {pin.ref for pin in client.status().pins}


# --- what was observed ---


def test_what_the_agent_did_counts_as_use(client: HotsetClient, shop: str) -> None:
    client.focus("how are refunds issued?", namespaces=[shop])
    seen = [
        Observation(ObservationKind.USER, "Thank you."),
        Observation(ObservationKind.TOOL_CALL, '{"path": "shop/refund.py", "lines": [1, 2]}', "read_file"),
    ]
    answer = client.touch(observed=seen)
    assert answer.observed
    assert {used.observation for used in answer.observed} == {1}
    assert any(f"{shop}:" in ref for used in answer.observed for ref in used.refs)
    assert answer.faults.references >= 1
    assert answer.kept == ()


def test_history_that_is_kept_resolves_byte_for_byte(client: HotsetClient) -> None:
    client.focus("refund")
    texts = ["Run the tests.\r\n", "\tE  assert 1 == 2  # 退款 🧾\n" * 400]
    seen = [
        Observation(ObservationKind.USER, texts[0]),
        Observation(ObservationKind.TOOL_OUTPUT, texts[1], "pytest"),
    ]
    kept = client.touch(observed=seen, keep_history=True).kept
    assert len(kept) == 2

    client.reset_context(reason="compacted")

    agent = client.status().agent
    assert [record.text for record in client.resolve(kept, agent=agent).records] == texts


def test_what_names_no_record_is_counted(client: HotsetClient) -> None:
    client.focus("refund")
    seen = Observation(ObservationKind.TOOL_CALL, '{"path": "/no/such/file.py"}', "read_file")
    answer = client.touch(observed=[seen])
    assert answer.observed == ()
    assert sum(each.count for each in answer.passed_over) == 1


def test_nothing_to_report_is_refused(client: HotsetClient) -> None:
    client.focus("refund")
    with pytest.raises(BadRequest) as caught:
        client.touch()
    assert caught.value.what_to_do


def test_an_observation_must_say_whose_words_it_holds(client: HotsetClient) -> None:
    client.focus("refund")
    with pytest.raises(BadRequest) as caught:
        client.touch(observed=[Observation(ObservationKind.UNSPECIFIED, "words")])
    assert caught.value.field == "observed[0].kind"


# --- undo ---


GARDEN = "water the tomatoes in the garden"


@pytest.fixture(scope="module")
def garden(daemon: RealDaemon) -> list[str]:
    with HotsetClient(daemon.address, agent="garden-filler") as client:
        beds = [_rule(f"bed{i}", f"{GARDEN}, those of bed {i}") for i in range(40)]
        _ingest(client, "garden", *beds)
    return ["rules", "garden"]


def _refocused(client: HotsetClient, namespaces: list[str]) -> set[str]:
    """Bring about a refocus; returns the refs that had text before it."""
    client.focus("refund rule 7", namespaces=namespaces, budget_tokens=600)
    turn = client.focus("refund rule 8", namespaces=namespaces)
    assert not turn.undo_offered
    before = {item.ref for item in turn.items if item.tier is Tier.RESIDENT}
    turn = client.focus(GARDEN, namespaces=namespaces)
    assert turn.drift.verdict is DriftVerdict.REFOCUS
    assert turn.undo_offered
    assert not before <= {item.ref for item in turn.items if item.tier is Tier.RESIDENT}
    return before


def test_a_refocus_can_be_taken_back_once(client: HotsetClient, garden: list[str]) -> None:
    before = _refocused(client, garden)
    assert client.status().undo_offered

    undone = client.undo_refocus()

    status = client.status()
    assert undone.moves
    assert before <= {item.ref for item in status.items}
    assert not status.undo_offered
    with pytest.raises(HotsetError) as caught:
        client.undo_refocus()
    assert caught.value.what_to_do


def test_a_refocus_cannot_be_taken_back_after_the_next_turn(client: HotsetClient, garden: list[str]) -> None:
    _refocused(client, garden)
    turn = client.focus(GARDEN, namespaces=garden)
    assert not turn.undo_offered
    with pytest.raises(HotsetError):
        client.undo_refocus()


# --- whose set it is ---


def _name(client: HotsetClient, suffix: str) -> str:
    return f"{client.status().agent}.{suffix}"


def test_a_fork_goes_on_by_itself(client: HotsetClient) -> None:
    client.focus("refund rule 7", namespaces=["rules"], user_request=REQUEST)
    client.pin(text="The customer is in Japan.", reason="said in the ticket")
    parent, child = client.status(), _name(client, "child")

    forked = client.fork(child, request_id="fork-1")

    assert (forked.agent, forked.child, forked.entries) == (parent.agent, child, len(parent.items))
    copy = client.status(agent=child)
    assert [item.ref for item in copy.items] == [item.ref for item in parent.items]
    assert (copy.user_request, copy.lineage) == (REQUEST, (parent.agent,))
    client.evict([next(item.ref for item in parent.items if item.tier is Tier.RESIDENT)])
    assert client.status(agent=child).items == copy.items
    assert "Japan" in client.focus("refund rule 7", namespaces=["rules"], agent=child).block
    again = client.fork(child, request_id="fork-1")
    assert again.replayed
    assert (again.child, again.entries) == (child, forked.entries)


def test_a_handoff_leaves_the_old_agent_without(client: HotsetClient) -> None:
    client.focus("refund rule 7", namespaces=["rules"])
    before, to = client.status(), _name(client, "to")

    handed = client.handoff(to)

    after = client.status(agent=to)
    assert (handed.to, handed.turn) == (to, before.turn)
    assert [item.ref for item in after.items] == [item.ref for item in before.items]
    assert after.lineage == (before.agent,)
    with pytest.raises(UnknownAgent):
        client.status()


TAKEN: dict[str, Callable[[HotsetClient, str], object]] = {
    "fork": lambda client, other: client.fork(other),
    "handoff": lambda client, other: client.handoff(other),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_set_is_never_passed_on_over_another(client: HotsetClient, name: str) -> None:
    client.focus("refund rule 7")
    other = _name(client, "other")
    client.focus("refund rule 8", agent=other)
    before = client.status(agent=other).state_digest

    with pytest.raises(HotsetError) as caught:
        TAKEN[name](client, other)

    assert caught.value.what_to_do
    assert client.status(agent=other).state_digest == before
    assert client.status().turn == 1


@pytest.mark.parametrize("name", TAKEN)
def test_a_set_is_not_passed_on_to_its_own_agent_nor_by_a_stranger(client: HotsetClient, name: str) -> None:
    with pytest.raises(UnknownAgent):
        TAKEN[name](client, "somebody")
    client.focus("refund")
    with pytest.raises(HotsetError) as caught:
        TAKEN[name](client, client.status().agent)
    assert caught.value.what_to_do
    with pytest.raises(BadRequest):
        TAKEN[name](client, "no name\n")


def test_crossing_handoffs_end(client: HotsetClient) -> None:
    client.focus("refund")
    here = client.status().agent
    there = f"{here}.there"
    client.focus("refund", agent=there)

    def cross(pair: tuple[str, str]) -> str:
        with pytest.raises(HotsetError) as caught:  # both have a set of their own
            client.handoff(pair[1], agent=pair[0], timeout_seconds=20)
        return caught.value.status

    with ThreadPoolExecutor(4) as pool:
        ends = set(pool.map(cross, [(here, there), (there, here)] * 8))

    assert "DEADLINE_EXCEEDED" not in ends
    assert client.status(agent=there).turn == 1


# --- forget ---


def test_forget_deletes_all_and_says_so(client: HotsetClient) -> None:
    client.focus("refund rule 7", user_request=REQUEST, request_id="turn-1")
    client.pin(text="The customer is in Japan.", reason="said in the ticket")
    kept = client.touch(observed=[Observation(ObservationKind.USER, REQUEST)], keep_history=True).kept
    agent, child = client.status().agent, _name(client, "child")
    client.fork(child)

    answer = client.forget()

    assert answer.verified
    assert answer.agent == agent
    assert sum(each.count for each in answer.deleted) >= 4
    assert {each.left for each in answer.deleted} == {0}
    with pytest.raises(UnknownAgent):
        client.status()
    with pytest.raises(HotsetError):
        client.resolve(kept)
    assert client.status(agent=child).turn == 1
    assert client.focus("refund rule 7", request_id="turn-1").replayed is False


def test_an_unknown_agent_has_nothing_to_undo_or_close(client: HotsetClient) -> None:
    for call in (client.undo_refocus, client.close_request):
        with pytest.raises(UnknownAgent):
            call()


def test_a_page_in_that_is_not_known_moves_nothing(daemon: RealDaemon) -> None:
    asked = attention_pb2.FocusRequest(agent="paged", goal="refund", page_in=99)  # type: ignore[arg-type]
    with grpc.insecure_channel(daemon.address) as channel:
        stub = attention_pb2_grpc.AttentionStub(channel)
        with pytest.raises(grpc.RpcError, match="page_in"):
            stub.Focus(asked, timeout=10)
        with pytest.raises(grpc.RpcError, match="no working set"):
            stub.Status(attention_pb2.StatusRequest(agent="paged"), timeout=10)
