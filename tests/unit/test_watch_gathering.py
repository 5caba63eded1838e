"""When changes of a followed tree are scanned: together, once it is quiet, and never later than the bound."""

from __future__ import annotations

from itertools import pairwise

import pytest

from retrieval.ingest.watch import Batch, Gathering, Happened, WatchSettings

SETTINGS = WatchSettings(quiet_seconds=0.1, burst_paths=10, burst_quiet_seconds=0.4, hold_seconds=3.0, rescan_paths=100)
EDIT = [(Happened.CHANGED, "a.py")]


def paths(count: int) -> list[tuple[Happened, str]]:
    return [(Happened.CHANGED, f"{number:04}.py") for number in range(count)]


def test_nothing_seen_is_never_due() -> None:
    assert not Gathering(SETTINGS).due(1e9, asked=True)


def test_an_edit_waits_until_it_is_quiet_and_not_at_all_where_somebody_waits_for_it() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw(EDIT, 5.0)

    assert not gathering.due(5.05)
    assert gathering.due(5.0, asked=True)
    assert gathering.due(5.11)


def test_each_further_change_begins_the_quiet_anew_but_not_for_ever() -> None:
    gathering = Gathering(SETTINGS)
    times = [step * 0.05 for step in range(80)]
    first_due = next(
        after for before, after in pairwise(times) if not gathering.saw(EDIT, before) and gathering.due(after)
    )

    assert first_due == pytest.approx(SETTINGS.hold_seconds)


def test_both_ends_of_a_rename_are_one_batch() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw([(Happened.VANISHED, "old.py")], 1.0)
    assert not gathering.due(1.05, asked=True), "the other end may be on its way"
    gathering.saw([(Happened.APPEARED, "new.py")], 1.05)

    assert gathering.due(1.05, asked=True)
    assert gathering.take() == Batch(("new.py", "old.py"))


def test_a_file_set_aside_and_written_anew_is_a_change_of_it() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw([(Happened.VANISHED, "a.py"), (Happened.APPEARED, "a.py~")], 1.0)
    gathering.saw([(Happened.APPEARED, "a.py"), (Happened.VANISHED, "a.py~")], 1.01)

    assert gathering.take() == Batch(("a.py", "a.py~"))
    assert gathering.pending == 0


def test_a_burst_waits_longer_for_quiet_even_where_somebody_waits() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw(paths(10), 1.0)

    assert not gathering.due(1.2, asked=True)
    assert gathering.due(1.41, asked=True)


def test_while_git_is_at_work_nothing_is_scanned_until_the_bound() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw(EDIT, 1.0)

    assert not gathering.due(2.0, asked=True, busy=True)
    assert gathering.due(4.0, busy=True)


def test_very_many_changes_are_one_look_at_the_whole_tree() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw(paths(99), 1.0)
    assert len(gathering.take().paths) == 99
    gathering.saw(paths(100), 2.0)

    assert gathering.take() == Batch((), whole=True)


def test_a_whole_scan_that_is_asked_for_swallows_single_paths() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw(EDIT, 1.0)
    gathering.everything(1.0)

    assert gathering.pending == 2
    assert gathering.take() == Batch((), whole=True)
    assert gathering.pending == 0


def test_what_could_not_be_scanned_waits_again_beside_what_came_meanwhile() -> None:
    gathering = Gathering(SETTINGS)
    gathering.saw(EDIT, 1.0)
    batch = gathering.take()
    gathering.saw([(Happened.VANISHED, "a.py"), (Happened.APPEARED, "b.py")], 2.0)
    gathering.put_back(batch, 2.0)
    gathering.put_back(Batch((), whole=True), 2.0)

    assert gathering.pending == 3
    assert gathering.take().whole
