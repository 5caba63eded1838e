"""The exact lane finds what the goal names, as the goal writes it."""

from __future__ import annotations

from dataclasses import replace

from retrieval.settings import LaneSettings, RetrievalSettings
from tests.world import CODE, World, record, refs
from workingset.candidate import LaneOutcome, Projection
from workingset.vocabulary import Lines, Namespace, SearchCoverage


def _exact(projection: Projection) -> LaneOutcome:
    return next(lane for lane in projection.lanes if lane.lane == "exact")


def _found(projection: Projection) -> list[str]:
    return [c.ref for c in projection.ranked if "exact" in c.lanes]


def test_a_ref_finds_its_record() -> None:
    world = World()
    world.put(record("a/b.md#one", "words"), record("a/b.md#two", "words"))

    projection = world.ask("show me code:a/b.md#two, please")

    assert _found(projection) == ["code:a/b.md#two"]
    assert projection.ranked[0].relevance == 1.0


def test_the_longest_suffix_of_a_written_path_finds_the_file() -> None:
    world = World()
    world.put(
        record("one", "first", path="pkg/net/util.py"),
        record("two", "second", path="pkg/disk/util.py"),
    )

    assert _found(world.ask("look at /home/me/src/pkg/net/util.py")) == ["code:one"]
    assert set(_found(world.ask("look at util.py"))) == {"code:one", "code:two"}


def test_a_line_written_with_a_path_prefers_what_holds_it() -> None:
    world = World()
    world.put(
        record("head", "first part", path="pkg/net.py", lines=Lines(1, 10)),
        record("tail", "second part", path="pkg/net.py", lines=Lines(11, 40)),
    )

    projection = world.ask('File "pkg/net.py", line 17')

    found = {str(c.ref): c.relevance for c in projection.ranked}
    assert refs(projection)[0] == "code:tail"
    assert found["code:tail"] > 0.9 > found["code:head"]


def test_the_end_of_a_path_finds_all_of_the_file_though_one_record_carries_it() -> None:
    world = World()
    whole = "deep/pkg/queue.py"
    head = record("head", "imports", path=whole, lines=Lines(1, 5))
    tail = record("tail", "the rest", path=whole, lines=Lines(6, 90))
    world.put(head, replace(tail, names=tuple(name for name in tail.names if name.text == whole)))

    projection = world.ask("why does it block in pkg/queue.py:40")

    assert refs(projection) == ["code:tail", "code:head"]
    assert [(entity.name, entity.found) for entity in projection.entities] == [("pkg/queue.py", True)]


def test_a_path_that_two_files_end_in_is_worth_less_than_one() -> None:
    world = World()
    world.put(record("a", "one", path="x/util.py"), record("b", "two", path="y/util.py"), record("c", "3", path="z.py"))

    assert world.ask("see util.py").ranked[0].relevance < world.ask("see z.py").ranked[0].relevance


def test_a_dotted_name_finds_the_longest_part_that_is_a_symbol() -> None:
    world = World()
    world.put(
        record("method", "body of it", symbols=["Queue.get", "get"]),
        record("other", "another body", symbols=["get"]),
    )

    assert _found(world.ask("why does Queue.get block")) == ["code:method"]
    assert set(_found(world.ask("why does Stack.get block"))) == {"code:method", "code:other"}


def test_every_word_of_a_short_goal_may_be_a_symbol() -> None:
    world = World()
    world.put(record("f", "body", symbols=["fnmatch"]), record("g", "nothing else", symbols=["glob"]))

    assert _found(world.ask("fnmatch")) == ["code:f"]
    assert _found(world.ask("please tell me all about fnmatch")) == []


def test_a_quoted_string_finds_a_symbol_of_that_name() -> None:
    world = World()
    world.put(record("s", "body", symbols=["Ground rules"]))

    assert _found(world.ask('what is in "Ground rules" and why')) == ["code:s"]


def test_a_common_name_is_worth_less_than_a_rare_one() -> None:
    world = World()
    world.put(
        record("rare", "one body", symbols=["parse_header"]),
        *(record(f"common{i}", f"body number {i}", symbols=["parse_all"]) for i in range(10)),
    )

    rare = world.ask("`parse_header`").ranked[0].relevance
    common = {c.relevance for c in world.ask("`parse_all`").ranked}

    assert len(common) == 1
    assert rare > max(common) > 0.18


def test_names_beyond_the_cap_are_counted_and_never_cut_silently() -> None:
    world = World()
    world.put(*(record(f"r{i:02}", f"body {i}", symbols=["handle_it"]) for i in range(12)))
    settings = RetrievalSettings(lanes=LaneSettings(exact_hits_per_name=5, lexical_hits=1, vector_hits=1))

    projection = world.ask("`handle_it`", world.retrieval(settings))

    assert _exact(projection).truncated
    assert _exact(projection).hits == 5
    assert _exact(projection).coverage is SearchCoverage.BOUNDED
    assert projection.overflow >= 12 - len(projection.ranked)


def test_a_full_look_claims_to_be_exhaustive() -> None:
    world = World()
    world.put(record("a", "body", symbols=["only_one"]))

    assert _exact(world.ask("`only_one`")).coverage is SearchCoverage.EXHAUSTIVE


def test_a_name_that_the_record_lost_no_longer_finds_it() -> None:
    world = World()
    world.put(record("a", "body of the thing", symbols=["old_name"]))
    world.put(record("a", "body of another", symbols=["new_name"]))

    projection = world.ask("`old_name`")

    assert projection.ranked == ()
    assert (_exact(projection).hits, _exact(projection).note) == (0, "1 records had such a name once")
    assert [(entity.name, entity.found) for entity in projection.entities] == [("old_name", False)]


def test_a_removed_record_that_only_its_old_name_leads_to_is_nothing_that_was_left_out() -> None:
    world = World()
    gone = record("gone", "body of the thing", symbols=["old_name"])
    world.put(gone)
    world.remove(gone.ref)

    projection = world.ask("`old_name`")

    assert (projection.rejected, projection.overflow) == ((), 0)
    assert _exact(projection).note == "1 records had such a name once"


def test_names_of_other_namespaces_are_not_found() -> None:
    world = World()
    world.put(record("a", "body", symbols=["far_away"], namespace=Namespace("other")))
    world.put(record("b", "body"))

    assert _found(world.ask("`far_away`")) == []
    assert world.ask("x").cut.generations[0][0] == CODE
