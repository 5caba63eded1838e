"""Bad requests are refused before anything is sent, and the field is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hotset import BadRequest, HotsetClient, Lines, Observation, ObservationKind, RecordInput, Use


@pytest.fixture(scope="module")
def client() -> Any:
    with HotsetClient("unix:/nonexistent/hotsetd.sock", agent="a") as client:
        yield client


SEEN = Observation(ObservationKind.AGENT, "I read it")

BAD: list[tuple[str, Callable[[HotsetClient], object]]] = [
    ("goal", lambda c: c.focus("half \ud83d of a pair")),
    ("goal", lambda c: c.focus(b"bytes")),  # type: ignore[arg-type]
    ("agent", lambda c: c.status(agent="\udcff")),
    ("budget_tokens", lambda c: c.focus("g", budget_tokens=1 << 63)),
    ("budget_tokens", lambda c: c.focus("g", budget_tokens=1.5)),  # type: ignore[arg-type]
    ("budget_tokens", lambda c: c.focus("g", budget_tokens=True)),
    ("top_k", lambda c: c.check("g", top_k=1 << 31)),
    ("namespaces", lambda c: c.focus("g", namespaces="stdlib")),
    ("namespaces[1]", lambda c: c.focus("g", namespaces=["a", "\ud800"])),
    ("request_id", lambda c: c.focus("g", request_id="\ud800")),
    ("at_least_generation", lambda c: c.focus("g", at_least_generation=-1)),
    ("refs", lambda c: c.resolve("a:b")),
    ("refs[0]", lambda c: c.resolve(["\ud800"])),
    ("refs", lambda c: c.evict("a:b")),
    ("uses[0].path", lambda c: c.touch([Use(path="\ud800")])),
    ("uses[0].lines.start", lambda c: c.touch([Use(path="p", lines=Lines(-1, 2))])),
    ("uses[0]", lambda c: c.touch(["a:b"])),  # type: ignore[list-item]
    ("text", lambda c: c.pin(text="\ud800")),
    ("expires_turns", lambda c: c.pin("a:b", expires_turns=-1)),
    ("expires_seconds", lambda c: c.pin("a:b", expires_seconds=1 << 64)),
    ("expires_with_epoch", lambda c: c.pin("a:b", expires_with_epoch="yes")),  # type: ignore[arg-type]
    ("follow_successor", lambda c: c.pin("a:b", follow_successor=None)),  # type: ignore[arg-type]
    ("owner", lambda c: c.pin("a:b", owner="host")),  # type: ignore[arg-type]
    ("mode", lambda c: c.focus("g", mode="check")),  # type: ignore[arg-type]
    ("user_request", lambda c: c.focus("g", user_request="\ud800")),
    ("page_in", lambda c: c.focus("g", page_in=False)),  # type: ignore[arg-type]
    ("delta_only", lambda c: c.focus("g", delta_only="no")),  # type: ignore[arg-type]
    ("uses[0].action", lambda c: c.touch([Use("a:b", action="edit")])),  # type: ignore[arg-type]
    ("observed[0]", lambda c: c.touch(observed=["cat a.py"])),  # type: ignore[list-item]
    ("observed[0].kind", lambda c: c.touch(observed=[Observation("user", "t")])),  # type: ignore[arg-type]
    ("observed[1].text", lambda c: c.touch(observed=[SEEN, Observation(ObservationKind.USER, "\ud800")])),
    ("observed[0].tool", lambda c: c.touch(observed=[Observation(ObservationKind.TOOL_CALL, "t", "\ud800")])),
    ("keep_history", lambda c: c.touch(observed=[SEEN], keep_history=1)),  # type: ignore[arg-type]
    ("child", lambda c: c.fork("\ud800")),
    ("to", lambda c: c.handoff("\ud800")),
    ("agent", lambda c: c.forget(agent="\ud800")),
    ("request_id", lambda c: c.undo_refocus(request_id="\ud800")),
    ("request_id", lambda c: c.close_request(request_id="\ud800")),
    ("root", lambda c: c.ingest_tree("n", "/tmp/\udcff")),
    ("namespace", lambda c: c.ingest_tree("\ud800", "/tmp")),
    ("namespace", lambda c: c.ingest_records("\ud800", [RecordInput("t")])),
    ("cursor", lambda c: c.list_page("n", cursor="\ud800")),
    ("service", lambda c: c.health("\ud800")),
]


@pytest.mark.parametrize(("field", "ask"), BAD)
def test_a_bad_field_is_named(client: HotsetClient, field: str, ask: Callable[[HotsetClient], object]) -> None:
    with pytest.raises(BadRequest) as raised:
        ask(client)
    assert (raised.value.field, raised.value.reason, raised.value.status) == (field, "BAD_FIELD", "")
    assert raised.value.what_to_do


def test_an_agent_must_be_named() -> None:
    with HotsetClient("unix:/nonexistent/hotsetd.sock") as nameless, pytest.raises(BadRequest, match="no agent"):
        nameless.focus("g")


@pytest.mark.parametrize("token", ["", "tab\t", "ümlaut"])
def test_a_token_that_cannot_be_sent_is_refused(token: str) -> None:
    with pytest.raises(BadRequest) as raised:
        HotsetClient("unix:/nonexistent/hotsetd.sock", token=token)
    assert raised.value.field == "token"
