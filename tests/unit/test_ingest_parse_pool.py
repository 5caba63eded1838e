"""Files parsed in other processes are parsed as here, and what goes wrong there costs only the file that did it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.ingest import IngestCancelled, IngestSettings, Summary, ingest_tree, parse_pool
from retrieval.ingest.digests import source_digest
from retrieval.ingest.guards import Reason, Refusal
from retrieval.ingest.parse_pool import ParsePool, Worker, WorkerLost
from retrieval.ingest.parse_queue import Parsed, ParseQueue
from retrieval.ingest.parse_worker import FileToParse, parse
from retrieval.ingest.settings import BatchSettings, ParallelSettings
from retrieval.store.interface import Store
from tests.ingest_room import CODE, SETTINGS, TENANT, contents, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

TREE = {
    f"p{at}/m{at}.py": f"from p{at - 1} import m{at - 1}\n\n\ndef f{at}():\n    return f{at - 1}()\n" for at in range(9)
}
EAGER = replace(SETTINGS, parallel=ParallelSettings(workers=2, above_bytes=1, chunk_files=3, chunks_ahead=2))
MISBEHAVING = """
import os, signal, time
from retrieval.ingest import parse_worker
well = parse_worker.parse

def badly(file, settings):
    if b"DIE" in file.content:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"HANG" in file.content:
        time.sleep(600)
    if b"EXIT" in file.content:
        os._exit(3)
    return well(file, settings)

parse_worker.parse = badly
if {nonsense}:
    parse_worker.encode = lambda reply: b"\\xc1"
parse_worker.main()
"""


def misbehaving(*, nonsense: bool = False) -> tuple[str, ...]:
    return (sys.executable, "-P", "-c", MISBEHAVING.format(nonsense=nonsense))


def files(**contents: str) -> list[FileToParse]:
    return [
        FileToParse(f"{name}.py", text.encode(), source_digest(text.encode()))
        for name, text in sorted(contents.items())
    ]


@pytest.fixture
def store() -> Store:
    return MemoryStore(MemoryDisk())


def test_a_worker_answers_as_this_process_would() -> None:
    given = files(a="def a():\n    pass\n", b="\0", c="class C:\n    x = 1\n", d="")
    worker = Worker(SETTINGS)
    try:
        outcomes, seconds = worker.parse(given)
    finally:
        worker.end()
    assert outcomes == [parse(file, SETTINGS) for file in given]
    assert seconds > 0
    assert worker.process.returncode == 0


@pytest.mark.parametrize(
    ("word", "what"), [("DIE", "ended by signal 9"), ("EXIT", "ended with code 3"), ("HANG", "gave no answer in time")]
)
def test_what_ends_a_worker_costs_only_its_file(word: str, what: str) -> None:
    settings = replace(EAGER, parallel=replace(EAGER.parallel, patience_seconds=3.0))
    given = files(a="A = 1\n", b=f"# {word}\n", c="C = 1\n")
    pool = ParsePool(settings, lambda: Worker(settings, misbehaving()))
    try:
        before, bad, after = pool.submit(given).result()
    finally:
        pool.close()
    assert [before, after] == [parse(given[0], settings), parse(given[2], settings)]
    assert isinstance(bad, Refusal)
    assert (bad.reason, bad.what) == (Reason.UNPARSABLE, f"its parser {what}")


def test_what_a_worker_may_have_died_of_is_not_parsed_here_where_no_other_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here: list[str] = []
    started: list[Worker] = []

    def parsed_here(file: FileToParse, settings: IngestSettings) -> object:
        here.append(file.path)
        return parse(file, settings)

    def start() -> Worker:
        if started:
            raise WorkerLost("it could not be started: Cannot allocate memory")
        started.append(Worker(EAGER, misbehaving()))
        return started[0]

    monkeypatch.setattr(parse_pool, "parse", parsed_here)
    pool = ParsePool(EAGER, start)
    try:
        outcomes = pool.submit(files(a="A = 1\n", b="# DIE\n")).result()
    finally:
        pool.close()
    assert here == []
    assert [outcome.reason for outcome in outcomes if isinstance(outcome, Refusal)] == [Reason.UNPARSABLE] * 2
    assert pool.unavailable == 0


class Cancelled(Exception):
    """What a run that is cancelled raises."""


def test_a_run_that_is_cancelled_waits_for_no_worker_that_hangs() -> None:
    settings = replace(EAGER, parallel=replace(EAGER.parallel, look_seconds=0.01, patience_seconds=600.0))
    workers: list[Worker] = []

    def start() -> Worker:
        workers.append(Worker(settings, misbehaving()))
        return workers[-1]

    def check() -> None:
        if workers:
            raise Cancelled

    queue = ParseQueue(settings, lambda chosen: ParsePool(chosen, start), check)
    for file in files(a="# HANG\n", b="# HANG\n", c="# HANG\n"):
        queue.add(file)
    with pytest.raises(Cancelled):
        queue.take()
    closing = threading.Thread(target=queue.close, daemon=True)
    closing.start()
    closing.join(60.0)
    assert not closing.is_alive()
    assert len(workers) == 1
    assert workers[0].process.returncode == -signal.SIGKILL


def test_an_answer_that_makes_no_sense_is_no_answer() -> None:
    worker = Worker(SETTINGS, misbehaving(nonsense=True))
    with pytest.raises(WorkerLost, match="made no sense"):
        worker.parse(files(a="A = 1\n"))
    assert worker.process.returncode is not None


@pytest.mark.parametrize("command", [("/no/such/program",), (sys.executable, "-c", "raise SystemExit(1)")])
def test_where_no_worker_starts_files_are_parsed_here_and_that_is_counted(command: tuple[str, ...]) -> None:
    given = files(a="A = 1\n", b="B = 1\n")
    pool = ParsePool(SETTINGS, lambda: Worker(SETTINGS, command))
    try:
        assert pool.submit(given).result() == [parse(file, SETTINGS) for file in given]
    finally:
        pool.close()
    assert pool.unavailable == 1


def test_outcomes_come_in_the_order_of_the_files() -> None:
    given = files(**{f"n{at:02}": f"N = {at}\n" * (1 + 40 * (at % 3)) for at in range(20)})
    given.insert(4, FileToParse("picture.py", b"\0", source_digest(b"\0")))
    queue = ParseQueue(EAGER)
    taken: list[Parsed] = []
    try:
        for file in given:
            taken.extend(queue.add(file))
        while more := queue.take():
            taken.extend(more)
    finally:
        queue.close()
    in_order = [file.path for file in given if file.path != "picture.py"]
    assert [path for path, _ in taken if path != "picture.py"] == in_order
    assert {path for path, _ in taken} == {file.path for file in given}
    assert queue.cpu_seconds > 0


def test_little_is_parsed_here() -> None:
    def no_pool(settings: IngestSettings) -> ParsePool:
        raise AssertionError("a worker was started for little")

    queue = ParseQueue(SETTINGS, no_pool)
    assert queue.add(files(a="A = 1\n")[0]) == []
    assert [path for path, _ in queue.take()] == ["a.py"]
    assert queue.take() == []
    queue.close()


def test_a_tree_is_the_same_whoever_parses_it(tmp_path: Path, store: Store) -> None:
    root = write_tree(tmp_path / "tree", TREE)
    summary = take(store, root, settings=replace(EAGER, batches=BatchSettings(files=2)))
    here = MemoryStore(MemoryDisk())
    take(here, root)
    assert contents(store) == contents(here)
    assert summary.files_taken == len(TREE)
    assert "parse_workers" in dict(summary.stages)


def in_tree(store: Store, root: Path, settings: IngestSettings) -> Summary:
    return ingest_tree(store, TENANT, CODE, root, source="tree", settings=settings)


def test_a_worker_that_dies_costs_a_tree_one_file(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parse_pool, "COMMAND", misbehaving())
    root = write_tree(tmp_path / "tree", {**TREE, "p4/bad.py": "# DIE\n"})
    summary = in_tree(store, root, EAGER)
    assert (summary.files_taken, dict(summary.skipped)) == (len(TREE), {"unparsable": 1})
    assert summary.problems[0].path == "p4/bad.py"
    good = write_tree(tmp_path / "good", TREE)
    here = MemoryStore(MemoryDisk())
    take(here, good)
    assert contents(store) == contents(here)


def test_a_tree_can_be_cancelled_while_its_workers_hang(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parse_pool, "COMMAND", misbehaving())
    root = write_tree(tmp_path / "tree", {**TREE, "p4/bad.py": "# HANG\n"})
    settings = replace(EAGER, parallel=replace(EAGER.parallel, look_seconds=0.01, patience_seconds=5.0))
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 80  # more often than there are files and batches: a run that only waits is done before

    with pytest.raises(IngestCancelled):
        ingest_tree(store, TENANT, CODE, root, source="tree", settings=settings, cancelled=cancelled)


def test_a_tree_without_workers_says_so(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_pool, "COMMAND", ("/no/such/program",))
    summary = in_tree(store, write_tree(tmp_path / "tree", TREE), EAGER)
    assert summary.files_taken == len(TREE)
    assert dict(summary.skipped) == {"parse_workers_unavailable": 3}


@pytest.mark.parametrize("seed", ["1", "2"])
def test_every_process_reads_a_file_in_the_same_way(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", seed)
    names = ", ".join(f"name_{at}" for at in range(40))
    imports = "\n".join(f'\t"example.org/p{at}"' for at in range(40))
    uses = "\n".join(f"\tp{at}.Call{at}(arg{at})" for at in range(40))
    sources = {
        "a.py": f"from somewhere import {names}\n\n\ndef f(x: Kind):\n    return [{names}]\n",
        "b.go": f"package b\n\nimport (\n{imports}\n)\n\nfunc F() {{\n{uses}\n}}\n",
        "c.ts": f"import {{ {names} }} from './d';\n\nexport const all = () => [{names}].map(use);\n",
    }
    given = [FileToParse(path, text.encode(), source_digest(text.encode())) for path, text in sources.items()]
    worker = Worker(SETTINGS)
    try:
        assert worker.parse(given)[0] == [parse(file, SETTINGS) for file in given]
    finally:
        worker.end()


def test_workers_open_no_store_and_no_model() -> None:
    code = "import retrieval.ingest.parse_worker, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"lmdb", "onnxruntime", "tantivy", "usearch", "grpc", "numpy"} & set(loaded)
