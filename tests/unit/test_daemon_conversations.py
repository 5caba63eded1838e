"""Conversations through the daemon's use cases: durable, idempotent, found, and apart from agents' own history."""

from __future__ import annotations

import threading
from datetime import date
from pathlib import Path

import pytest

from hotsetd.calls import ObservationCall, ObservationKind, TouchCall
from hotsetd.corpus import RemoveCall
from hotsetd.ingesting import Batch, Header
from retrieval.errors import BadField
from retrieval.ingest import turn_records, typed_records
from retrieval.ingest.dates import Named, resolve_dates
from retrieval.ingest.progress import Summary
from retrieval.ingest.secrets import Redacted, SecretSettings, redact
from retrieval.ingest.turn_records import TurnInput, attribute
from retrieval.ingest.typed_records import RecordInput
from retrieval.record import Record
from retrieval.store.interface import WriteTransaction
from tests.daemon_room import NAMESPACE, Room, opened
from workingset.vocabulary import Namespace

MAY_8 = 1_683_554_160


def turn(number: int, text: str, speaker: str = "Ann") -> TurnInput:
    return TurnInput("talk", f"t{number}", speaker, MAY_8 + number, text)


def say(room: Room, *turns: TurnInput, request: str = "", sequence: int = 0) -> tuple[Summary, bool]:
    """Send one batch of turns; the summary, and whether it was there before."""
    ingesting = room.parts.ingesting
    sending = ingesting.begin(room.parts.caller, Header(NAMESPACE, request, "chat"))
    done = ingesting.batch(sending, Batch((), (), (), sequence, False, turns))
    summary = ingesting.finish(sending, room.deadline)
    room.catch_up()
    return summary, done.replayed


def stored(room: Room, namespace: str = NAMESPACE) -> list[Record]:
    with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
        return [r for r in txn.list_records(Namespace(namespace), 0, 100).records if not r.removed]


def test_turns_are_found_by_their_own_words_and_say_who_spoke_when(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        summary, _ = say(
            room,
            turn(1, "Shall we go to the pottery class?"),
            turn(2, "I went there yesterday, it was wonderful.", "Bo"),
            turn(3, "Let us bake bread instead."),
        )
        assert (summary.records_written, summary.edges_written) == (3, 2)
        answer = room.focus("pottery class", namespaces=(NAMESPACE,), budget_tokens=2_000)
        titles = [entry.title for entry in answer.outcome.state.entries if entry.kind == "turn"]
        assert "Ann, 8 May 2023" in titles


def test_a_batch_sent_again_is_not_applied_again(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        assert say(room, turn(1, "one"), turn(2, "two"), request="r")[1] is False
        before = stored(room)
        assert say(room, turn(1, "one"), turn(2, "two"), request="r")[1] is True
        assert stored(room) == before


def test_what_is_taken_out_is_in_the_summary(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        summary, _ = say(room, turn(1, "the password: hunter22x"), turn(2, "and again password: hunter23x"))
        assert dict(summary.skipped) == {"redacted_assigned_password": 2}


def test_a_bad_turn_leaves_nothing_of_its_batch(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        with pytest.raises(BadField, match="speaker"):
            say(room, turn(1, "one"), turn(2, "two", ""))
        say(room, turn(3, "three"))
        assert [attribute(record, "position") for record in stored(room)] == ["1"]


def test_the_words_of_a_removed_turn_find_its_neighbours_no_more(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        say(room, turn(1, "one"), turn(2, "a secret garden"), turn(3, "three"), turn(4, "four"))
        [gone] = [record for record in stored(room) if "garden" in record.text]
        assert sum("garden" in record.beside for record in stored(room)) == 3
        room.parts.corpus.remove(room.parts.caller, RemoveCall(namespace=NAMESPACE, refs=(gone.ref,)))
        assert [record.beside for record in stored(room)] == ["", "\nfour\n", "three\n\n"]


def test_after_the_last_turn_is_removed_the_next_follows_the_one_before(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        say(room, turn(1, "one"), turn(2, "two"), turn(3, "three"))
        last = stored(room)[-1]
        room.parts.corpus.remove(room.parts.caller, RemoveCall(namespace=NAMESPACE, refs=(last.ref,)))
        summary, _ = say(room, turn(4, "four"))
        assert (summary.records_written, summary.edges_written) == (2, 1)
        assert [record.beside for record in stored(room)] == ["\ntwo\n", "one\nfour\n", "one two\n\n"]


def test_others_can_write_while_secrets_and_dates_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "home") as room:
        wrote: list[bool] = []

        def nothing(txn: WriteTransaction) -> None:
            del txn

        def write_beside() -> None:
            tenant = room.parts.caller.tenant
            beside = threading.Thread(target=room.parts.store.write, args=(tenant, nothing), daemon=True)
            beside.start()
            beside.join(5.0)
            wrote.append(not beside.is_alive())

        def dates(text: str, said: date, phrases: int) -> Named:
            write_beside()
            return resolve_dates(text, said, phrases)

        def secrets(text: str, path: str = "", settings: SecretSettings | None = None) -> Redacted:
            write_beside()
            return redact(text)

        monkeypatch.setattr(turn_records, "resolve_dates", dates)
        monkeypatch.setattr(typed_records, "redact", secrets)
        say(room, turn(1, "I went there yesterday."))
        sending = room.parts.ingesting.begin(room.parts.caller, Header(NAMESPACE, "", "chat"))
        room.parts.ingesting.batch(sending, Batch((), (RecordInput("r", "note", "", "x"),), (), 0, False))

        assert len(wrote) > 1
        assert all(wrote)


def test_secrets_in_what_an_agent_says_are_not_kept_in_its_history(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        say(room, turn(1, "one"))
        room.focus("one")
        said = ObservationCall(ObservationKind.USER, "use password: hunter22x for it", "")
        call = TouchCall(agent="dev", uses=(), observed=(said,), keep_history=True)
        answer = room.parts.turns.touch(room.parts.caller, call)[0]
        assert dict(answer.passed_over)["redacted_assigned_password"] == 1
        texts = [record.text for record in stored(room, "agent.dev")]
        assert texts == ["use password: [redacted: assigned_password] for it"]
