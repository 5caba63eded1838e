"""Index files that are lost, cut, flipped or foreign: rebuilt from the store, the same hits again, and said so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.deadline import Deadline
from retrieval.errors import IndexUnavailable, StorageFull
from retrieval.goal import parse_goal
from retrieval.index.files import Seal
from retrieval.index.lexical import LexicalIndex
from retrieval.index.lexical_follower import LexicalFollower
from retrieval.index.progress import FollowerSettings
from retrieval.index.sensor import WeightedTerm
from retrieval.index.vector import VectorIndex, VectorSettings
from retrieval.lanes.lane import Scope
from retrieval.lanes.lexical import LexicalLane
from retrieval.lanes.vector import VectorLane
from retrieval.settings import GoalSettings, LaneSettings
from retrieval.store.lmdb import open_store
from tests.contract.hashing_embedder import HashingEmbedder
from tests.contract.indexes_room import NAMESPACE, TENANT, Room, open_room, record
from workingset.candidate import LaneOutcome
from workingset.vocabulary import Namespace, TenantId

QUERIES = ("number3", "text common", "even words")
BIG = VectorSettings(exact_vectors=10)


def _filled(home: Path) -> dict[str, tuple[list[str], list[str]]]:
    """A store with two commits, an edit and a removal, closed in order; returns the hits it gave."""
    room = open_room(home, vectors=BIG)
    room.put(*(record(f"{i:02}", f"text common number{i} {'even words' * (1 - i % 2)}") for i in range(40)))
    room.catch_up()
    room.put(record("03", "text common number3 again"))
    room.remove("n:04")
    room.catch_up()
    hits = _hits(room)
    room.close()
    return hits


def _hits(room: Room) -> dict[str, tuple[list[str], list[str]]]:
    return {query: (sorted(room.words(query, limit=100)), sorted(room.nearest(query, limit=30))) for query in QUERIES}


def _files(home: Path, part: str) -> list[Path]:
    return sorted(path for path in (home / part).rglob("*") if path.is_file())


def _flip(path: Path, at: float) -> None:
    content = bytearray(path.read_bytes())
    content[min(len(content) - 1, int(len(content) * at))] ^= 0x01
    path.write_bytes(content)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _same_after(home: Path, expected: dict[str, tuple[list[str], list[str]]], index: str) -> str:
    room = open_room(home, vectors=BIG)
    room.catch_up()
    hits, note = _hits(room), room.notes()[index]
    assert isinstance(room.embedder, HashingEmbedder)
    assert [text for text in room.embedder.asked if text not in QUERIES] == []
    room.close()
    assert hits == expected
    return note


def test_undamaged_files_are_used_as_they_are(tmp_path: Path) -> None:
    expected = _filled(tmp_path)
    before = LexicalIndex(tmp_path / "lexical")
    incarnation = before.incarnation
    before.close()
    assert _same_after(tmp_path, expected, "lexical") == ""
    assert _same_after(tmp_path, expected, "vector") == ""
    after = LexicalIndex(tmp_path / "lexical")
    assert after.incarnation == incarnation
    after.close()


@pytest.mark.parametrize(("part", "index"), [("lexical", "lexical"), ("vectors", "vector")])
def test_a_deleted_index_is_rebuilt(tmp_path: Path, part: str, index: str) -> None:
    expected = _filled(tmp_path)
    shutil.rmtree(tmp_path / part)
    assert "rebuilt from the store" in _same_after(tmp_path, expected, index)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[list[str], list[str]]]]:
    """A closed home, to be copied, and the hits it gives."""
    home = tmp_path_factory.mktemp("pristine")
    return home, _filled(home)


_DAMAGE: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "halved": _cut,
    "a little short": lambda path: path.write_bytes(path.read_bytes()[:-4]),
    "first byte flipped": lambda path: _flip(path, 0.0),
    "a quarter in": lambda path: _flip(path, 0.25),
    "in the middle": lambda path: _flip(path, 0.5),
    "three quarters in": lambda path: _flip(path, 0.75),
    "last byte flipped": lambda path: _flip(path, 1.0),
}


@pytest.mark.parametrize("damage", sorted(_DAMAGE))
def test_any_damaged_file_of_the_lexical_index_is_noticed(
    tmp_path: Path, pristine: tuple[Path, dict[str, tuple[list[str], list[str]]]], damage: str
) -> None:
    source, _ = pristine
    files = [path for path in _files(source, "lexical") if path.stat().st_size]
    assert len(files) > 8
    for number, path in enumerate(files):
        copy = tmp_path / str(number)
        shutil.copytree(source / "lexical", copy)
        _DAMAGE[damage](copy / path.relative_to(source / "lexical"))
        index = LexicalIndex(copy)
        assert index.note.startswith("rebuilt from the store: "), path.name
        index.close()


@pytest.mark.parametrize("content", ["null", "7", "true", "[[]]", "{}", '"meta.json"'])
def test_a_list_of_files_that_is_none_is_noticed(
    tmp_path: Path, pristine: tuple[Path, dict[str, tuple[list[str], list[str]]]], content: str
) -> None:
    shutil.copytree(pristine[0] / "lexical", tmp_path / "lexical")
    (tmp_path / "lexical" / "tantivy" / ".managed.json").write_text(content)

    index = LexicalIndex(tmp_path / "lexical")

    assert index.note.startswith("rebuilt from the store: ")
    index.close()


@pytest.mark.parametrize("part", ["lexical", "vectors"])
@pytest.mark.parametrize("damage", sorted(_DAMAGE))
def test_a_damaged_index_is_rebuilt_without_the_model_and_finds_the_same(
    tmp_path: Path, pristine: tuple[Path, dict[str, tuple[list[str], list[str]]]], part: str, damage: str
) -> None:
    source, expected = pristine
    files = [path for path in _files(source, part) if path.stat().st_size]
    chosen = files[sorted(_DAMAGE).index(damage) % len(files)]
    shutil.copytree(source, tmp_path / "home")
    _DAMAGE[damage](tmp_path / "home" / chosen.relative_to(source))

    note = _same_after(tmp_path / "home", expected, "lexical" if part == "lexical" else "vector")

    assert "rebuilt from the store" in note, chosen.name


@pytest.mark.parametrize("part", ["lexical", "vectors"])
def test_a_lane_whose_index_was_damaged_answers_the_same_and_says_that_it_was_rebuilt(
    tmp_path: Path, pristine: tuple[Path, dict[str, tuple[list[str], list[str]]]], part: str
) -> None:
    shutil.copytree(pristine[0], tmp_path / "home")
    before = _lanes(tmp_path / "home")
    victim = max(_files(tmp_path / "home", part), key=lambda path: path.stat().st_size)
    _flip(victim, 0.3)

    after = _lanes(tmp_path / "home")

    lane = "lexical" if part == "lexical" else "vector"
    for name in ("lexical", "vector"):
        (old, hits), (new, same) = before[name], after[name]
        assert same == hits
        assert "rebuilt" not in old.note
        assert ("rebuilt from the store: the " + lane + " index" in new.note) == (name == lane)
        assert (new.state, new.covered, new.lag, new.coverage) == (old.state, old.covered, old.lag, old.coverage)


def _lanes(home: Path) -> dict[str, tuple[LaneOutcome, set[int]]]:
    """What both index lanes answer, once caught up."""
    room = open_room(home)
    room.catch_up()
    settings = LaneSettings()
    with room.store.snapshot(TENANT) as txn:
        cut = txn.cut([NAMESPACE])
        scope = Scope(TENANT, (NAMESPACE,), cut, txn.counts(NAMESPACE).records)
        goal = parse_goal("even words in text", GoalSettings())
        lanes = (
            LexicalLane(room.lexical, room.follower, settings),
            VectorLane(room.vector, room.embedder, room.follower, settings, 0.4),
        )
        proposals = [lane.propose(txn, goal, scope, Deadline(60.0, lambda: 0.0)) for lane in lanes]
    room.close()
    return {each.outcome.lane: (each.outcome, {hit.record_id for hit in each.hits}) for each in proposals}


def test_foreign_files_are_replaced(tmp_path: Path) -> None:
    expected = _filled(tmp_path)
    shutil.rmtree(tmp_path / "lexical" / "tantivy")
    (tmp_path / "lexical" / "tantivy").mkdir()
    (tmp_path / "lexical" / "tantivy" / "meta.json").write_text("{}")
    for path in _files(tmp_path, "vectors"):
        path.write_bytes(b"something else")
    assert "rebuilt from the store" in _same_after(tmp_path, expected, "lexical")


def test_an_index_of_another_store_is_emptied(tmp_path: Path) -> None:
    expected = _filled(tmp_path / "ours")
    other = open_room(tmp_path / "other")
    other.put(record("stranger", "text common number3"))
    other.catch_up()
    other.close()
    shutil.rmtree(tmp_path / "ours" / "lexical")
    shutil.copytree(tmp_path / "other" / "lexical", tmp_path / "ours" / "lexical")
    assert "belonged to another store" in _same_after(tmp_path / "ours", expected, "lexical")


def test_an_older_copy_of_the_index_is_not_trusted(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "first"))
    room.catch_up()
    room.close()
    shutil.copytree(tmp_path / "lexical", tmp_path / "backup")
    room = open_room(tmp_path)
    room.put(record("b", "second"))
    room.catch_up()
    room.close()
    shutil.rmtree(tmp_path / "lexical")
    shutil.copytree(tmp_path / "backup", tmp_path / "lexical")
    again = open_room(tmp_path)
    again.catch_up()
    assert again.words("second") == ["n:b"]
    assert "older than the store" in again.notes()["lexical"]
    again.close()


def test_terms_of_another_version_are_not_mixed(tmp_path: Path) -> None:
    expected = _filled(tmp_path)
    path = tmp_path / "lexical" / "seal"
    seal = Seal.decode(path.read_bytes())
    assert seal is not None
    path.write_bytes(replace(seal, made_as="hotset-lexical:0:0").encode())
    assert "another version" in _same_after(tmp_path, expected, "lexical")


def test_a_crash_between_the_commit_and_its_mark_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "wolf"), record("b", "sheep"))

    def killed(self: LexicalFollower, moved: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(LexicalFollower, "_remember", killed)
        with pytest.raises(KeyboardInterrupt):
            room.follower.advance_lexical(10)
    room.crash()
    again = open_room(tmp_path)
    again.catch_up()
    assert again.words("wolf") == ["n:a"]
    assert again.lexical.documents() == 2
    again.close()


def test_a_crash_before_the_seal_rebuilds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "wolf"))
    room.catch_up()
    room.put(record("b", "sheep"))

    def killed(self: LexicalIndex, sequence: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LexicalIndex, "_stamp", killed)
    with pytest.raises(KeyboardInterrupt):
        room.follower.advance_lexical(10)
    with pytest.raises(KeyboardInterrupt):
        room.lexical.close()
    room.store.close()
    monkeypatch.undo()
    again = open_room(tmp_path)
    again.catch_up()
    assert again.words("wolf") == ["n:a"]
    assert again.words("sheep") == ["n:b"]
    assert "not as it was last sealed" in again.notes()["lexical"]
    again.close()


def test_files_deleted_under_a_running_index_are_made_anew(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "wolf"))
    room.catch_up()
    shutil.rmtree(tmp_path / "lexical")
    room.put(record("b", "sheep"))
    step = room.follower.advance_lexical(10)
    assert step.failed
    room.catch_up()
    assert room.words("wolf") == ["n:a"]
    assert room.words("sheep") == ["n:b"]
    assert "rebuilt from the store" in room.notes()["lexical"]
    room.close()


def test_a_damaged_index_of_a_read_only_store_is_unavailable_and_says_what_to_do(tmp_path: Path) -> None:
    _filled(tmp_path)
    _flip(tmp_path / "lexical" / "tantivy" / "meta.json", 0.5)
    before = {path: path.read_bytes() for path in _files(tmp_path, "lexical")}
    room = open_room(tmp_path, store=open_store(tmp_path / "store", read_only=True))
    with pytest.raises(IndexUnavailable, match="for writing"):
        room.words("number3")
    assert "for writing" in room.notes()["lexical"]
    room.close()
    assert {path: path.read_bytes() for path in _files(tmp_path, "lexical")} == before


def test_a_second_writer_is_told(tmp_path: Path) -> None:
    first, second = LexicalIndex(tmp_path), LexicalIndex(tmp_path)
    first.apply(TENANT, [(1, record("a", "one"))])
    with pytest.raises(IndexUnavailable, match=r"[Ll]ock"):
        second.apply(TENANT, [(2, record("b", "two"))])
    first.commit()
    assert len(first.search(TENANT, [NAMESPACE], [WeightedTerm("one", 1.0)], 5)) == 1
    second.close()
    first.close()


def test_a_directory_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "lexical").write_text("a file")
    with pytest.raises(IndexUnavailable):
        LexicalIndex(tmp_path / "lexical")


class _BrokenEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.broken = True

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        if self.broken:
            raise IndexUnavailable("the embedding model cannot be loaded: reinstall")
        return super().embed(texts)


def test_without_its_model_the_vector_index_waits_and_the_lexical_goes_on(tmp_path: Path) -> None:
    embedder = _BrokenEmbedder()
    room = open_room(tmp_path, embedder=embedder)
    room.put(record("a", "wolf"))
    assert room.follower.advance_lexical(10).left == 0
    step = room.follower.advance_vectors(10)
    assert "reinstall" in step.failed
    assert "reinstall" in room.notes()["vector"]
    assert room.words("wolf") == ["n:a"]
    with pytest.raises(IndexUnavailable):
        room.follower.embed_now(TENANT, [record("a", "wolf")])
    embedder.broken = False
    assert room.follower.advance_vectors(10).embedded == 1
    assert room.notes()["vector"] == ""
    room.close()


class _NanEmbedder(HashingEmbedder):
    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        vectors = super().embed(texts)
        return [(float("nan"),) * 32 if "poison" in text else v for text, v in zip(texts, vectors, strict=True)]


def test_a_poisoned_text_is_refused_counted_and_stops_nothing(tmp_path: Path) -> None:
    room = open_room(tmp_path, embedder=_NanEmbedder())
    room.put(record("a", "poison"), record("b", "wolf"))
    step = room.follower.advance_vectors(10)
    assert (step.embedded, step.refused, step.left) == (2, 1, 0)
    assert room.nearest("wolf") == ["n:b"]
    assert room.notes()["vector"] == "1 vectors refused; 1 of 2 records embedded"
    room.close()


def test_a_full_disk_stops_a_step_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "wolf"))

    def full(tenant: TenantId, job: object) -> None:
        raise StorageFull("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(room.store, "write", full)
        assert "no space" in room.follower.advance_lexical(10).failed
        assert "no space" in room.follower.advance_vectors(10).failed
    room.catch_up()
    assert room.words("wolf") == ["n:a"]
    assert room.lexical.documents() == 1
    assert room.nearest("wolf") == ["n:a"]
    room.close()


def test_vectors_that_cannot_be_saved_say_so_and_are_saved_later(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("a file in the way")
    room = open_room(tmp_path)
    room.put(record("a", "wolf"))
    room.catch_up()
    with pytest.raises(IndexUnavailable, match="cannot save"):
        room.follower.save()
    (tmp_path / "vectors").unlink()
    room.close()
    assert len(_files(tmp_path, "vectors")) == 1


def test_a_hit_may_be_absent_at_the_cut_and_only_the_store_decides(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "wolf"))
    room.catch_up()
    room.remove("n:a")
    hits = room.lexical.search(TENANT, [NAMESPACE], [WeightedTerm("wolf", 1.0)], 5)
    with room.store.snapshot(TENANT) as txn:
        visible = txn.records_by_id([hit.record_id for hit in hits], txn.cut([NAMESPACE]))
    assert len(hits) == 1
    assert all(each is None or each.removed for each in visible)
    room.close()


def test_unstored_and_waiting_vectors_are_bounded(tmp_path: Path) -> None:
    settings = FollowerSettings(unstored_vectors=2, pending_records=3, scan_changes=2, preferred_records=1)
    room = open_room(tmp_path, settings=settings)
    records = [record(f"{i}", f"text {i} n{i}") for i in range(8)]
    room.put(*records)
    room.follower.prefer(TENANT, [1, 2, 3])
    assert room.follower.embed_now(TENANT, records[:4]).computed == 4
    for _ in range(20):
        room.follower.advance_vectors(1)
    room.catch_up()
    assert room.vector.count(TENANT, NAMESPACE) == 8
    room.close()


def test_a_saved_file_with_other_dimensions_is_not_loaded(tmp_path: Path) -> None:
    small = VectorIndex(tmp_path, "m", 4)
    small.replace(TENANT, NAMESPACE, [])
    digest = small.save(TENANT, NAMESPACE)
    assert "could not be loaded" in VectorIndex(tmp_path, "m", 8).load(TENANT, NAMESPACE, digest)
    assert VectorIndex(tmp_path, "m", 4).load(TENANT, Namespace("none"), digest) == "was missing"


@pytest.mark.parametrize("first", ["vectors", "model"])
def test_the_vector_index_and_the_model_share_a_process_in_either_order(first: str, tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from retrieval.text.embedding import MiniLmEmbedder
embedder = MiniLmEmbedder()
if sys.argv[1] == "model":
    embedder.embed(["before"])
from retrieval.index.vector import VectorIndex, encoded_vector
index = VectorIndex(Path(sys.argv[2]), embedder.fingerprint, embedder.dimensions)
texts = ["close the socket", "tomato soup"]
index.replace("t", "n", [(7 + at, encoded_vector(each)) for at, each in enumerate(embedder.embed(texts))])
print([hit.record_id for hit in index.search("t", "n", embedder.embed(["sockets"])[0], 2)])
"""
    command = [sys.executable, "-c", script, first, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[7, 8]\n"), done.stderr
