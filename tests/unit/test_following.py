"""One followed source with made-up notifications and scans: what it says of itself, and what it survives."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hotsetd.clock import SystemClock
from hotsetd.listening import FileListener, Heard, Listener, ListeningFailed
from hotsetd.source_reports import Identity, SourceState
from hotsetd.watching import Following
from retrieval.errors import StorageFull
from retrieval.ingest.progress import Progress, Summary
from retrieval.ingest.settings import GuardSettings
from retrieval.ingest.watch import Batch, Happened, WatchSettings
from tests.daemon_room import Silence
from tests.waiting import until
from workingset.vocabulary import Generation, Namespace

SETTINGS = WatchSettings(
    tick_seconds=0.005,
    quiet_seconds=0.02,
    retry_seconds=0.02,
    retry_limit_seconds=0.05,
    echo_seconds=0.02,
    history_seconds=0.1,
)
DONE = Summary(Namespace("n"), Generation(7), 1, 2, 0, 3, 0, 0, 0, (("binary", 1),), (), False, 0.0, (), 0)


class Feed:
    """Notifications that a test makes up."""

    polling = False

    def __init__(self) -> None:
        self.coming: list[Heard] = []
        self.broken = False
        self.deaf = 0
        self.closed = 0

    def heard(self) -> Heard:
        if self.broken:
            self.broken = False
            raise ListeningFailed("the queue broke")
        return self.coming.pop(0) if self.coming else []

    def echo(self, seconds: float) -> tuple[Heard, bool]:
        missed = self.deaf > 0
        self.deaf -= missed
        return self.heard(), not missed

    def close(self) -> None:
        self.closed += 1


class Recorded:
    """Scans that only keep what they were asked for."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.identities: list[Identity] = []
        self.read_histories = 0
        self.failures: list[Exception] = []
        self.meanwhile: Callable[[Callable[[], bool]], None] = lambda cancelled: None

    def scan(self, batch: Batch, progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> Summary:
        progress(Progress("files", 1, 3, 0, 0.0))
        self.meanwhile(cancelled)
        if self.failures:
            raise self.failures.pop(0)
        self.batches.append(batch)
        return DONE

    def scanned(self, identity: Identity) -> None:
        self.identities.append(identity)

    def history(self, cancelled: Callable[[], bool]) -> tuple[Generation, str]:
        self.read_histories += 1
        return Generation(9), ""


class Scene:
    """A follower under way with its feed and its scans."""

    def __init__(self, root: Path, known: Identity | None, settings: WatchSettings = SETTINGS) -> None:
        root.mkdir(exist_ok=True)
        (root / "a.py").touch()
        self.root = root
        self.feed = Feed()
        self.scans = Recorded()
        self.log = Silence()
        self.opened = 0
        self.following = Following(
            Namespace("n"), root, known, self.scans, self.listen, root.parent / "echoes", settings,
            GuardSettings(), SystemClock(), self.log,
        )  # fmt: skip

    def listen(self, root: Path, echoes: Path) -> Listener:
        self.opened += 1
        return self.feed

    def says(self, state: SourceState) -> None:
        until(lambda: self.following.report.state is state, what=lambda: self.following.report)


@contextmanager
def followed(
    root: Path,
    known: Identity | None = None,
    prepare: Callable[[Scene], None] | None = None,
    settings: WatchSettings = SETTINGS,
) -> Iterator[Scene]:
    scene = Scene(root, known, settings)
    if prepare is not None:
        prepare(scene)
    scene.following.start()
    try:
        yield scene
    finally:
        scene.following.stop_soon()
        scene.following.join()


def test_it_begins_with_a_whole_scan_and_remembers_the_folder(tmp_path: Path) -> None:
    with followed(tmp_path / "tree") as scene:
        scene.says(SourceState.CURRENT)
        report = scene.following.report
        found = (tmp_path / "tree").stat()

        assert scene.scans.batches == [Batch((), whole=True)]
        assert scene.scans.identities == [(found.st_dev, found.st_ino)]
        assert (report.generation, report.files, report.skipped) == (7, 3, (("binary", 1),))
        assert report.progress is None


def test_while_it_scans_it_says_how_far_it_is_and_nobody_waits_for_a_first_time(tmp_path: Path) -> None:
    gate = threading.Event()

    def hold(scene: Scene) -> None:
        scene.scans.meanwhile = lambda cancelled: until(lambda: gate.is_set() or cancelled())

    with followed(tmp_path / "tree", prepare=hold) as scene:
        until(lambda: scene.following.report.progress is not None)
        assert scene.following.report.state is SourceState.SCANNING
        assert scene.following.ask() == 0
        unsettled = scene.following.settled(0, 5.0)
        assert unsettled is not None
        assert unsettled.because == "it is being read for the first time"
        gate.set()
        scene.says(SourceState.CURRENT)


def test_who_asks_is_answered_once_what_was_heard_is_scanned(tmp_path: Path) -> None:
    with followed(tmp_path / "tree") as scene:
        scene.says(SourceState.CURRENT)
        scene.feed.coming.append([(Happened.CHANGED, "a.py"), (Happened.CHANGED, ".git/index")])
        assert scene.following.settled(scene.following.ask(), 10.0) is None

        assert scene.scans.batches[-1] == Batch(("a.py",))
        assert scene.following.report.pending == 0


def test_notifications_that_break_are_made_up_for_by_a_whole_scan(tmp_path: Path) -> None:
    with followed(tmp_path / "tree") as scene:
        scene.says(SourceState.CURRENT)
        scene.feed.broken = True
        until(lambda: scene.opened == 2 and len(scene.scans.batches) == 2)
        scene.says(SourceState.CURRENT)

        assert scene.scans.batches[-1].whole
        assert ("source", {"root": str(scene.root), "because": "the queue broke"}) in scene.log.events


@pytest.mark.parametrize(("missed", "opened"), [(SETTINGS.echoes_missed - 1, 1), (SETTINGS.echoes_missed, 2)])
def test_notifications_that_do_not_arrive_are_begun_anew(tmp_path: Path, missed: int, opened: int) -> None:
    deaf = "notifications of changes do not arrive"
    with followed(tmp_path / "tree") as scene:
        scene.says(SourceState.CURRENT)
        scene.feed.deaf = missed
        scene.feed.coming.append([(Happened.CHANGED, "a.py")])
        number = scene.following.ask()
        until(lambda: scene.following.settled(number, 1.0) is None, what=lambda: scene.following.report)

        anew = [Batch((), whole=True)] * (opened - 1)
        assert scene.scans.batches == [Batch((), whole=True), Batch(("a.py",)), *anew]
        assert [values["because"] for event, values in scene.log.events if event == "source"] == [deaf] * (opened - 1)
        assert scene.opened == opened


def test_nobody_waits_for_what_has_answered_nobody_for_as_long_as_one_would_wait(tmp_path: Path) -> None:
    gate, settings = threading.Event(), replace(SETTINGS, settle_seconds=0.05)
    with followed(tmp_path / "tree", settings=settings) as scene:
        scene.says(SourceState.CURRENT)
        scene.scans.meanwhile = lambda cancelled: until(lambda: gate.is_set() or cancelled())
        scene.feed.coming.append([(Happened.CHANGED, "a.py")])
        unsettled = scene.following.settled(scene.following.ask(), 0.05)
        assert unsettled is not None
        assert (unsettled.because, unsettled.pending) == ("changes are still being taken in", 1)

        until(lambda: scene.following.ask() == 0)
        began = time.monotonic()
        assert scene.following.settled(scene.following.ask(), 30.0) is not None
        assert time.monotonic() - began < 10.0
        gate.set()
        until(lambda: scene.following.settled(scene.following.ask(), 1.0) is None)
        assert scene.following.report.pending == 0


def test_a_scan_that_fails_degrades_and_is_tried_again_whole(tmp_path: Path) -> None:
    def fail(scene: Scene) -> None:
        scene.scans.failures = [StorageFull("no space left"), ValueError("a defect")]

    with followed(tmp_path / "tree", prepare=fail) as scene:
        until(lambda: scene.scans.batches)
        scene.says(SourceState.CURRENT)

    said = [values.get("because") for event, values in scene.log.events if event == "source"]
    assert said == ["no space left", "unexpected ValueError"]
    assert scene.following.report.because == ""


def test_a_root_that_goes_releases_whoever_waits(tmp_path: Path) -> None:
    with followed(tmp_path / "tree") as scene:
        scene.says(SourceState.CURRENT)
        scene.feed.deaf = 1_000_000
        number = scene.following.ask()
        scene.root.rename(tmp_path / "away")
        unsettled = scene.following.settled(number, 10.0)
        assert unsettled is not None
        assert "its records are kept until it is back" in unsettled.because
        assert scene.following.report.state is SourceState.DEGRADED
        assert scene.following.ask() == 0
        assert scene.feed.closed == 1


def test_an_empty_folder_that_is_not_the_one_that_was_scanned_is_not_scanned(tmp_path: Path) -> None:
    def empty(scene: Scene) -> None:
        (scene.root / "a.py").unlink()

    with followed(tmp_path / "tree", known=(1, 1), prepare=empty) as scene:
        scene.says(SourceState.DEGRADED)
        assert "not mounted" in scene.following.report.because
        assert scene.scans.batches == []
        (scene.root / "b.py").touch()
        scene.says(SourceState.CURRENT)


def test_history_is_read_after_edits_and_when_head_moves_and_not_when_git_only_looks(tmp_path: Path) -> None:
    def repository(scene: Scene) -> None:
        (scene.root / ".git").mkdir()
        (scene.root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    with followed(tmp_path / "tree", prepare=repository) as scene:
        scene.says(SourceState.CURRENT)
        (scene.root / ".git" / "index.lock").touch()
        (scene.root / ".git" / "index.lock").unlink()
        assert scene.following.settled(scene.following.ask(), 10.0) is None
        assert scene.scans.read_histories == 0
        scene.feed.coming.append([(Happened.CHANGED, "a.py")])
        until(lambda: scene.scans.read_histories == 1)
        assert scene.scans.batches[-1] == Batch(("a.py",))
        (scene.root / ".git" / "HEAD").write_text("ref: refs/heads/other-one\n")
        until(lambda: scene.scans.read_histories == 2)
        until(lambda: scene.following.report.generation == 9)


def test_a_stop_in_the_middle_of_a_scan_takes_no_second(tmp_path: Path) -> None:
    def scan_for_ever(scene: Scene) -> None:
        scene.scans.meanwhile = lambda cancelled: until(cancelled, 60.0)

    with followed(tmp_path / "tree", prepare=scan_for_ever) as scene:
        until(lambda: scene.following.report.progress is not None)
        began = time.monotonic()
        scene.following.stop_soon()
        scene.following.join()
        assert time.monotonic() - began < 1.0


def test_without_notifications_it_polls_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hotsetd.listening as listening

    made = listening._notify

    def refuse(paths: list[str], *, polling: bool, poll_seconds: float) -> object:
        if not polling:
            raise OSError("OS file watch limit reached")
        return made(paths, polling=polling, poll_seconds=poll_seconds)

    monkeypatch.setattr(listening, "_notify", refuse)
    scene = Scene(tmp_path / "tree", None)
    scene.following = Following(
        Namespace("n"), scene.root, None, scene.scans,
        lambda root, echoes: FileListener(root, echoes, 0.02, time.monotonic), tmp_path / "echoes",
        replace(SETTINGS, poll_seconds=0.02), GuardSettings(), SystemClock(), scene.log,
    )  # fmt: skip
    scene.following.start()
    try:
        scene.says(SourceState.CURRENT)
        assert scene.following.report.polling
        assert "max_user_watches" in scene.following.report.because
        assert scene.following.ask() == 0
        (scene.root / "b.py").write_text("new")
        unsettled = scene.following.settled(0, 10.0)
        assert unsettled is not None, "nothing is said to be in that was not looked at"
        assert "times are compared every 0.02 s" in unsettled.because
        until(lambda: any("b.py" in batch.paths for batch in scene.scans.batches), what=lambda: scene.scans.batches)
    finally:
        scene.following.stop_soon()
        scene.following.join()


def test_what_happened_before_an_echo_is_heard_with_it(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "deep").mkdir(parents=True)
    listener = FileListener(root, tmp_path / "echoes", 1.0, time.monotonic)
    try:
        for number in range(50):
            (root / "deep" / f"{number}.py").touch()
            heard, complete = listener.echo(10.0)
            assert complete
            assert (Happened.APPEARED, f"deep/{number}.py") in heard
        assert listener.echo(10.0) == ([], True)
    finally:
        listener.close()
