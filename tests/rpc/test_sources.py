"""Followed sources through a real daemon: an edit is found by the next Focus, and no ghost stays behind."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from hotset import BadRequest, HotsetClient, IngestSummary, NotFound, Source, SourceState
from hotset.v1 import corpus_pb2, corpus_pb2_grpc
from tests.rpc.real_daemon import RealDaemon
from tests.waiting import until


class Tree:
    """A folder that one daemon follows as a namespace of its own."""

    def __init__(self, client: HotsetClient, root: Path, namespace: str) -> None:
        self.client = client
        self.root = root
        self.namespace = namespace
        root.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, *words: str) -> None:
        """Write a file of one function whose doc holds the words."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        name = file.stem.replace("-", "_")
        file.write_text(f'def {name}(order):\n    """Says {" ".join(words)}."""\n    return order.{name}_step\n')

    def git(self, *arguments: str) -> None:
        name = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *name, *arguments], cwd=self.root, check=True, capture_output=True)

    def follow(self) -> None:
        self.client.add_source(self.namespace, self.root)
        self.settle()

    @property
    def source(self) -> Source:
        (source,) = self.client.list_sources(self.namespace).sources
        return source

    def settle(self) -> None:
        """Wait until all of it is in."""
        until(lambda: self.source.state is SourceState.CURRENT and not self.source.pending, what=lambda: self.source)

    def paths(self) -> set[str]:
        found = self.client.list_records(self.namespace)
        return {record.path for record in found if record.path}

    def ref(self, path: str) -> str:
        (ref,) = [r.ref for r in self.client.list_records(self.namespace, path_prefix=path) if r.path == path]
        return ref

    def block(self, goal: str) -> str:
        return self.client.focus(goal, namespaces=[self.namespace], budget_tokens=2_000).block


@pytest.fixture
def tree(client: HotsetClient, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Tree]:
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)[:100]
    tree = Tree(client, tmp_path / "tree", name)
    yield tree
    for source in client.list_sources(name).sources:
        client.remove_source(name, source.root)


def test_an_edit_is_in_the_answer_of_the_focus_after_it(tree: Tree) -> None:
    tree.write("refund.py", "nothing")
    tree.follow()
    for word in ("quokka", "axolotl", "pangolin"):
        tree.write("refund.py", word)
        assert word in tree.block(f"who says {word}")
    tree.write("deep/er/new.py", "wombat")
    assert "wombat" in tree.block("who says wombat")


def test_a_renamed_file_keeps_its_ref_and_the_pin_on_it(tree: Tree) -> None:
    tree.write("refund.py", "quokka")
    tree.write("other.py", "axolotl")
    tree.follow()
    ref = tree.ref("refund.py")
    tree.client.pin(ref)
    (tree.root / "payments").mkdir()
    (tree.root / "refund.py").rename(tree.root / "payments" / "repay.py")

    answer = tree.client.focus("axolotl", namespaces=[tree.namespace], budget_tokens=2_000)
    assert [item.path for item in answer.items if item.ref == ref] == ["payments/repay.py"]
    assert tree.ref("payments/repay.py") == ref
    assert tree.paths() == {"payments/repay.py", "other.py"}


def test_a_renamed_folder_keeps_the_refs_in_it(tree: Tree) -> None:
    for name in ("one", "two", "three"):
        tree.write(f"old/sub/{name}.py", f"{name}-words", "shared")
    tree.follow()
    before = {tree.ref(f"old/sub/{name}.py") for name in ("one", "two", "three")}
    (tree.root / "old").rename(tree.root / "new")
    tree.block("shared")

    assert {tree.ref(f"new/sub/{name}.py") for name in ("one", "two", "three")} == before
    assert tree.paths() == {f"new/sub/{name}.py" for name in ("one", "two", "three")}


def test_deleted_files_and_folders_leave_no_ghosts(tree: Tree) -> None:
    for path in ("kept.py", "gone.py", "folder/a.py", "folder/b.py"):
        tree.write(path, f"quokka {path}")
    tree.follow()
    (tree.root / "gone.py").unlink()
    shutil.rmtree(tree.root / "folder")

    until(lambda: tree.paths() == {"kept.py"}, what=tree.paths)
    answer = tree.client.focus("quokka", namespaces=[tree.namespace])
    assert {item.path for item in answer.items if item.path} == {"kept.py"}


def test_editors_ways_of_saving_end_with_what_was_saved(tree: Tree) -> None:
    tree.write("a.py", "quokka")
    tree.follow()
    ref = tree.ref("a.py")
    tree.write(".a.py.tmp", "axolotl")
    (tree.root / ".a.py.tmp").rename(tree.root / "a.py")
    assert "axolotl" in tree.block("axolotl")
    (tree.root / "a.py").rename(tree.root / "a.py~")
    tree.write("a.py", "pangolin")
    (tree.root / "a.py~").unlink()
    assert "pangolin" in tree.block("pangolin")
    with (tree.root / "a.py").open("w") as file:
        file.flush()
        tree.block("half written")
        file.write('def a(order):\n    """Says wombat."""\n    return order.a_step\n')
    assert "wombat" in tree.block("wombat")

    assert tree.paths() == {"a.py"}
    assert tree.ref("a.py") == ref


def test_a_branch_switch_touches_only_what_differs(tree: Tree) -> None:
    for number in range(120):
        tree.write(f"f{number:03}.py", f"quokka{number}")
    tree.git("init", "--quiet")
    tree.git("add", ".")
    tree.git("commit", "--quiet", "--message", "one")
    tree.git("switch", "--quiet", "--create", "other")
    for number in range(90):
        tree.write(f"f{number:03}.py", f"axolotl{number}")
    tree.write("added.py", "pangolin")
    tree.git("add", ".")
    tree.git("commit", "--quiet", "--message", "two")
    tree.follow()
    untouched = {f"f{number:03}.py" for number in range(90, 120)}
    before = {r.path: r.generation for r in tree.client.list_records(tree.namespace) if r.path in untouched}
    tree.git("switch", "--quiet", "main")

    assert "quokka17" in tree.block("quokka17")
    assert "added.py" not in tree.paths()
    after = {r.path: r.generation for r in tree.client.list_records(tree.namespace) if r.path in untouched}
    assert after == before


def test_ignored_files_cause_no_work_and_new_rules_hold_at_once(tree: Tree) -> None:
    tree.write("a.py", "quokka")
    tree.write("drafts/b.py", "axolotl")
    (tree.root / ".gitignore").write_text("*.log\n")
    tree.git("init", "--quiet")
    tree.follow()
    generation = tree.source.generation
    (tree.root / "noise.log").write_text("pangolin\n")
    tree.git("config", "some.key", "value")
    tree.block("pangolin")
    assert tree.source.generation == generation

    (tree.root / ".gitignore").write_text("*.log\ndrafts/\n")
    until(lambda: "drafts/b.py" not in tree.paths(), what=tree.paths)
    (tree.root / ".gitignore").write_text("*.log\n")
    until(lambda: "drafts/b.py" in tree.paths(), what=tree.paths)
    assert "noise.log" not in tree.paths()


def test_rules_that_lie_outside_the_root_hold_at_once(tree: Tree) -> None:
    for name in ("one", "two", "three"):
        tree.write(f"src/{name}.py", name)
    tree.git("init", "--quiet")
    inner = Tree(tree.client, tree.root / "src", f"{tree.namespace}.inner")
    for each in (tree, inner):
        each.follow()
    try:
        (tree.root / ".git" / "info" / "exclude").write_text("two.py\n")
        until(lambda: tree.paths() == {"src/one.py", "src/three.py"}, what=tree.paths)
        until(lambda: inner.paths() == {"one.py", "three.py"}, what=inner.paths)
        (tree.root / ".gitignore").write_text("src/three.py\n")
        until(lambda: inner.paths() == {"one.py"}, what=inner.paths)
        (tree.root / ".gitignore").unlink()
        (tree.root / ".git" / "info" / "exclude").unlink()
        until(lambda: inner.paths() == {"one.py", "two.py", "three.py"}, what=inner.paths)
    finally:
        tree.client.remove_source(inner.namespace, inner.root)


def test_a_root_that_vanishes_keeps_its_records_until_it_is_back(tree: Tree) -> None:
    tree.write("a.py", "quokka")
    tree.follow()
    ref = tree.ref("a.py")
    away = tree.root.with_name("away")
    tree.root.rename(away)
    until(lambda: tree.source.state is SourceState.DEGRADED, what=lambda: tree.source)

    assert str(tree.root) in tree.source.because
    answer = tree.client.focus("quokka", namespaces=[tree.namespace])
    assert "quokka" in answer.block
    (sources,) = [lane for lane in answer.coverage.lanes if lane.lane == "sources"]
    assert (sources.state.value, sources.note.endswith(tree.source.because)) == ("partial", True)
    (away / "a.py").write_text('def a(order):\n    """Says axolotl."""\n    return order.a_step\n')
    away.rename(tree.root)
    tree.settle()
    assert "axolotl" in tree.block("axolotl")
    assert tree.ref("a.py") == ref


def test_an_empty_folder_in_place_of_the_root_removes_nothing(tree: Tree) -> None:
    tree.write("a.py", "quokka")
    tree.follow()
    tree.root.rename(tree.root.with_name("away"))
    tree.root.mkdir()
    until(lambda: "empty" in tree.source.because, what=lambda: tree.source)

    assert tree.paths() == {"a.py"}
    tree.write("b.py", "axolotl")
    tree.settle()
    assert tree.paths() == {"b.py"}


def test_a_root_reached_by_a_link_follows_where_the_link_points(tree: Tree, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f'def a(order):\n    """Says {name}."""\n    return order.a_step\n')
    link = tmp_path / "current"
    link.symlink_to(tmp_path / "first")
    linked = Tree(tree.client, link, tree.namespace)
    linked.follow()
    assert "Says first" in linked.block("first")
    linked.write("b.py", "pangolin")
    assert "pangolin" in linked.block("pangolin")

    link.unlink()
    link.symlink_to(tmp_path / "second")
    until(lambda: linked.paths() == {"a.py"}, what=linked.paths)
    assert "Says second" in linked.block("second")


def test_two_sources_of_a_namespace_live_beside_each_other_but_not_in_each_other(tree: Tree, tmp_path: Path) -> None:
    tree.write("inner/a.py", "quokka")
    tree.follow()
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text('def a(order):\n    """Says axolotl."""\n    return order.a_step\n')
    tree.client.add_source(tree.namespace, other)
    until(lambda: all(s.state is SourceState.CURRENT for s in tree.client.list_sources(tree.namespace).sources))
    assert tree.paths() == {"inner/a.py", "a.py"}

    (tmp_path / "link").symlink_to(tree.root / "inner")
    for nested in (tree.root / "inner", tmp_path, tmp_path / "link"):
        with pytest.raises(BadRequest, match="lie in each other") as refused:
            tree.client.add_source(tree.namespace, nested)
        assert refused.value.field == "root"
    assert tree.client.add_source(tree.namespace, other).already_followed


def test_a_source_that_is_removed_takes_its_records_along_or_leaves_them(tree: Tree, tmp_path: Path) -> None:
    tree.write("a.py", "quokka")
    tree.follow()
    removed = tree.client.remove_source(tree.namespace, tree.root, keep_records=True)
    assert removed.removed == 0
    tree.write("a.py", "axolotl")
    assert tree.paths() == {"a.py"}
    assert tree.client.list_sources(tree.namespace).sources == ()

    tree.follow()
    assert "axolotl" in tree.block("axolotl")
    removed = tree.client.remove_source(tree.namespace, tree.root)
    assert removed.removed >= 1
    assert tree.paths() == set()
    with pytest.raises(NotFound, match="is no source of"):
        tree.client.remove_source(tree.namespace, tree.root)


def test_records_of_a_followed_tree_are_removed_with_it_alone(tree: Tree) -> None:
    tree.write("a.py", "quokka")
    tree.follow()
    source = f"tree:{tree.root}"
    stored = next(iter(tree.client.list_records(tree.namespace)))
    assert stored.source == source
    for field, given in (
        ("refs", {"refs": [tree.ref("a.py")]}),
        ("path", {"path": "a.py"}),
        ("source", {"source": source}),
    ):
        with pytest.raises(BadRequest, match="which is followed") as refused:
            tree.client.remove(tree.namespace, **given)  # type: ignore[arg-type]
        assert refused.value.field == field
    assert tree.paths() == {"a.py"}

    tree.client.remove_source(tree.namespace, tree.root, keep_records=True)
    assert tree.client.remove(tree.namespace, path="a.py").removed >= 1
    assert tree.paths() == set()


def test_what_is_passed_over_is_counted_by_reason(tree: Tree) -> None:
    tree.write("a.py", "quokka")
    (tree.root / "picture.bin").write_bytes(b"\0\1\2")
    (tree.root / "empty.py").touch()
    tree.follow()
    assert {each.reason: each.count for each in tree.source.skipped}.items() >= {"binary": 1, "empty": 1}.items()
    (tree.root / "second.bin").write_bytes(b"\0\1\2")
    until(lambda: {each.reason: each.count for each in tree.source.skipped}["binary"] == 2)
    assert tree.source.files == 1


_KEY = 'api_key = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"\n'


def _passed_over(tree: Tree) -> dict[str, int]:
    return {each.reason: each.count for each in tree.source.skipped}


def test_counts_are_of_the_tree_as_it_stands_whatever_was_scanned_how_often_and_by_whom(tmp_path: Path) -> None:
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    with HotsetClient(daemon.address, agent="dev") as client:
        tree = Tree(client, tmp_path / "tree", "shop")
        tree.write("a.py", "quokka")
        (tree.root / "keys.py").write_text(_KEY)
        for name in ("one.bin", "two.bin"):
            (tree.root / name).write_bytes(b"\0\1\2")
        *_, ingested = client.ingest_tree(tree.namespace, tree.root)
        assert isinstance(ingested, IngestSummary)
        expected = {each.reason: each.count for each in ingested.skipped}
        assert expected["binary"] == 2
        redacted = next(reason for reason in expected if reason.startswith("redacted"))
        tree.follow()
        assert _passed_over(tree) == expected, "files that are as they were are counted as they were"

        for number in range(2):
            (tree.root / ".gitignore").write_text(f"# {number}\n")
            tree.write(f"later{number}.py", f"pangolin{number}")
            until(lambda word=f"pangolin{number}": word in tree.block(word))  # type: ignore[misc]
            assert _passed_over(tree) == expected
        (tree.root / "two.bin").unlink()
        (tree.root / "keys.py").write_text(_KEY + _KEY.replace("9f8e", "1a2b"))
        expected |= {"binary": 1, redacted: 2}
        until(lambda: _passed_over(tree) == expected, what=lambda: _passed_over(tree))
    assert daemon.stop() == 0

    daemon.start()
    try:
        with HotsetClient(daemon.address, agent="dev") as client:
            tree.client = client
            until(lambda: tree.source.state is SourceState.CURRENT, what=lambda: tree.source)
            assert _passed_over(tree) == expected, "after a restart too"
            (tree.root / "keys.py").unlink()
            until(lambda: redacted not in _passed_over(tree), what=lambda: _passed_over(tree))
    finally:
        assert daemon.stop() == 0


@pytest.mark.parametrize(
    ("root", "what"),
    [("relative/tree", "not an absolute"), ("/no/such/folder", "no readable folder"), ("/tmp/../etc", "without")],
)
def test_a_root_that_cannot_be_read_is_refused(daemon: RealDaemon, root: str, what: str) -> None:
    with grpc.insecure_channel(daemon.address) as channel:
        corpus = corpus_pb2_grpc.CorpusStub(channel)
        with pytest.raises(grpc.RpcError) as refused:
            corpus.AddSource(corpus_pb2.AddSourceRequest(namespace="n", root=root), timeout=10)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT  # type: ignore[attr-defined]
        assert what in refused.value.details()  # type: ignore[attr-defined]
        header = corpus_pb2.IngestRequest(header=corpus_pb2.IngestHeader(namespace="n"))
        tree = corpus_pb2.IngestRequest(tree=corpus_pb2.IngestTree(root=root))
        with pytest.raises(grpc.RpcError) as refused:
            list(corpus.Ingest(iter([header, tree]), timeout=10))
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT  # type: ignore[attr-defined]
        assert what in refused.value.details()  # type: ignore[attr-defined]
        assert "tree.root" in refused.value.details()  # type: ignore[attr-defined]


def test_the_daemons_own_home_is_not_read(daemon: RealDaemon, client: HotsetClient) -> None:
    for root in (daemon.home, daemon.home / "run", daemon.home.parent):
        with pytest.raises(BadRequest, match="own home"):
            client.add_source("home", root)
        with pytest.raises(BadRequest, match="own home"):
            list(client.ingest_tree("home", root))


def test_a_restart_goes_on_where_it_stopped_and_a_stop_does_not_hang(tmp_path: Path) -> None:
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    with HotsetClient(daemon.address, agent="dev") as client:
        tree = Tree(client, tmp_path / "tree", "shop")
        for number in range(30):
            tree.write(f"f{number}.py", f"quokka{number}")
        tree.follow()
        ref = tree.ref("f1.py")
    began = time.monotonic()
    assert daemon.stop() == 0
    assert time.monotonic() - began < 5.0
    tree.write("f0.py", "axolotl")
    (tree.root / "f1.py").rename(tree.root / "moved.py")
    (tree.root / "f2.py").unlink()

    daemon.start()
    try:
        with HotsetClient(daemon.address, agent="dev") as client:
            tree.client = client
            assert "axolotl" in tree.block("axolotl")
            assert tree.ref("moved.py") == ref
            assert "f2.py" not in tree.paths()
    finally:
        daemon.kill()
    tree.write("f3.py", "pangolin")
    daemon.start()
    try:
        with HotsetClient(daemon.address, agent="dev") as client:
            tree.client = client
            assert "pangolin" in tree.block("pangolin")
    finally:
        assert daemon.stop() == 0
    assert "Traceback" not in daemon.log(), daemon.log()


def _anything(tree: Tree, chance: random.Random, number: int) -> None:
    """Do one of the things that people, editors and git do to a tree."""
    files = sorted(file for file in tree.root.rglob("*.py"))
    folders = [tree.root, *sorted(file for file in tree.root.rglob("*") if file.is_dir())]
    file, folder = chance.choice(files), chance.choice(folders)
    match chance.randrange(8):
        case 0 | 1 | 2:
            tree.write(file.relative_to(tree.root).as_posix(), f"word{number}")
        case 3:
            tree.write((folder / f"new{number}.py").relative_to(tree.root).as_posix(), f"word{number}")
        case 4:
            file.rename(folder / f"moved{number}.py")
        case 5 if len(files) > 10:
            file.unlink()
        case 6 if folder not in (tree.root, *file.parents):
            folder.rename(file.parent / f"folder{number}")
        case _:
            tree.write(f"deep{number}/er/still/file{number}.py", f"word{number}")


def test_after_anything_that_is_done_to_a_tree_it_is_as_if_read_anew(tree: Tree) -> None:
    chance = random.Random(20)
    for number in range(20):
        tree.write(f"folder{number % 4}/file{number}.py", f"word{number}")
    tree.follow()
    for number in range(20, 200):
        _anything(tree, chance, number)
        if number % 20 == 0:
            tree.write("asked.py", f"asked{number}")
            assert f"asked{number}" in tree.block(f"asked{number}")
    tree.block("the last of it")
    until(lambda: not tree.source.pending)
    for _ in tree.client.ingest_tree(f"{tree.namespace}.anew", tree.root):
        pass

    followed, anew = (
        sorted((record.path, record.title, record.digest) for record in tree.client.list_records(namespace))
        for namespace in (tree.namespace, f"{tree.namespace}.anew")
    )
    assert followed == anew
    described = [tree.client.describe_namespace(name).edges for name in (tree.namespace, f"{tree.namespace}.anew")]
    assert described[0] == described[1]
