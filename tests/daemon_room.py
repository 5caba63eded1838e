"""A daemon without its process: real store, real lexical index, real use cases; a fake clock and a fake embedder.

Nothing runs in the background here: `catch_up` takes the store's changes into the indexes, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hotsetd.answers import FocusAnswer
from hotsetd.build import Parts, build
from hotsetd.calls import FocusCall
from hotsetd.config import Home, JobSettings, Settings
from hotsetd.ingesting import Batch, Header
from hotsetd.server import prepare_home
from retrieval.deadline import Deadline
from retrieval.ingest.sending import Document
from retrieval.ingest.typed_records import EdgeInput, RecordInput
from tests.contract.hashing_embedder import HashingEmbedder
from workingset.working_set import WorkingSet

NAMESPACE = "shop"


class StillClock:
    """A clock that a test moves by hand."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        return self.seconds

    def now_seconds(self) -> int:
        return 1_800_000_000 + int(self.seconds)


class Silence:
    """A log that keeps its events for the test to read."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, object]]] = []

    def debug(self, event: str, **values: object) -> None:
        self.events.append((event, values))

    info = warning = error = debug


@dataclass
class Room:
    """Parts with the verbs that tests read well in."""

    home: Home
    parts: Parts
    clock: StillClock

    @property
    def deadline(self) -> Deadline:
        return Deadline(self.clock.monotonic() + 60.0, self.clock.monotonic)

    def catch_up(self) -> None:
        """Bring both indexes up to the store."""
        for advance in (self.parts.follower.advance_lexical, self.parts.follower.advance_vectors):
            advanced = advance(10_000)
            while advanced.left and not advanced.failed:
                advanced = advance(10_000)
            assert not advanced.failed, advanced.failed

    def records(self, records: Sequence[RecordInput], edges: Sequence[EdgeInput] = (), ns: str = NAMESPACE) -> None:
        """Put typed records in and index them."""
        sending = self.parts.ingesting.begin(self.parts.caller, Header(ns, "", "test"))
        self.parts.ingesting.batch(sending, Batch((), tuple(records), tuple(edges), 0, False))
        self.catch_up()

    def documents(self, files: dict[str, str], ns: str = NAMESPACE, *, whole: bool = True) -> None:
        """Put files in, replacing all of the source where `whole`, and index them."""
        sending = self.parts.ingesting.begin(self.parts.caller, Header(ns, "", "files"))
        documents = tuple(Document(path, text.encode()) for path, text in files.items())
        self.parts.ingesting.batch(sending, Batch(documents, (), (), 0, whole))
        self.parts.ingesting.finish(sending, self.deadline)
        self.catch_up()

    def focus(self, goal: str, agent: str = "dev", **asked: object) -> FocusAnswer:
        """One turn."""
        call = replace(FocusCall(agent=agent, goal=goal), **asked)  # type: ignore[arg-type]
        return self.parts.turns.focus(self.parts.caller, call, self.deadline)[0]

    def state(self, agent: str = "dev") -> WorkingSet:
        """The set as stored."""
        return self.parts.turns.status(self.parts.caller, agent).state


def note(identifier: str, text: str, *, kind: str = "note", title: str = "", origin: str = "") -> RecordInput:
    """A typed record in few words."""
    return RecordInput(
        id=identifier,
        kind=kind,
        title=title or identifier,
        text=text,
        attributes=(),
        origin=origin,
        valid_from_seconds=0,
        valid_until_seconds=0,
    )


@contextmanager
def opened(path: Path, settings: Settings | None = None, *, read_only: bool = False) -> Iterator[Room]:
    """Open a room on a home; on leaving, every stored set must keep its invariants."""
    home = Home(path)
    prepare_home(home)
    chosen = settings or Settings(jobs=JobSettings(settle_seconds=0.0))
    clock = StillClock()
    parts = build(home, chosen, clock, Silence(), read_only=read_only, embedder=HashingEmbedder())
    try:
        yield Room(home, parts, clock)
        _verify(parts)
    finally:
        parts.close()


def _verify(parts: Parts) -> None:
    with parts.store.snapshot(parts.caller.tenant) as txn:
        agents = [agent for agent in txn.agents(None, 1_000) if not agent.startswith("!")]
    for agent in agents:
        state = parts.turns.status(parts.caller, agent).state
        assert state.check() == [], (agent, state.check())
