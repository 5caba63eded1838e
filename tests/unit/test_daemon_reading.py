"""Resolve, List, Get and Remove: exact text in pieces, cursors bound to a generation, tombstones that keep history."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotsetd.calls import ResolveCall
from hotsetd.corpus import ListCall, RemoveCall
from retrieval.errors import BadField, StaleCursor, UnknownRef
from retrieval.ingest.typed_records import EdgeInput
from tests.daemon_room import NAMESPACE, Room, note, opened
from workingset.vocabulary import Standing

TEXT = "Prüfung 🧾 der Rückzahlung — 返金の規則。" * 50


def _resolve(room: Room, *refs: str, **asked: object) -> object:
    return room.parts.reading.resolve(room.parts.caller, ResolveCall(refs=refs, **asked))  # type: ignore[arg-type]


def test_a_long_text_comes_back_whole_in_pieces_that_never_split_a_character(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("long", TEXT)])
        pieces: list[str] = []
        offset = 0
        while True:
            call = ResolveCall(refs=(f"{NAMESPACE}:long",), offset_bytes=offset, max_bytes=101)
            (record,) = room.parts.reading.resolve(room.parts.caller, call).records
            pieces.append(record.text)
            assert len(record.text.encode()) <= 101 + 3
            assert record.total_bytes == len(TEXT.encode())
            offset = record.next_offset_bytes
            if not offset:
                break

        assert "".join(pieces) == TEXT
        assert len(pieces) > 10


def test_records_that_do_not_fit_are_named_to_ask_again_with(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i}", "x" * 90) for i in range(5)])
        refs = tuple(f"{NAMESPACE}:r{i}" for i in range(5))

        answer = room.parts.reading.resolve(room.parts.caller, ResolveCall(refs=refs, max_bytes=200))

        assert [r.ref for r in answer.records] + list(answer.remaining) == list(refs)
        assert answer.remaining


def test_a_cut_shows_what_was_there_then(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "first")])
        with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
            before = txn.cut([NAMESPACE]).generations  # type: ignore[list-item]
        room.records([note("a", "second")])
        ref = f"{NAMESPACE}:a"

        old = room.parts.reading.resolve(room.parts.caller, ResolveCall(refs=(ref,), cut=before)).records[0]
        new = room.parts.reading.resolve(room.parts.caller, ResolveCall(refs=(ref,))).records[0]

        assert (old.text, new.text) == ("first", "second")
        with pytest.raises(BadField, match="cut"):
            _resolve(room, ref, cut=((NAMESPACE, 10_000),))


def test_the_goal_resolves_for_its_agent_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "refund")])
        goal = room.focus("refund the order").outcome.state.entries[0]
        assert goal.kind == "goal"

        answer = room.parts.reading.resolve(room.parts.caller, ResolveCall(refs=(goal.ref,), agent="dev"))

        assert answer.records[0].text == "refund the order"
        for agent in ("", "other"):
            with pytest.raises((BadField, UnknownRef)):
                _resolve(room, goal.ref, agent=agent)


def test_listing_covers_every_record_once_and_stops_when_the_namespace_moves(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note(f"r{i:02}", f"text {i}") for i in range(25)])
        seen: list[str] = []
        cursor = ""
        while True:
            page = room.parts.corpus.list_records(
                room.parts.caller, ListCall(namespace=NAMESPACE, page_size=10, cursor=cursor)
            )
            seen.extend(record.ref for record in page.records)
            cursor = page.next_cursor
            if not cursor:
                break
        assert sorted(seen) == sorted({f"{NAMESPACE}:r{i:02}" for i in range(25)})

        call = ListCall(namespace=NAMESPACE, page_size=10)
        cursor = room.parts.corpus.list_records(room.parts.caller, call).next_cursor
        room.records([note("new", "text")])
        with pytest.raises(StaleCursor):
            room.parts.corpus.list_records(
                room.parts.caller, ListCall(namespace=NAMESPACE, page_size=10, cursor=cursor)
            )
        with pytest.raises(BadField, match="cursor"):
            room.parts.corpus.list_records(room.parts.caller, ListCall(namespace=NAMESPACE, cursor="nonsense"))


def test_removal_is_a_tombstone_and_all_or_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "first"), note("b", "second")])
        corpus, caller = room.parts.corpus, room.parts.caller

        with pytest.raises(UnknownRef):
            corpus.remove(caller, RemoveCall(namespace=NAMESPACE, refs=(f"{NAMESPACE}:a", f"{NAMESPACE}:zzz")))
        assert corpus.get(caller, f"{NAMESPACE}:a", ()).standing is Standing.CURRENT

        removed = corpus.remove(caller, RemoveCall(namespace=NAMESPACE, refs=(f"{NAMESPACE}:a",)))
        room.catch_up()

        assert (removed.count, removed.replayed) == (1, False)
        assert corpus.get(caller, f"{NAMESPACE}:a", ()).standing is Standing.REMOVED
        assert corpus.get(caller, f"{NAMESPACE}:a", ((NAMESPACE, removed.generation - 1),)).record.text == "first"
        assert corpus.describe(caller, NAMESPACE).counts.records == 1
        assert [entry.kind for entry in room.focus("first").outcome.state.entries] == ["goal"]


def test_removal_by_source_and_path(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents({"a.md": "# A\ntext\n", "b.md": "# B\ntext\n"})
        corpus, caller = room.parts.corpus, room.parts.caller

        by_path = corpus.remove(caller, RemoveCall(namespace=NAMESPACE, source="files", path="a.md"))
        left = {r.path for r in corpus.list_records(caller, ListCall(namespace=NAMESPACE)).records}
        by_source = corpus.remove(caller, RemoveCall(namespace=NAMESPACE, source="files"))

        assert by_path.count >= 1
        assert left == {"b.md"}
        assert by_source.count >= 1
        assert corpus.list_records(caller, ListCall(namespace=NAMESPACE)).records == ()


def test_a_superseded_record_says_so_wherever_it_is_read(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("old", "ten days"), note("new", "two days")])
        room.records([], [EdgeInput("new", "supersedes", "old")])
        old, new = f"{NAMESPACE}:old", f"{NAMESPACE}:new"
        corpus, caller = room.parts.corpus, room.parts.caller

        got = corpus.get(caller, old, ())
        listed = corpus.list_records(caller, ListCall(namespace=NAMESPACE))
        (resolved,) = room.parts.reading.resolve(caller, ResolveCall(refs=(old,))).records

        assert (got.standing, got.successor) == (Standing.SUPERSEDED, new)
        assert (resolved.standing, resolved.successor) == (Standing.SUPERSEDED, new)
        standings = dict(zip((r.ref for r in listed.records), listed.standings, strict=True))
        assert standings == {old: (Standing.SUPERSEDED, new), new: (Standing.CURRENT, None)}
