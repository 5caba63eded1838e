"""What a Focus or a Touch leaves in the set is told to the embedding queue: what lies near it is embedded first."""

from __future__ import annotations

import threading
from pathlib import Path

from hotsetd.calls import TouchCall, UseCall
from hotsetd.config import JobSettings, Settings
from hotsetd.ingesting import Batch, Header
from hotsetd.jobs import Jobs
from retrieval.index.progress import Advanced
from retrieval.ingest.sending import Document
from retrieval.settings import LaneSettings, RetrievalSettings
from tests.contract.hashing_embedder import HashingEmbedder
from tests.daemon_room import NAMESPACE, Room, Silence, StillClock, opened
from workingset.transitions.touch import Action

NEAR = "".join(f"def near_{name}(x):\n    return {name} + x\n\n\n" for name in ("apple", "pear", "plum", "fig"))
FAR = "".join(f"class Wood{name}:\n    {name} = 'bark'\n\n\n" for name in ("Oak", "Elm", "Ash", "Yew"))

SETTINGS = Settings(
    jobs=JobSettings(settle_seconds=0.0), retrieval=RetrievalSettings(lanes=LaneSettings(demand_hits=1))
)


def written(room: Room, files: dict[str, str]) -> None:
    """Put files in and let only the lexical index follow."""
    sending = room.parts.ingesting.begin(room.parts.caller, Header(NAMESPACE, "", "files"))
    documents = tuple(Document(path, text.encode()) for path, text in files.items())
    room.parts.ingesting.batch(sending, Batch(documents, (), (), 0, False))
    room.parts.ingesting.finish(sending, room.deadline)
    while room.parts.follower.advance_lexical(1_000).left:
        continue


def embedded(room: Room) -> list[str]:
    """The paths whose records are embedded, in order, one step of one text at a time."""
    embedder = room.parts.follower._embedder
    assert isinstance(embedder, HashingEmbedder)
    embedder.asked.clear()
    while room.parts.follower.advance_vectors(1).left:
        continue
    return [text.partition("\n")[0] for text in embedder.asked]


def test_after_a_focus_its_files_are_embedded_before_newer_ones(tmp_path: Path) -> None:
    with opened(tmp_path, SETTINGS) as room:
        written(room, {"near.py": NEAR})
        written(room, {"far.py": FAR})
        assert room.focus("near_plum", budget_tokens=400).outcome.state.entries

        order = embedded(room)

        assert order[: order.count("near.py")] == ["near.py"] * order.count("near.py")
        assert "far.py" in order
        assert order.count("near.py") >= 1


def test_a_touch_moves_what_is_near_what_was_used_to_the_front(tmp_path: Path) -> None:
    with opened(tmp_path, SETTINGS) as room:
        room.documents({"start.py": "def start_here():\n    return 1\n"}, whole=False)
        room.focus("start_here", budget_tokens=400)
        written(room, {"near.py": NEAR})
        written(room, {"far.py": FAR})
        with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
            used = next(
                r.ref for r in txn.path_records(next(iter(txn.namespaces())), "near.py") if r.kind == "function"
            )

        room.parts.turns.touch(
            room.parts.caller, TouchCall(agent="dev", uses=(UseCall(used, "", "", 0, 0, Action.READ),))
        )

        order = embedded(room)
        assert order[: order.count("near.py")] == ["near.py"] * order.count("near.py")
        assert order.count("near.py") >= 4


def test_the_vector_thread_goes_on_while_there_is_something_to_collect(tmp_path: Path) -> None:
    with opened(tmp_path, SETTINGS) as room:
        steps: list[int] = []
        done = threading.Event()

        def advance(most: int) -> Advanced:
            steps.append(most)
            if len(steps) == 4:
                done.set()
            return Advanced(collected=int(len(steps) < 4))

        follower = room.parts.follower
        setattr(follower, "advance_vectors", advance)  # noqa: B010 -- the follower is told what to say
        jobs = Jobs(follower, JobSettings(idle_seconds=3_600.0), StillClock(), Silence())
        jobs.start()
        try:
            assert done.wait(20)
        finally:
            jobs.stop()

        assert len(steps) >= 4
