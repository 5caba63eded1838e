"""The stage of the engine's model test: one daemon without its process, its naive twin, and what holds after each step.

A rule says which agents it moves; every other set must keep its digest. What was acknowledged is compared with the
model after every step, so that a restart, or another agent's call, that lost anything is seen at once.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import quicktok
from hypothesis.stateful import RuleBasedStateMachine, invariant

from hotsetd.calls import ResolveCall
from hotsetd.config import HistorySettings, JobSettings, LimitSettings, Settings
from hotsetd.errors import UnknownAgent
from hotsetd.ingesting import Batch, Header
from hotsetd.notes import note_namespace
from retrieval.errors import UnknownNamespace
from retrieval.ingest.sending import Document
from retrieval.ingest.typed_records import EdgeInput, RecordInput
from retrieval.record import Record
from tests.daemon_room import Room, opened
from tests.model import engine_checks as checks
from tests.model.engine_agents import Agent
from tests.model.engine_asks import AGENTS
from tests.model.engine_world import CODE, LETTERS, PATHS, SHOP, World, ref_of
from workingset.settings import DriftSettings, EvictionSettings, PackingSettings, PinSettings, WorkingSetSettings
from workingset.tier import Move
from workingset.vocabulary import AgentId, Digest, Generation, Namespace, Ref, Standing
from workingset.working_set import WorkingSet

GHOSTS = 6
ENTRIES = 12
MOVES = 20
AGENT_PINS = 2
AGENT_PIN_TURNS = 4
DEFAULT_BUDGET = 700
POLICIES = ("hit_density", "lru", "wtinylfu", "s3fifo", "arc")
count = quicktok.get_encoding("o200k_base").count


def tight(policy: str) -> Settings:
    """Settings whose bounds are met within a few steps."""
    return Settings(
        limits=LimitSettings(default_budget_tokens=DEFAULT_BUDGET),
        jobs=JobSettings(settle_seconds=0.0),
        history=HistorySettings(part_bytes=512),
        working_set=WorkingSetSettings(
            moves_between_limit=MOVES,
            packing=PackingSettings(frontier_lines=4, entries_limit=ENTRIES),
            eviction=EvictionSettings(policy=policy, ghosts_limit=GHOSTS),
            drift=DriftSettings(goal_distance_floor=0.3, term_distance_floor=0.5, mass_lost_floor=0.4),
            pins=PinSettings(agent_pins_limit=AGENT_PINS, agent_pin_turns=AGENT_PIN_TURNS),
        ),
    )


@dataclass(frozen=True)
class Sent:
    """A call that was acknowledged under a request id."""

    agent: str
    what: str
    call: Any
    answer: object


class Stage(RuleBasedStateMachine):
    """The daemon, the model, and how one is asked and compared with the other."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.world = World()
        self.agents: dict[str, Agent] = {}
        self.kept: dict[str, dict[Ref, str]] = {}
        """Notes and history by the agent they were kept for: never lost until it is forgotten."""
        self.fillings: dict[str, int] = {}
        """Which filling of an agent's namespace `kept` is: once forgotten, it is another one."""
        self.forgotten: set[Namespace] = set()
        self.sent: list[Sent] = []
        self.digests: dict[str, Digest] = {}
        self.moved: set[str] = set()
        self.requests = 0
        self.records_of_files = 0
        self.settings = tight(POLICIES[0])
        self.opened: AbstractContextManager[Room] | None = None
        self.room: Room

    def open(self) -> None:
        """Open the daemon over the directory; time goes on where it stood."""
        seconds = self.room.clock.seconds if hasattr(self, "room") else None
        self.opened = opened(Path(self.directory.name), self.settings)
        self.room = self.opened.__enter__()
        if seconds is not None:
            self.room.clock.seconds = seconds

    def close(self) -> None:
        """Close the daemon; what it knows is on disk then."""
        if self.opened is not None:
            closing, self.opened = self.opened, None
            # With what is being raised, so that a step that failed is not hidden by what is broken after it.
            closing.__exit__(*sys.exc_info())

    def teardown(self) -> None:
        self.close()
        self.directory.cleanup()

    # How the daemon is asked.

    @property
    def now(self) -> int:
        return self.room.clock.now_seconds()

    def apply(self, what: str, call: Any) -> tuple[Any, bool]:
        """One call of a use case; its answer, and whether that was stored."""
        parts, caller = self.room.parts, self.room.parts.caller
        if what == "focus":
            return parts.turns.focus(caller, call, self.room.deadline)
        if what == "touch":
            return parts.turns.touch(caller, call)
        use_cases = parts.succession if what in ("fork", "handoff") else parts.hosting
        answered: tuple[Any, bool] = getattr(use_cases, what)(caller, call)
        return answered

    def send(self, what: str, call: Any, *, named: bool = False, moves: Iterable[str] = ()) -> Any:
        """Make a call that must be taken, and remember it where it is `named` by a request id."""
        if named:
            self.requests += 1
            call = replace(call, request_id=f"r{self.requests}")
        answer, replayed = self.apply(what, call)
        assert not replayed
        self.moved |= {call.agent, *moves}
        if named:
            self.sent.append(Sent(call.agent, what, call, answer))
        return answer

    def refused(self, error: type[Exception] | tuple[type[Exception], ...], what: str, call: Any) -> None:
        """Make a call that must be refused; that it changed nothing is seen after the step."""
        with pytest.raises(error):
            self.apply(what, call)

    def state(self, name: str) -> WorkingSet:
        """The agent's set; an empty one where it has none."""
        if name not in self.agents:
            return WorkingSet(AgentId(name))
        return self.room.parts.turns.status(self.room.parts.caller, name).state

    def record(self, ref: Ref) -> Record | None:
        """The newest version of a record, a tombstone with the last text it had; None where there is none."""
        with self.room.parts.store.snapshot(self.room.parts.caller.tenant) as txn:
            record = txn.record(ref)
            if record is None or not record.removed:
                return record
            before = txn.record(ref, Generation(record.generation - 1))
        return None if before is None else replace(before, generation=record.generation, removed=True)

    def pages(self, path: str) -> list[Record]:
        """The pages of a file."""
        with self.room.parts.store.snapshot(self.room.parts.caller.tenant) as txn:
            return txn.path_records(CODE, path)

    def refs_of(self, name: str) -> list[Ref]:
        """The refs an agent may speak of: typed records, those of files in any set, and what was kept for it."""
        agent = self.agents.get(name)
        mine = {ref for owner in self.readable(agent or Agent(name)) for ref in self.kept.get(owner, ())}
        pages = [page.ref for path in PATHS for page in self.pages(path)]
        entries = [entry.ref for entry in self.state(name).entries if not checks.is_own(entry.ref)]
        others = list(dict.fromkeys((*pages, *entries, *sorted(mine))))
        return [*map(ref_of, LETTERS), *others, *map(ref_of, LETTERS)]

    def keep(self, name: str, texts: dict[Ref, str]) -> None:
        """What was acknowledged as kept for an agent."""
        if not self.kept.get(name):
            self.fillings[name] = self.fillings.get(name, 0) + 1
        self.kept.setdefault(name, {}).update(texts)

    def filling(self, name: str) -> int:
        """Which filling of the agent's namespace there is; 0 where there is none."""
        return self.fillings[name] if self.kept.get(name) else 0

    def readable(self, agent: Agent) -> list[str]:
        """The agents whose words this one may read, as far as there are any."""
        before = [name for name, filling in agent.ancestors if filling == self.filling(name)]
        return [name for name in (agent.name, *before) if self.kept.get(name)]

    def standing(self, ref: Ref, scope: Iterable[str]) -> Standing:
        """What has to be said of a record: of typed ones by the model, of pages by the store."""
        within = set(scope)
        if ref in self.world.items:
            return self.world.standing(ref, within, self.now)
        record = self.record(ref)
        if record is None or record.removed:
            return Standing.REMOVED
        return Standing.CURRENT if record.namespace in within else Standing.OUT_OF_SCOPE

    def write_records(self, records: Iterable[RecordInput], edges: Iterable[EdgeInput], *, indexed: bool) -> None:
        """Put typed records and edges in; the indexes follow at once, or some time."""
        ingesting = self.room.parts.ingesting
        sending = ingesting.begin(self.room.parts.caller, Header(SHOP, "", "test"))
        ingesting.batch(sending, Batch((), tuple(records), tuple(edges), 0, False))
        if indexed:
            self.room.catch_up()

    def write_files(self, files: dict[str, str], *, indexed: bool) -> None:
        """Make these all the files there are."""
        ingesting = self.room.parts.ingesting
        sending = ingesting.begin(self.room.parts.caller, Header(CODE, "", "files"))
        documents = tuple(Document(path, text.encode()) for path, text in files.items())
        ingesting.batch(sending, Batch(documents, (), (), 0, True))
        ingesting.finish(sending, self.room.deadline)
        self.world.files = files
        self.records_of_files = self._records_in(CODE)
        if indexed:
            self.room.catch_up()

    # What holds after each step.

    def took(self, agent: Agent, before: WorkingSet, moves: tuple[Move, ...], after: WorkingSet) -> None:
        """Between two turns: the moves add up and are kept for the next receipt."""
        checks.add_up(before, moves, after)
        checks.sized(after, self.record, count)
        agent.between.extend(moves)
        agent.moved(moves, GHOSTS)

    @invariant()
    def sets_are_sound_and_as_the_model_says(self) -> None:
        for name in AGENTS:
            if name not in self.agents:
                with pytest.raises(UnknownAgent):
                    self.room.parts.turns.status(self.room.parts.caller, name)
                continue
            status = self.room.parts.turns.status(self.room.parts.caller, name)
            checks.sound(status.state, GHOSTS)
            self.agents[name].agrees(status.state, MOVES)
            assert name in self.moved or self.digests[name] == status.state_digest, f"{name} was moved by another call"
            self.digests[name] = status.state_digest
            for ref in (*(e.ref for e in status.state.entries), *(g.ref for g in status.state.ghosts)):
                gone = ref.partition(":")[0] in self.forgotten
                assert checks.is_own(ref) or gone or self.record(ref) is not None, f"{ref} resolves no more"
        self.moved.clear()

    @invariant()
    def nothing_is_lost_and_nothing_comes_by_itself(self) -> None:
        assert self._records_in(SHOP) == len(self.world.live)
        assert self._records_in(CODE) == self.records_of_files
        for letter in self.world.live:
            record = self.record(ref_of(letter))
            assert record is not None
            assert record.text == self.world.items[record.ref].text
        for name in AGENTS:
            kept = self.kept.get(name, {})
            assert self._records_in(note_namespace(AgentId(name))) == len(kept)
            if kept:
                reading = self.room.parts.reading
                call = ResolveCall(refs=tuple(kept), max_bytes=1_000_000)
                answer = reading.resolve(self.room.parts.caller, call)
                assert {resolved.ref: resolved.text for resolved in answer.records} == kept

    def _records_in(self, namespace: Namespace) -> int:
        try:
            return self.room.parts.corpus.describe(self.room.parts.caller, namespace).counts.records
        except UnknownNamespace:
            return 0
