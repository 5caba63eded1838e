"""What is embedded, how often and in which order: goals first, then what lies near a working set; each text once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.deadline import Deadline
from retrieval.goal import parse_goal
from retrieval.index.follower import FollowerSettings
from retrieval.index.vector_near import NearSettings
from retrieval.ingest import IngestSettings, ingest_tree
from retrieval.lanes.lane import BRIDGE_KINDS, Scope
from retrieval.lanes.vector import VectorLane
from retrieval.record import Edge, Name, NameKind, Record
from retrieval.relations import Role
from retrieval.settings import GoalSettings, LaneSettings
from retrieval.text.embedding import UNEMBEDDED_KINDS
from tests.contract.hashing_embedder import HashingEmbedder
from tests.contract.indexes_room import NAMESPACE, TENANT, Room, open_room, record
from tests.ingest_room import write_tree
from workingset.vocabulary import Namespace, Ref, TenantId

MAIN = Namespace("main")
BRANCH = Namespace("branch")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = open_room(tmp_path / "home")
    yield made
    made.close()


def asked(room: Room) -> list[str]:
    assert isinstance(room.embedder, HashingEmbedder)
    texts, room.embedder.asked = room.embedder.asked, []
    return texts


def in_file(local: str, path: str, text: str) -> Record:
    """A record with its path as a name, as ingest makes it."""
    made = record(local, text, path=path)
    return Record(
        made.ref, made.namespace, made.kind, made.title, made.text, made.outline, made.gist, made.digest,
        path=path, names=(Name(NameKind.PATH, path),),
    )  # fmt: skip


def link(room: Room, source: str, target: str) -> None:
    edge = Edge(Ref(f"n:{source}"), "calls", Ref(f"n:{target}"), Role.ASSOCIATIVE)
    room.store.write(TENANT, lambda txn: txn.put_edge(edge))


def ids(room: Room, *locals_: str) -> list[int]:
    with room.store.snapshot(TENANT) as txn:
        found = [txn.record_id(Ref(f"n:{local}")) for local in locals_]
    return [each for each in found if each is not None]


def five(room: Room) -> None:
    """A set's file a.py with held and beside, what held calls, and two others, written later."""
    room.put(in_file("held", "a.py", "held words"), in_file("beside", "a.py", "beside words"))
    room.put(record("called", "called words"))
    room.put(in_file("far", "b.py", "far words"))
    room.put(record("newest", "newest words"))
    link(room, "held", "called")


def test_goals_go_first_then_what_is_near_a_set_then_the_newest(room: Room) -> None:
    five(room)
    room.follower.prefer(TENANT, ids(room, "far"))
    room.follower.hold(TENANT, "dev", [Ref("n:held")])

    for _ in range(5):
        room.follower.advance_vectors(1)

    assert [text.split()[-2] for text in asked(room)] == ["far", "held", "beside", "called", "newest"]


def test_what_comes_in_later_beside_a_set_goes_first_though_nothing_waited_when_it_moved(room: Room) -> None:
    room.put(in_file("held", "a.py", "held words"))
    room.catch_up()
    room.follower.hold(TENANT, "dev", [Ref("n:held")])
    for _ in range(3):
        room.follower.advance_vectors(1)
    asked(room)

    room.put(in_file("beside", "a.py", "beside words"))
    room.put(in_file("far", "b.py", "far words"))
    for _ in range(2):
        room.follower.advance_vectors(1)

    assert [text.split()[-2] for text in asked(room)] == ["beside", "far"]


def test_the_set_that_moved_last_goes_first(room: Room) -> None:
    five(room)
    room.follower.hold(TENANT, "one", [Ref("n:held")])
    room.follower.hold(TENANT, "two", [Ref("n:far")])
    room.follower.advance_vectors(1)
    room.follower.hold(TENANT, "one", [Ref("n:called"), Ref("n:gone")])
    room.follower.advance_vectors(1)

    assert [text.split()[-2] for text in asked(room)] == ["far", "called"]


def test_what_is_remembered_of_sets_is_bounded_and_nothing_is_lost(tmp_path: Path) -> None:
    near = NearSettings(sets=1, entries=1, file_records=1, neighbours=1, records=1)
    room = open_room(tmp_path / "small", settings=FollowerSettings(near=near))
    five(room)
    room.follower.hold(TENANT, "one", [Ref("n:held"), Ref("n:far")])
    room.follower.hold(TENANT, "two", [Ref("n:called")])

    room.follower.advance_vectors(1)
    assert asked(room) == ["called words"]
    room.catch_up()
    assert len(asked(room)) == 4
    room.close()


def test_a_hub_says_nothing_of_what_matters(tmp_path: Path) -> None:
    room = open_room(tmp_path / "small", settings=FollowerSettings(near=NearSettings(neighbours=2)))
    room.put(record("hub", "hub words"), *(record(f"spoke{at}", f"spoke{at} words") for at in range(3)))
    room.put(record("newest", "newest words"))
    for at in range(3):
        link(room, "hub", f"spoke{at}")
    room.follower.hold(TENANT, "dev", [Ref("n:hub")])

    for _ in range(2):
        room.follower.advance_vectors(1)

    assert asked(room) == ["hub words", "newest words"]
    room.close()


def test_a_set_that_lies_in_a_purged_namespace_is_no_trouble(room: Room) -> None:
    five(room)
    room.follower.hold(TENANT, "dev", [Ref("n:held")])
    room.store.write(TENANT, lambda txn: txn.purge_namespace(NAMESPACE))
    room.put(record("x", "later words", namespace=MAIN))

    room.catch_up()

    assert asked(room) == ["later words"]


def test_a_second_commit_of_a_tree_in_another_namespace_embeds_only_what_differs(room: Room, tmp_path: Path) -> None:
    files = {
        f"pkg/m{at}.py": f"def alpha_{at}():\n    return {at}\n\n\ndef beta_{at}():\n    pass\n" for at in range(6)
    }
    before = write_tree(tmp_path / "before", files)
    after = write_tree(tmp_path / "after", {**files, "pkg/m3.py": files["pkg/m3.py"].replace("pass", "return 'new'")})
    _take(room, MAIN, before)
    room.catch_up()
    first = asked(room)
    assert len(first) == len(set(first)) > 6

    _take(room, BRANCH, after)
    room.catch_up()

    second = asked(room)
    assert 1 <= len(second) <= 2
    assert all("pkg/m3.py" in text for text in second)
    with room.store.snapshot(TENANT) as txn:
        assert room.vector.count(TENANT, BRANCH) == txn.counts(BRANCH).records
    _take(room, MAIN, after)
    room.catch_up()
    assert asked(room) == []


def test_another_tenant_shares_nothing(room: Room) -> None:
    stranger = TenantId("u")
    room.put(record("a", "same words"))
    room.put(record("a", "same words"), tenant=stranger)

    room.catch_up()

    assert asked(room) == ["same words", "same words"]


def test_a_slice_is_one_commit_whatever_namespaces_it_is_of(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(6):
        room.put(record("a", f"words {at}", namespace=Namespace(f"n{at}")))
    commits: list[int] = []
    write = room.store.write

    def counted(tenant: TenantId, job: object) -> object:
        commits.append(1)
        return write(tenant, job)  # type: ignore[arg-type]

    monkeypatch.setattr(room.store, "write", counted)
    room.follower.advance_vectors(6)

    assert len(asked(room)) == 6
    assert len(commits) == 1


def _take(room: Room, namespace: Namespace, root: Path) -> None:
    ingest_tree(room.store, TENANT, namespace, root, source="tree", settings=IngestSettings())


def test_commits_get_no_vector_and_are_not_counted_as_missing_one(room: Room) -> None:
    commit = replace(record("c", "words of a commit"), kind="commit")
    room.put(record("a", "words"), commit)

    room.catch_up()

    assert asked(room) == ["words"]
    with room.store.snapshot(TENANT) as txn:
        vector = room.follower.states(txn, NAMESPACE)[1]
        scope = Scope(TENANT, (NAMESPACE,), txn.cut([NAMESPACE]), txn.counts(NAMESPACE).records)
        lane = VectorLane(room.vector, room.embedder, room.follower, LaneSettings(), 0.4)
        outcome = lane.propose(txn, parse_goal("words", GoalSettings()), scope, Deadline(9.0, lambda: 0.0)).outcome
    assert (vector.covered, vector.lag, vector.note) == (1.0, 0, "")
    assert (outcome.state, outcome.covered, outcome.hits) == ("ok", 1.0, 1)


def test_what_is_not_embedded_is_what_no_lane_answers_with() -> None:
    assert frozenset(BRIDGE_KINDS) == UNEMBEDDED_KINDS
