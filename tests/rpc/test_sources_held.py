"""Followed sources while something else fills their namespace: nobody waits in vain, and what is missing is said.

The daemon runs in this process, so that a test can hold an ingest for as long as it wants.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest

from hotset import AsyncHotsetClient, DeadlineExceeded, FocusAnswer, HotsetError, LaneReport, Source, SourceState
from hotsetd.build import Parts, build
from hotsetd.clock import SystemClock
from hotsetd.config import Home, JobSettings, Settings
from hotsetd.errors import Stopping
from hotsetd.ingesting import Header
from hotsetd.server import Daemon, prepare_home
from hotsetd.tree_scans import TreeScans
from retrieval.deadline import Deadline
from retrieval.errors import StorageFull
from retrieval.ingest.watch import WatchSettings
from tests.contract.hashing_embedder import HashingEmbedder
from tests.daemon_room import Silence
from tests.git_room import Repository
from tests.ingest_room import write_tree
from workingset.vocabulary import Namespace

_SETTINGS = Settings(
    jobs=JobSettings(embed_in_background=False), watch=WatchSettings(history_seconds=0.1, settle_seconds=1.0)
)


class Serving:
    """A daemon in this process, its parts, and a client of it."""

    def __init__(self, parts: Parts, client: AsyncHotsetClient, running: asyncio.Future[None]) -> None:
        self.parts = parts
        self.client = client
        self.running = running

    async def source(self, namespace: str = "n") -> Source:
        (source,) = (await self.client.list_sources(namespace)).sources
        return source

    async def until_because(self, because: str) -> None:
        async with asyncio.timeout(20):
            while (await self.source()).because != because:
                await asyncio.sleep(0.01)

    async def until_current(self, namespace: str = "n") -> None:
        async with asyncio.timeout(20):
            while any(
                each.state is not SourceState.CURRENT or each.pending
                for each in (await self.client.list_sources(namespace)).sources
            ):
                await asyncio.sleep(0.01)

    async def focus(self, goal: str) -> FocusAnswer:
        return await self.client.focus(goal, namespaces=["n"], request_id="")

    @contextmanager
    def filled(self, root: Path, namespace: str = "n") -> Generator[None]:
        """Another run fills the namespace meanwhile, and does not come to an end."""
        inside, leave = threading.Event(), threading.Event()

        def hold(reached: object) -> None:
            inside.set()
            leave.wait(60)

        def ingest() -> None:
            sending = self.parts.ingesting.begin(self.parts.caller, Header(namespace, "", ""))
            never = Deadline(float("inf"), time.monotonic)
            with suppress(Stopping):
                self.parts.ingesting.tree(sending, str(root), False, hold, never)

        thread = threading.Thread(target=ingest)
        thread.start()
        assert inside.wait(20)
        try:
            yield
        finally:
            leave.set()
            thread.join()


@asynccontextmanager
async def serving(home: Path) -> AsyncGenerator[Serving]:
    folder, clock, log = Home(home), SystemClock(), Silence()
    prepare_home(folder)
    parts = build(folder, _SETTINGS, clock, log, embedder=HashingEmbedder())
    running = asyncio.ensure_future(Daemon(folder, parts, clock, log).run(clock.monotonic()))
    try:
        async with AsyncHotsetClient(f"unix:{folder.socket}", agent="dev") as client:
            await client.wait_ready(timeout_seconds=20)
            yield Serving(parts, client, running)
    finally:
        if not running.done():
            os.kill(os.getpid(), signal.SIGTERM)
        await running
        parts.close()
    assert [values for event, values in log.events if event == "defect"] == []


def _unsettled(answer: FocusAnswer) -> list[LaneReport]:
    return [lane for lane in answer.coverage.lanes if lane.lane == "sources"]


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """A folder with a tree to follow, one that fills its namespace, and two more."""
    for name in ("tree", "filling", "more0", "more1"):
        write_tree(tmp_path / name, {f"{name}.py": f'def {name}():\n    """Says quokka."""\n    return 1\n'})
    return tmp_path


async def test_who_removes_a_source_while_its_namespace_is_filled_holds_nobody_up(trees: Path) -> None:
    async with serving(trees / "home") as room:
        client = room.client
        await client.add_source("n", trees / "tree")
        await room.until_current()
        with room.filled(trees / "filling"):
            removing = asyncio.ensure_future(client.remove_source("n", trees / "tree", timeout_seconds=60))
            await room.until_because("it is being removed")
            with pytest.raises(HotsetError, match="is being removed"):
                await client.add_source("n", trees / "tree")
            with pytest.raises(HotsetError, match="is being removed"):
                await client.remove_source("n", trees / "tree")
            for name in ("more0", "more1"):
                assert not (await client.add_source("o", trees / name, timeout_seconds=20)).already_followed
            removing.cancel()
            await room.until_because("")
            with pytest.raises(DeadlineExceeded):
                await client.remove_source("n", trees / "tree", timeout_seconds=0.3)
            await room.until_because("")

        # What was not removed is followed as before.
        write_tree(trees / "tree", {"new.py": 'def new():\n    """Says axolotl."""\n    return 1\n'})
        await room.until_current()
        assert (await client.add_source("n", trees / "tree")).already_followed
        async with asyncio.timeout(20):
            while "Says axolotl" not in (await room.focus("axolotl")).block:
                await asyncio.sleep(0.01)
        assert (await client.remove_source("n", trees / "tree")).removed >= 2
        assert not (await client.list_sources("n")).sources


async def test_a_daemon_stops_while_a_source_is_being_removed(trees: Path) -> None:
    async with serving(trees / "home") as room:
        await room.client.add_source("n", trees / "tree")
        await room.until_current()
        with room.filled(trees / "filling"):
            removing = asyncio.ensure_future(room.client.remove_source("n", trees / "tree", timeout_seconds=50))
            await room.until_because("it is being removed")
            os.kill(os.getpid(), signal.SIGTERM)
            async with asyncio.timeout(20):
                await room.running
            with pytest.raises(HotsetError):
                await removing


async def test_a_focus_says_what_it_did_not_wait_for(trees: Path) -> None:
    async with serving(trees / "home") as room:
        await room.client.add_source("n", trees / "tree")
        await room.until_current()
        before = await room.focus("quokka")
        assert not _unsettled(before)
        with room.filled(trees / "filling"):
            write_tree(trees / "tree", {"tree.py": 'def tree():\n    """Says axolotl."""\n    return 1\n'})
            took: list[float] = []
            for _ in range(4):
                began = time.monotonic()
                answer = await room.focus("axolotl")
                took.append(time.monotonic() - began)
                (sources,) = _unsettled(answer)
                assert "Says axolotl" not in answer.block
                assert (sources.state.value, sources.lag) == ("partial", 1)
                root = trees / "tree"
                because = "changes are still being taken in"
                assert sources.note == f"what changed last may be missing: n, {root}: {because}"
            assert sum(took[1:]) < 2.0, "one waits, and nobody after it"
            assert took[0] >= 1.0

        async with asyncio.timeout(20):
            while _unsettled(after := await room.focus("axolotl")):
                await asyncio.sleep(0.01)
        assert "Says axolotl" in after.block


async def test_a_removal_that_fails_leaves_a_source_that_is_followed(
    trees: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: TreeScans, cancelled: object) -> int:
        raise StorageFull("no space left")

    async with serving(trees / "home") as room:
        await room.client.add_source("n", trees / "tree")
        await room.until_current()
        with monkeypatch.context() as broken:
            broken.setattr(TreeScans, "take_out", full)
            with pytest.raises(HotsetError, match="no space left"):
                await room.client.remove_source("n", trees / "tree")
        await room.until_current()
        assert (await room.client.add_source("n", trees / "tree")).already_followed
        assert (await room.client.remove_source("n", trees / "tree")).removed >= 1
        assert not (await room.client.add_source("n", trees / "tree")).already_followed


async def test_of_a_source_that_was_removed_its_past_goes_too(tmp_path: Path) -> None:
    for name in ("a", "b"):
        made = Repository.begin(tmp_path / name)
        for number in range(5):
            made.commit(f"{name} {number}", {f"{name}{number}.py": f"def {name}{number}():\n    return 1\n"})
    async with serving(tmp_path / "home") as room:
        host, tenant = room.parts.host_hints, room.parts.caller.tenant
        for name in ("a", "b"):
            await room.client.add_source("n", tmp_path / name)
        await room.until_current()
        assert [root for _, root in host.begin(tenant, ()).roots] == [str(tmp_path / "a"), str(tmp_path / "b")]
        await room.client.remove_source("n", tmp_path / "b")

        assert [root for _, root in host.begin(tenant, ()).roots] == [str(tmp_path / "a")]
        with room.parts.store.snapshot(tenant) as txn:
            history = host.histories.of(txn, Namespace("n"))
        assert len(history.commits) == 5


def test_a_daemon_that_only_reads_says_so_of_its_sources(trees: Path) -> None:
    async def follow() -> None:
        async with serving(trees / "home") as room:
            await room.client.add_source("n", trees / "tree")
            await room.until_current()

    asyncio.run(follow())
    parts = build(Home(trees / "home"), _SETTINGS, SystemClock(), Silence(), read_only=True, embedder=HashingEmbedder())
    try:
        (source,) = parts.sources.list_sources(parts.caller, "")
        assert source.because == "this daemon only reads: it does not follow sources"
    finally:
        parts.close()
