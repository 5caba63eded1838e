"""Hints of a host bring the records of the files that it means, and what was not followed is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.hints import Hints, HintSettings
from retrieval.query import Query
from retrieval.settings import RetrievalSettings
from tests.world import CODE, World, record, refs
from workingset.candidate import LaneOutcome, Projection
from workingset.vocabulary import Lines, Namespace

OTHER = Namespace("other")


def _host(projection: Projection) -> LaneOutcome:
    return next(lane for lane in projection.lanes if lane.lane == "host")


def _changed(*paths: str, namespace: Namespace | None = None, scope: tuple[Namespace, ...] = (CODE,)) -> Query:
    return Query("what comes next", scope, hints=(Hints(namespace, changed=paths),))


def _files(*paths: str, namespace: Namespace = CODE) -> World:
    world = World()
    world.put(*(record(f"r{at}", f"body {at}", path=path, namespace=namespace) for at, path in enumerate(paths)))
    return world


@pytest.mark.parametrize(
    ("hinted", "found"),
    [
        ("src/lease.py", "src/lease.py"),
        ("/home/ada/shop/src/lease.py", "src/lease.py"),
        ("C:\\shop\\src\\lease.py", "src/lease.py"),
        ("tax.py", "src/tax.py"),
        ("README.md", "README.md"),
    ],
)
def test_a_path_finds_the_file_that_it_means(hinted: str, found: str) -> None:
    world = _files("src/lease.py", "vendor/shop/src/lease.py", "src/tax.py", "README.md", "docs/README.md")

    projection = world.ask(_changed(hinted))

    assert [candidate.path for candidate in projection.ranked] == [found]
    assert _host(projection).note == ""


@pytest.mark.parametrize("hinted", ["lease.py", "lib/lease.py", "/home/ada/shop/lib/lease.py"])
def test_a_path_that_two_namespaces_hold_is_none_and_counted(hinted: str) -> None:
    world = _files("lib/lease.py")
    world.put(record("twin", "body", path="lib/lease.py", namespace=OTHER))

    both = world.ask(_changed(hinted, scope=(CODE, OTHER)))
    one = world.ask(_changed(hinted, namespace=OTHER, scope=(CODE, OTHER)))

    assert both.ranked == ()
    assert _host(both).note == f"1 of 1 hinted files could be several files: {hinted}"
    assert refs(one) == ["other:twin"]


def test_a_path_that_two_files_end_with_is_none_and_one_that_is_neither_end_is_no_file() -> None:
    world = _files("a/tax.py", "b/tax.py", "vendor/src/lease.py")

    projection = world.ask(_changed("tax.py", "shop/src/lease.py"))

    assert projection.ranked == ()
    assert _host(projection).note == (
        "1 of 2 hinted files match no record: shop/src/lease.py; 1 of 2 hinted files could be several files: tax.py"
    )


def test_many_files_that_match_nothing_are_named_in_part_and_counted() -> None:
    world = _files("src/lease.py")

    projection = world.ask(_changed("src/lease.py", *(f"none/{at}.py" for at in range(6))))

    assert _host(projection).note == (
        "6 of 7 hinted files match no record: none/0.py, none/1.py, none/2.py, none/3.py, 2 more"
    )


def test_hinted_records_beyond_the_cap_are_bounded_from_above() -> None:
    paths = [f"src/f{at}.py" for at in range(60)]
    world = _files(*paths)
    settings = RetrievalSettings(hints=replace(HintSettings(), hits=20))

    projection = world.ask(_changed(*paths), world.retrieval(settings))

    assert _host(projection).truncated
    assert (len(projection.ranked), projection.overflow) == (20, 40)


def test_they_count_beside_words_too() -> None:
    paths = [f"src/f{at}.py" for at in range(60)]
    world = _files(*paths)
    world.put(record("own", "the lease ends", path="src/lease.py"))
    settings = RetrievalSettings(hints=replace(HintSettings(), hits=20))
    asked = replace(_changed(*paths), goal="when does the lease end")

    projection = world.ask(asked, world.retrieval(settings))

    assert 61 - len(projection.ranked) - projection.near_misses <= projection.overflow <= 41


def test_files_and_parts_that_are_not_followed_are_bounded_from_above() -> None:
    paths = [f"src/f{at}.py" for at in range(6)]
    world = _files(*paths)
    world.put(*(record(f"part{at}", f"part {at}", path="src/f0.py", lines=Lines(at, at)) for at in range(2, 40)))
    few = RetrievalSettings(hints=replace(HintSettings(), files=4))
    short = RetrievalSettings(hints=replace(HintSettings(), records_per_file=4, part_share=1.0))
    shorter = RetrievalSettings(hints=replace(HintSettings(), parts_per_file=4, part_share=1.0))

    everything = world.ask(
        _changed(*paths),
        world.retrieval(RetrievalSettings(hints=replace(HintSettings(), part_share=1.0, parts_per_file=99))),
    )
    assert (len(everything.ranked), everything.overflow) == (44, 0)
    for settings, relevant in ((few, 6), (short, 44), (shorter, 44)):
        projection = world.ask(_changed(*paths), world.retrieval(settings))
        assert _host(projection).truncated
        assert projection.overflow >= relevant - len(projection.ranked) > 0


def test_weak_hints_beyond_a_cap_are_no_overflow() -> None:
    world = _files("src/f.py")
    world.put(*(record(f"part{at}", f"part {at}", path="src/f.py", lines=Lines(at, at)) for at in range(2, 60)))

    projection = world.ask(_changed("src/f.py"))

    assert _host(projection).truncated
    assert (refs(projection), projection.overflow) == (["code:r0"], 0)
