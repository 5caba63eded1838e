"""Collect: history by generation or by age, asked for or in the background, and what goes on over it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hotsetd.calls import ResolveCall
from hotsetd.collection import HELD, UNMARKED, CollectCall, CollectedIn
from hotsetd.config import CollectionSettings, JobSettings, Settings
from hotsetd.corpus import ListCall, RemoveCall
from retrieval.deadline import Deadline
from retrieval.errors import BadField, CutExpired, DeadlinePassed, ReadOnlyStore, StaleCursor, UnknownNamespace
from retrieval.store.interface import Collected
from tests.daemon_room import NAMESPACE, Room, note, opened
from workingset.vocabulary import Generation, Namespace, Ref, Standing

SPACE, OTHER = Namespace(NAMESPACE), Namespace("other")
SETTINGS = Settings(jobs=JobSettings(settle_seconds=0.0))
DAY = 86_400


def write(room: Room, *texts: str, ns: str = NAMESPACE) -> None:
    for text in texts:
        room.records([note("a", text), note("b", f"beside {text}")], ns=ns)


def gathered(room: Room, **asked: object) -> tuple[CollectedIn, ...]:
    call = replace(CollectCall(), **asked)  # type: ignore[arg-type]
    return room.parts.collection.collect(room.parts.caller, call, room.deadline)


def text_at(room: Room, at: int, ref: str = f"{NAMESPACE}:a") -> str:
    call = ResolveCall(refs=(ref,), agent="", cut=((ref.partition(":")[0], at),), offset_bytes=0, max_bytes=0)
    return room.parts.reading.resolve(room.parts.caller, call).records[0].text


def test_cuts_are_read_until_they_are_collected_and_then_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        write(room, "one", "two", "three")
        assert [text_at(room, at) for at in (1, 2, 3)] == ["one", "two", "three"]

        done = gathered(room, namespace=NAMESPACE, before_generation=2)

        assert [text_at(room, at) for at in (2, 3)] == ["two", "three"]
        with pytest.raises(CutExpired, match=r"'shop' before generation 2 .* ask at 2 or later"):
            text_at(room, 1)
        with pytest.raises(CutExpired):
            room.parts.corpus.get(room.parts.caller, f"{NAMESPACE}:a", ((NAMESPACE, 1),))
        assert room.parts.corpus.get(room.parts.caller, f"{NAMESPACE}:a", ((NAMESPACE, 2),)).record.text == "two"
        assert done == (
            CollectedIn(SPACE, newest(room), Generation(0), Generation(2), Collected(versions=2, changes=2)),
        )


def newest(room: Room) -> Generation:
    with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
        return txn.generation(SPACE)


def test_a_write_elsewhere_expires_and_invalidates_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        write(room, "one", "two")
        write(room, "one", "two", ns="other")
        listed = room.parts.corpus.list_records(room.parts.caller, ListCall(namespace=NAMESPACE, page_size=1))
        write(room, "three", ns="other")
        gathered(room, namespace="other", before_generation=3)
        following = ListCall(namespace=NAMESPACE, page_size=1, cursor=listed.next_cursor)
        assert room.parts.corpus.list_records(room.parts.caller, following).records
        assert text_at(room, 1) == "one"
        write(room, "three")
        with pytest.raises(StaleCursor):
            room.parts.corpus.list_records(room.parts.caller, following)


def test_a_dry_run_says_what_would_go_and_nothing_goes(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        write(room, "one", "two", "three")
        said = gathered(room, namespace=NAMESPACE, before_generation=3, dry_run=True)
        assert text_at(room, 1) == "one"
        assert said == gathered(room, namespace=NAMESPACE, before_generation=3)
        again = gathered(room, namespace=NAMESPACE, before_generation=3)[0]
        assert (again.note, again.collected) == (HELD, Collected())


def test_age_is_told_by_the_marks_that_the_background_writes(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        write(room, "one", "two")
        assert gathered(room, older_than_seconds=DAY)[0].note == UNMARKED
        room.parts.collecting.step()
        room.clock.seconds += DAY
        write(room, "three")
        room.parts.collecting.step()
        write(room, "four")
        assert gathered(room, older_than_seconds=DAY + 1)[0].note == UNMARKED
        assert text_at(room, 1) == "one"

        done = gathered(room, older_than_seconds=DAY)

        assert [(each.namespace, each.horizon, each.collected.versions) for each in done] == [(SPACE, 2, 2)]
        assert [text_at(room, at) for at in (2, 3, 4)] == ["two", "three", "four"]
        assert gathered(room, older_than_seconds=0)[0].horizon == 4


def test_history_is_collected_by_age_in_the_background_only_where_asked(tmp_path: Path) -> None:
    for keep, horizon in ((0, 0), (DAY, 2)):
        settings = replace(SETTINGS, collection=CollectionSettings(keep_seconds=keep))
        with opened(tmp_path / str(keep), settings) as room:
            write(room, "one", "two")
            write(room, "one", ns="other")
            room.parts.collecting.step()
            room.clock.seconds += DAY
            write(room, "three")
            room.parts.collecting.step()
            with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
                assert (txn.horizon(SPACE), txn.horizon(OTHER)) == (horizon, min(horizon, 1))


def test_marks_stay_few_and_old_times_are_told_apart_less_finely(tmp_path: Path) -> None:
    settings = replace(SETTINGS, collection=CollectionSettings(marks=8))
    with opened(tmp_path, settings) as room:
        for number in range(40):
            write(room, f"text {number}")
            room.parts.collecting.step()
            room.clock.seconds += 60
        done = gathered(room, older_than_seconds=120, dry_run=True)[0]
        assert done.horizon == 39
        old = gathered(room, older_than_seconds=30 * 60, dry_run=True)[0]
        assert 0 <= old.horizon <= 11


def test_what_was_stopped_is_finished_in_the_background(tmp_path: Path) -> None:
    settings = replace(SETTINGS, store=replace(SETTINGS.store, purge_rows=2))
    with opened(tmp_path, settings) as room:
        write(room, *map(str, range(20)))
        calls = iter([1.0, 1.0, 1.0])
        late = Deadline(2.0, lambda: next(calls, 3.0))
        call = CollectCall(namespace=NAMESPACE, before_generation=20)
        with pytest.raises(DeadlinePassed):
            room.parts.collection.collect(room.parts.caller, call, late)
        with pytest.raises(CutExpired):
            text_at(room, 19)
        left = gathered(room, namespace=NAMESPACE, before_generation=20, dry_run=True)[0].collected
        assert left.versions > 10
        room.parts.collecting.step()
        assert gathered(room, namespace=NAMESPACE, before_generation=20, dry_run=True)[0].collected == Collected()
        assert text_at(room, 20) == "19"


def test_working_sets_go_on_over_collected_history(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        write(room, "refund of an order", "refund of an order within days")
        first = room.focus("refund of an order")
        write(room, "refund of an order in cash")
        room.parts.corpus.remove(room.parts.caller, RemoveCall(namespace=NAMESPACE, refs=(f"{NAMESPACE}:b",)))
        gathered(room, older_than_seconds=0)
        room.catch_up()

        second = room.focus("refund of an order")

        generations = [
            {entry.ref: entry.generation for entry in answer.outcome.state.entries}[Ref(f"{NAMESPACE}:a")]
            for answer in (first, second)
        ]
        assert generations == [2, 3]
        assert "in cash" in second.outcome.block.text
        got = room.parts.corpus.get(room.parts.caller, f"{NAMESPACE}:b", ())
        assert got.standing is Standing.REMOVED


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"namespace": NAMESPACE}, BadField, "before_generation or older_than_seconds"),
        ({"before_generation": 1}, BadField, "each namespace counts its own"),
        ({"namespace": NAMESPACE, "before_generation": 9}, BadField, "has come to 1"),
        ({"namespace": "never", "older_than_seconds": 1}, UnknownNamespace, "never"),
    ],
)
def test_what_cannot_be_collected_is_refused(
    tmp_path: Path, asked: dict[str, object], error: type[Exception], says: str
) -> None:
    with opened(tmp_path) as room:
        write(room, "one")
        for dry_run in (False, True):
            with pytest.raises(error, match=says):
                gathered(room, **asked, dry_run=dry_run)


def test_a_daemon_that_only_reads_collects_nothing_and_may_say_what_it_would(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        write(room, "one", "two")
    with opened(tmp_path, read_only=True) as room:
        with pytest.raises(ReadOnlyStore):
            gathered(room, older_than_seconds=0)
        assert gathered(room, older_than_seconds=0, dry_run=True)[0].collected.versions == 2
