"""Conversations: turns as records, sessions, neighbours' words, and dates in words."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest

from retrieval.errors import BadField
from retrieval.ingest import RecordInput, dates, put_records
from retrieval.ingest.changes import Written
from retrieval.ingest.conversations import put_turns
from retrieval.ingest.dates import resolve_dates
from retrieval.ingest.settings import ConversationSettings, IngestSettings
from retrieval.ingest.turn_records import TurnInput, attribute, turn_ref
from retrieval.record import NameKind, Record
from retrieval.store.interface import Store
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.ingest_room import CODE, TENANT

MAY_8 = 1_683_554_160
"""13:56 UTC on Monday, 8 May 2023."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store", LmdbSettings(map_bytes=2**24))
    yield opened
    opened.close()


def turn(number: int, text: str, speaker: str = "Ann", seconds: int = MAY_8, conversation: str = "talk") -> TurnInput:
    return TurnInput(conversation, f"D1:{number}", speaker, seconds, text)


def put(store: Store, *turns: TurnInput, settings: IngestSettings | None = None) -> Written:
    return store.write(TENANT, lambda txn: put_turns(txn, CODE, turns, "chat", settings))[0]


def stored(store: Store, conversation: str = "talk") -> list[Record]:
    with store.snapshot(TENANT) as snapshot:
        records = snapshot.list_records(CODE, 0, 1_000).records
    own = [record for record in records if attribute(record, "conversation") == conversation]
    return sorted(own, key=lambda record: int(attribute(record, "position")))


def follows(store: Store) -> dict[str, str]:
    """Which turn each follows, by their ids."""
    records = stored(store)
    ids = {record.ref: attribute(record, "turn") for record in records}
    with store.snapshot(TENANT) as snapshot:
        edges = [found.edge for record in records for found in snapshot.edges_from(record.ref)]
    assert {edge.relation for edge in edges} <= {"follows"}
    return {ids[edge.source]: ids[edge.target] for edge in edges}


def test_a_turn_is_a_record_with_what_is_known_of_it(store: Store) -> None:
    put(store, replace(turn(1, "I went yesterday."), attributes=(("mood", "glad"),)), turn(2, "How was it?", "Bo"))
    first, second = stored(store)
    assert (first.kind, first.title, first.text) == ("turn", "Ann, 8 May 2023", "I went yesterday.")
    assert dict(first.attributes) == {
        "conversation": "talk",
        "turn": "D1:1",
        "position": "1",
        "speaker": "Ann",
        "time": str(MAY_8),
        "session": "1",
        "dates": "2023-05-07",
        "mood": "glad",
    }
    assert first.beside == "\nHow was it?\n2023-05-07 7 May 2023"
    assert second.beside == "I went yesterday.\n\n"
    assert follows(store) == {"D1:2": "D1:1"}
    with store.snapshot(TENANT) as snapshot:
        found = snapshot.find(CODE, NameKind.SPEAKER, "bo", 10)
        assert [snapshot.ref_of(record_id) for record_id in found] == [second.ref]
        assert snapshot.find(CODE, NameKind.SYMBOL, "Bo", 10) == []


def test_appended_turns_leave_refs_alone_and_rewrite_the_one_before(store: Store) -> None:
    put(store, turn(1, "one"), turn(2, "two"))
    before = stored(store)
    written = put(store, turn(3, "three"))
    after = stored(store)
    assert [record.ref for record in before] == [record.ref for record in after[:2]]
    assert after[1].beside == "one\nthree\n"
    assert after[0].generation == before[0].generation
    assert written.records_written == 2


def test_turns_in_one_batch_or_one_by_one_are_the_same_and_a_repeat_writes_nothing(
    store: Store, tmp_path: Path
) -> None:
    turns = [turn(n, f"words {n}", "Ann" if n % 2 else "Bo", MAY_8 + n * 4_000) for n in range(9)]
    put(store, *turns)
    whole = [replace(record, generation=record.generation.__class__(0)) for record in stored(store)]
    assert put(store, *turns) == Written()
    other = open_store(tmp_path / "other", LmdbSettings(map_bytes=2**24))
    try:
        for each in turns:
            put(other, each)
        assert [replace(r, generation=r.generation.__class__(0)) for r in stored(other)] == whole
        assert follows(other) == follows(store)
    finally:
        other.close()


def test_an_edited_turn_keeps_its_place_and_its_neighbours_hear_of_it(store: Store) -> None:
    put(store, turn(1, "one"), turn(2, "two"), turn(3, "three"))
    put(store, turn(2, "zwei"))
    assert [record.text for record in stored(store)] == ["one", "zwei", "three"]
    assert [record.beside for record in stored(store)] == ["\nzwei\n", "one\nthree\n", "one zwei\n\n"]
    assert follows(store) == {"D1:2": "D1:1", "D1:3": "D1:2"}


def test_a_turn_is_beside_the_two_before_it_and_the_one_after(store: Store) -> None:
    put(store, *(turn(n, word) for n, word in enumerate(("one", "two", "three", "four"), 1)))
    assert [record.beside for record in stored(store)] == [
        "\ntwo\n",
        "one\nthree\n",
        "one two\nfour\n",
        "two three\n\n",
    ]
    put(store, turn(1, "eins"))
    assert [record.beside for record in stored(store)][1:3] == ["eins\nthree\n", "eins two\nfour\n"]


def test_sessions_begin_after_a_gap_or_where_the_host_says_so(store: Store) -> None:
    put(store, turn(1, "a"), turn(2, "b", seconds=MAY_8 + 60), turn(3, "c", seconds=MAY_8 + 90_000))
    put(store, replace(turn(4, "d", seconds=MAY_8 + 90_010), session="evening"), turn(5, "e", seconds=MAY_8 + 90_020))
    put(store, turn(6, "f", seconds=MAY_8 + 990_000), turn(7, "g", seconds=0))
    records = stored(store)
    assert [attribute(r, "session") for r in records] == ["1", "1", "2", "evening", "evening", "4", "4"]
    assert [r.beside for r in records[:4]] == ["\nb\n", "a\n\n", "", "\ne\n"]
    assert follows(store) == {f"D1:{n}": f"D1:{n - 1}" for n in range(2, 8)}
    assert records[6].title == "Ann"
    assert attribute(records[6], "time") == ""


def test_several_conversations_may_be_mixed(store: Store) -> None:
    mixed: Sequence[TurnInput] = [turn(1, "a"), turn(1, "x", conversation="other"), turn(2, "b")]
    put(store, *mixed)
    assert [record.text for record in stored(store)] == ["a", "b"]
    assert [record.text for record in stored(store, "other")] == ["x"]


def remove(store: Store, *numbers: int) -> None:
    gone = [record.ref for record in stored(store) if attribute(record, "turn") in {f"D1:{n}" for n in numbers}]
    assert len(gone) == len(numbers)
    store.write(TENANT, lambda txn: [txn.remove_record(ref) for ref in gone])


def test_a_turn_after_a_removed_one_follows_the_last_that_is_there(store: Store) -> None:
    put(store, turn(1, "a"), turn(2, "b"), turn(3, "c"), turn(4, "d"))
    remove(store, 2)
    remove(store, 3)
    remove(store, 4)
    put(store, turn(5, "e"))
    put(store, turn(6, "f"))
    first, *_, fifth, sixth = stored(store)
    assert {"D1:5": "D1:1", "D1:6": "D1:5"}.items() <= follows(store).items()
    assert [attribute(record, "position") for record in (fifth, sixth)] == ["5", "6"]
    assert (first.beside, fifth.beside, sixth.beside) == ("\ne\n", "a\nf\n", "a e\n\n")


def test_a_turn_that_was_removed_comes_back_behind_the_last(store: Store) -> None:
    put(store, turn(1, "a"), turn(2, "b"))
    remove(store, 2)
    put(store, turn(2, "b again"))
    assert follows(store) == {"D1:2": "D1:1"}
    assert stored(store)[-1].beside == "a\n\n"


def test_where_all_the_last_turns_are_removed_the_next_follows_nothing(store: Store) -> None:
    few = IngestSettings(conversations=ConversationSettings(last_turns=2))
    put(store, turn(1, "a"), turn(2, "b"), turn(3, "c"), settings=few)
    remove(store, 2, 3)
    put(store, turn(4, "d"), settings=few)
    assert "D1:4" not in follows(store)
    assert stored(store)[-1].beside == ""


def test_neighbours_and_dates_are_bounded_and_what_is_cut_is_counted(store: Store) -> None:
    settings = IngestSettings(conversations=ConversationSettings(neighbour_characters=5, dates_per_turn=2))
    long = "first words in between last words"
    written = put(store, turn(1, long), turn(2, "2021-01-01 2022-02-02 2023-03-03"), turn(3, long), settings=settings)
    middle = stored(store)[1]
    assert middle.beside.split("\n")[:2] == ["words", "first"]
    assert attribute(middle, "dates") == "2021-01-01,2022-02-02"
    assert dict(written.reasons) == {"dates_cut": 1, "neighbours_cut": 5}


def test_secrets_do_not_reach_a_turn_nor_its_neighbours(store: Store) -> None:
    written = put(store, turn(1, "my password: hunter22x"), turn(2, "thanks"))
    assert dict(written.reasons) == {"redacted_assigned_password": 1}
    assert all("hunter22x" not in r.text + r.beside + r.gist + r.outline for r in stored(store))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"conversation": ""}, "turns[1].conversation"),
        ({"turn": " "}, "turns[1].turn"),
        ({"speaker": "A\nB"}, "turns[1].speaker"),
        ({"session": "x" * 501}, "turns[1].session"),
        ({"text": " \n"}, "turns[1].text"),
        ({"text": "\ud800"}, "turns[1].text"),
        ({"seconds": -1}, "turns[1].seconds"),
        ({"seconds": 10**12}, "turns[1].seconds"),
        ({"attributes": (("time", "now"),)}, "turns[1].attributes"),
        ({"attributes": (("a", "1"), ("a", "2"))}, "turns[1].attributes"),
        ({"turn": "D1:1"}, "turns[1].turn"),
    ],
)
def test_bad_turns_are_named_and_nothing_is_written(store: Store, changes: dict[str, object], field: str) -> None:
    bad = replace(turn(2, "two"), **changes)  # type: ignore[arg-type]
    with pytest.raises(BadField) as caught:
        put(store, turn(1, "one"), bad)
    assert caught.value.field == field
    assert stored(store) == []


def test_secrets_are_no_part_of_a_turns_attributes_or_speaker(store: Store) -> None:
    held = (("login", "redis://u:hunter2!@h"), ("password", "hunter22x"), ("mood", "glad"))
    written = put(store, replace(turn(1, "hello", "Ann password=hunter22x"), attributes=held))
    assert dict(written.reasons) == {"redacted_assigned_password": 2, "redacted_connection_string": 1}
    [record] = stored(store)
    assert "hunter2" not in repr(record)
    assert attribute(record, "password") == "[redacted: assigned_password]"
    assert (attribute(record, "mood"), record.title) == (
        "glad",
        "Ann password=[redacted: assigned_password], 8 May 2023",
    )


def test_what_is_no_turn_is_not_overwritten_by_one(store: Store) -> None:
    ref = turn_ref(CODE, "talk", "D1:1")
    note = RecordInput(ref.partition(":")[2], "note", "", "mine")
    store.write(TENANT, lambda txn: put_records(txn, CODE, [note], [], "host"))
    with pytest.raises(BadField, match=r"turns\[1\]\.turn.*kind 'note'"):
        put(store, turn(2, "two"), turn(1, "one"))
    with store.snapshot(TENANT) as snapshot:
        assert [record.text for record in snapshot.list_records(CODE, 0, 10).records] == ["mine"]


def test_what_was_a_turn_and_is_another_record_now_is_followed_by_nothing(store: Store) -> None:
    put(store, turn(1, "one"), turn(2, "two"))
    ref = stored(store)[-1].ref
    remove(store, 2)
    note = RecordInput(ref.partition(":")[2], "note", "", "mine")
    store.write(TENANT, lambda txn: put_records(txn, CODE, [note], [], "host"))
    put(store, turn(3, "three"))
    assert follows(store) == {"D1:3": "D1:1"}


def test_few_dates_are_read_however_often_and_however_many_a_turn_names(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    reader = dates._reader()  # pyright: ignore[reportPrivateUsage]

    def counting(phrase: str, languages: Sequence[str], base: datetime) -> datetime | None:
        read.append(phrase)
        return reader(phrase, languages, base)

    monkeypatch.setattr(dates, "_reader", lambda: counting)
    some = "we met on 17 May 1907, eleven weeks ago. "
    many = " ".join(f"30 February {year}" for year in range(1900, 1990))
    written = put(store, turn(1, some * 1_000), turn(2, some), turn(3, many))
    assert read[:2] == ["17 May 1907", "11 weeks ago"]
    assert len(read) == 2 + 32
    assert dict(written.reasons)["dates_cut"] == 90 - 32


MONDAY = date(2023, 5, 8)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("I went yesterday, not the day before yesterday", ["2023-05-07", "2023-05-06"]),
        ("see you tomorrow, or the day after tomorrow", ["2023-05-09", "2023-05-10"]),
        ("last night and tonight", ["2023-05-07", "2023-05-08"]),
        ("two days ago", ["2023-05-06"]),
        ("in 5 days", ["2023-05-13"]),
        ("last week", ["2023-05-01/2023-05-07"]),
        ("a couple of weeks ago", ["2023-04-24/2023-04-30"]),
        ("last weekend", ["2023-05-06/2023-05-07"]),
        ("next Friday, last Friday, this Friday", ["2023-05-12", "2023-05-05"]),
        ("last Monday, last Wed", ["2023-05-01", "2023-05-03"]),
        ("last month and next year", ["2023-04-01/2023-04-30", "2024-01-01/2024-12-31"]),
        ("a year ago", ["2022-01-01/2022-12-31"]),
        ("on 3 June 2022", ["2022-06-03"]),
        ("on the 3rd of June", ["2023-06-03"]),
        ("December 31st", ["2022-12-31"]),
        ("back in March 2021, or in 2019", ["2021-03-01/2021-03-31", "2019-01-01/2019-12-31"]),
        ("last December, next March", ["2022-12-01/2022-12-31", "2024-03-01/2024-03-31"]),
        ("in May", ["2023-05-01/2023-05-31"]),
        ("on 2023-02-28", ["2023-02-28"]),
        ("gestern; ayer; вчера; 昨日は", ["2023-05-07"]),
        ("on 30 February, 2023-13-01, 5/7/2023", []),
        ("you may march 5 miles on a Sunday some time ago", []),
        ("nothing of the kind", []),
    ],
)
def test_dates_in_words(text: str, iso: list[str]) -> None:
    assert [days.iso for days in resolve_dates(text, MONDAY).days] == iso


def test_dates_are_resolved_at_the_edges_of_the_calendar() -> None:
    assert resolve_dates("last year, yesterday, 999 years ago", date(1, 1, 1)).days == ()
    assert [d.iso for d in resolve_dates("last month, next month", date(2024, 1, 31)).days] == [
        "2023-12-01/2023-12-31",
        "2024-02-01/2024-02-29",
    ]
    assert [d.words for d in resolve_dates("last week, last month, in 2020", MONDAY).days] == [
        "1 May 2023 to 7 May 2023",
        "April 2023",
        "2020",
    ]


def test_dates_of_a_long_text_are_those_of_its_parts_wherever_it_is_looked_through() -> None:
    phrases = (
        "the day after tomorrow",
        "3 June 2022",
        "a couple of weekends from now",
        "in March 2021",
        "昨日",
        "2023-02-28",
    )
    for before in range(16_345, 16_390, 7):
        for phrase in phrases:
            text = f"{'x' * before} {phrase} {'y' * 300} yesterday"
            assert resolve_dates(text, MONDAY) == resolve_dates(f"{phrase} yesterday", MONDAY), (before, phrase)


def test_any_text_has_resolvable_dates_or_none() -> None:
    phrase = "last next this week in 31 of May march yesterday 2023 2023-02-30 ago days a couple Friday , th"
    words = phrase.split()
    chance = random.Random(5)
    for _ in range(300):
        resolve_dates(" ".join(chance.choice(words) for _ in range(10)), date(2024, 2, 29))
