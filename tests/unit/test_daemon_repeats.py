"""Idempotency keys: the same request is answered again, another one under its id is refused and loses nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hotsetd.calls import PinCall
from hotsetd.corpus import RemoveCall
from hotsetd.ingesting import Acknowledged, Batch, Header
from retrieval.errors import BadField, UnknownRef
from retrieval.ingest.sending import Document
from tests.daemon_room import NAMESPACE, Room, note, opened
from workingset.entry import PinOwner

ID = "an-id"


def test_another_goal_under_a_used_id_is_refused_and_nothing_moves(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund rule")])
        room.focus("refund", request_id=ID)

        with pytest.raises(BadField) as caught:
            room.focus("something else", request_id=ID)

        assert caught.value.field == "request_id"
        assert room.state().turn == 1


def test_ids_of_different_calls_do_not_meet(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund rule")])
        room.focus("refund", request_id=ID)
        call = PinCall(
            agent="dev", ref=f"{NAMESPACE}:a", text="", reason="", expires_turns=0, owner=PinOwner.HOST, request_id=ID
        )

        first, replayed = room.parts.hosting.pin(room.parts.caller, call)
        again, replayed_again = room.parts.hosting.pin(room.parts.caller, call)

        assert (first, replayed, replayed_again) == (again, False, True)


def test_another_batch_under_a_used_id_is_never_acknowledged(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        one, two = _batch("a.md", b"# One\n"), _batch("b.md", b"# Two\n")
        assert not _sent(room, one).replayed
        assert _sent(room, one).replayed

        with pytest.raises(BadField) as caught:
            _sent(room, two)

        assert caught.value.field == "header.request_id"
        assert not _sent(room, replace(two, sequence=1)).replayed


def test_the_same_batch_of_another_source_is_another_request(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        _sent(room, _batch("a.md", b"# One\n"))
        with pytest.raises(BadField, match="another request"):
            _sent(room, _batch("a.md", b"# One\n"), source="elsewhere")


def test_a_removal_is_answered_again_also_after_a_restart(tmp_path: Path) -> None:
    call = RemoveCall(namespace=NAMESPACE, refs=(f"{NAMESPACE}:a",), request_id=ID)
    with opened(tmp_path) as room:
        room.records([note("a", "first"), note("b", "second")])
        first = room.parts.corpus.remove(room.parts.caller, call)
        with pytest.raises(UnknownRef):
            room.parts.corpus.remove(room.parts.caller, replace(call, request_id=""))
    with opened(tmp_path) as room:
        again = room.parts.corpus.remove(room.parts.caller, call)
        with pytest.raises(BadField, match="another request"):
            room.parts.corpus.remove(room.parts.caller, replace(call, refs=(f"{NAMESPACE}:b",)))

        assert (first.replayed, again.replayed) == (False, True)
        assert (again.count, again.generation) == (first.count, first.generation)
        assert room.parts.corpus.describe(room.parts.caller, NAMESPACE).counts.records == 1


def test_a_wait_is_for_the_namespace_named_first_and_never_for_what_is_not_there(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "first")], ns="zoo")
        for number in range(3):
            room.records([note(f"b{number}", "second")], ns="aviary")
        newest = 3

        room.focus("second", namespaces=("aviary", "zoo"), at_least_generation=newest)
        for names, wanted in ((("zoo", "aviary"), newest), ((), 1), (("zoo",), 2**64 - 1)):
            with pytest.raises(BadField) as caught:
                room.focus("second", namespaces=names, at_least_generation=wanted)
            assert caught.value.field == "at_least_generation"


def test_a_cut_of_the_future_is_refused_by_every_read(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "first")])
        with pytest.raises(BadField, match="has come to"):
            room.parts.corpus.get(room.parts.caller, f"{NAMESPACE}:a", ((NAMESPACE, 99),))


def test_a_reason_is_a_line_and_not_a_document(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        call = PinCall(agent="dev", ref="", text="a rule", reason="x" * 501, expires_turns=0, owner=PinOwner.HOST)
        with pytest.raises(BadField) as caught:
            room.parts.hosting.pin(room.parts.caller, call)
        assert caught.value.field == "reason"
        room.parts.hosting.pin(room.parts.caller, replace(call, reason="x" * 500))


def _batch(path: str, content: bytes) -> Batch:
    return Batch((Document(path, content),), (), (), 0, False)


def _sent(room: Room, batch: Batch, source: str = "files") -> Acknowledged:
    sending = room.parts.ingesting.begin(room.parts.caller, Header(NAMESPACE, ID, source))
    return room.parts.ingesting.batch(sending, batch)
