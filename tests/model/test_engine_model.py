"""The engine against a naive model: whatever agents, hosts, ingest and time do over one store, the promises hold.

`HOTSET_MODEL_EXAMPLES=2000` makes so many longer lives of it, some ten minutes' worth. What fails is printed as it was
found: to shrink it would take longer than a test may, and a limit that falls into that hides the assertion.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from hotsetd.corpus import RemoveCall
from retrieval.errors import BadField
from tests.model.engine_asks import Asked, asked, letters, paths, places
from tests.model.engine_hosting import Hosting
from tests.model.engine_stage import POLICIES, tight
from tests.model.engine_world import LETTERS, PATHS, SHOP, ref_of, source, words


class EngineMachine(Hosting):
    """All of it: agents, hosts, and a world that changes under them."""

    @initialize(policy=st.sampled_from(POLICIES), first=asked, second=asked)
    def begin(self, policy: str, first: Asked, second: Asked) -> None:
        self.settings = tight(policy)
        self.open()
        self.world.batches = 1
        sizes = (1, 2, 9, 1, 30, 3, 1, 4)
        records = [self.world.put(letter, words(n, sizes[n], n)) for n, letter in enumerate(LETTERS)]
        edges = [self.world.need("a", "b", as_premise=True), self.world.need("b", "c", as_premise=False)]
        edges += [self.world.need("d", "c", as_premise=True), self.world.supersede("g", "h")]
        self.write_records(records, edges, indexed=False)
        self.write_files({path: source(path, 0) for path in PATHS[:3]}, indexed=True)
        self.focus("ann", first, named=False, twice=False)
        self.focus("bob", second, named=True, twice=False)

    @rule(
        letter=letters,
        needed=st.sets(letters, max_size=2),
        topic=places,
        times=st.sampled_from((1, 2, 8, 25)),
        lasts=st.sampled_from((0, 0, 0, 40)),
        as_premise=st.booleans(),
        indexed=st.booleans(),
    )
    def write_a_record(
        self, letter: str, needed: set[str], topic: int, times: int, lasts: int, as_premise: bool, indexed: bool
    ) -> None:
        """A record's new version, with what it needs; what it needed before it still needs."""
        self.world.batches += 1
        until = self.now + lasts if lasts else 0
        given = self.world.put(letter, words(topic, times, self.world.version()), until)
        live = [other for other in sorted(needed) if other != letter and other in self.world.live]
        edges = [self.world.need(letter, other, as_premise=as_premise) for other in live]
        self.write_records([given], edges, indexed=indexed)

    @rule(place=places, other=letters, how=st.sampled_from(("remove", "supersede", "supersede")), indexed=st.booleans())
    def take_a_record_away(self, place: int, other: str, how: str, indexed: bool) -> None:
        """Pinned ones first: it is for them that it matters most."""
        pinned = [ref.partition(":")[2] for agent in self.agents.values() for ref in agent.pins]
        pool = [letter for letter in (*pinned * 2, *LETTERS) if letter in self.world.live]
        letter = pool[place % len(pool)] if pool else other
        self.world.batches += 1
        if how == "remove" and letter in self.world.live:
            self.world.remove(ref_of(letter))
            self.room.parts.corpus.remove(self.room.parts.caller, RemoveCall(namespace=SHOP, refs=(ref_of(letter),)))
        elif how == "supersede" and other in self.world.live and not self.world.leads_to(other, letter):
            self.write_records([], [self.world.supersede(letter, other)], indexed=False)
        if indexed:
            self.room.catch_up()

    @rule(path=paths, other=paths, how=st.sampled_from(("edit", "edit", "remove", "move")), indexed=st.booleans())
    def change_files(self, path: str, other: str, how: str, indexed: bool) -> None:
        files = dict(self.world.files)
        if how == "edit" or path not in files:
            files[path] = source(path, self.world.version())
        elif how == "remove":
            del files[path]
        else:
            files[other] = files.pop(path)
        self.write_files(files, indexed=indexed)

    @rule(what=st.sampled_from((1, 30, 100, "index", "restart", "restart")))
    def time_passes(self, what: int | str) -> None:
        """That nothing acknowledged is lost over a restart is seen after the step: no digest may differ."""
        if isinstance(what, int):
            self.room.clock.seconds += what
        elif what == "index":
            self.room.catch_up()
        else:
            self.close()
            self.open()

    @precondition(lambda self: self.sent)
    @rule(place=places, other=places)
    def send_again(self, place: int, other: int) -> None:
        """A call sent again is answered again, and changes nothing; another one under its id is refused."""
        sent = self.sent[-1 - place % len(self.sent)]
        answer, replayed = self.apply(sent.what, sent.call)
        assert replayed
        assert answer == sent.answer
        alike = [s.call for s in self.sent if s.what == sent.what]
        unlike = replace(alike[other % len(alike)], agent=sent.agent, request_id=sent.call.request_id)
        if unlike != sent.call:
            self.refused(BadField, sent.what, unlike)


LONGER = int(os.environ.get("HOTSET_MODEL_EXAMPLES", "0"))
EngineMachine.TestCase.settings = settings(
    max_examples=LONGER or 40,
    stateful_step_count=60 if LONGER else 40,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
TestEngine = pytest.mark.timeout(0 if LONGER else 1_200)(EngineMachine.TestCase)
