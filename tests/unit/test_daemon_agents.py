"""Hot agents: many on disk, a bounded number and size in memory, each with the state that the store has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hotsetd.agents import Agents, bytes_in_memory
from hotsetd.codec import WORKING_SETS
from retrieval.store.interface import Claim, Store, WriteTransaction
from retrieval.store.lmdb import open_store
from tests.golden.set_scenes import pinned
from workingset.vocabulary import AgentId, Epoch, Ref, TenantId, Turn
from workingset.working_set import WorkingSet

TENANT, OTHER_TENANT = TenantId("t"), TenantId("u")
NOBODY = Claim(AgentId("a"), Epoch(0), Turn(0), 0)
WORKED_ON = pinned()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store")
    yield opened
    opened.close()


def state_of(number: int) -> WorkingSet:
    return replace(WORKED_ON, agent=AgentId(f"agent-{number}"), references=number)


def save(store: Store, state: WorkingSet, claim: Claim | None = None) -> Claim:
    claim = claim or replace(NOBODY, agent=state.agent)
    encoded = WORKING_SETS.encode(state)
    return store.write(TENANT, lambda txn: txn.save_working_set(claim, state.epoch, state.turn, encoded))


def load(store: Store, agents: Agents, name: str, tenant: TenantId = TENANT) -> tuple[Claim, WorkingSet]:
    with store.snapshot(tenant) as txn:
        return agents.load(txn, AgentId(name))


def test_ten_thousand_agents_on_disk_and_a_few_in_memory(store: Store) -> None:
    encoded = [(number, WORKING_SETS.encode(state_of(number))) for number in range(10_000)]

    def save_some(txn: WriteTransaction, part: list[tuple[int, bytes]]) -> None:
        for number, each in part:
            claim = replace(NOBODY, agent=AgentId(f"agent-{number}"))
            txn.save_working_set(claim, WORKED_ON.epoch, WORKED_ON.turn, each)

    for start in range(0, len(encoded), 2_000):
        store.write(TENANT, lambda txn, at=start: save_some(txn, encoded[at : at + 2_000]))  # type: ignore[misc]
    agents = Agents(100, 2**30)

    with store.snapshot(TENANT) as txn:
        for number in range(10_000):
            claim, state = agents.load(txn, AgentId(f"agent-{number}"))
            assert (claim.revision, state.references, len(state.entries)) == (1, number, len(WORKED_ON.entries))
            assert len(agents) <= 100
        again = [agents.load(txn, AgentId(f"agent-{number}")) for number in (9_999, 0, 4_321)]

    assert again == [(Claim(s.agent, s.epoch, s.turn, 1), s) for s in map(state_of, (9_999, 0, 4_321))]
    assert len(agents) == 100
    assert agents.bytes_held == 100 * bytes_in_memory(WORKED_ON)


def test_a_hot_set_is_not_decoded_again(store: Store) -> None:
    save(store, state_of(1))
    agents = Agents(10, 2**20)
    assert load(store, agents, "agent-1")[1] is load(store, agents, "agent-1")[1]


def test_large_sets_are_bounded_by_their_size(store: Store) -> None:
    entries = tuple(replace(WORKED_ON.entries[0], ref=Ref(f"n:{i}"), order=i) for i in range(1_000))
    large = [replace(state_of(number), entries=entries) for number in range(5)]
    agents = Agents(10, 3 * bytes_in_memory(large[0]))
    for state in large:
        agents.keep(TENANT, save(store, state), state)
    assert len(agents) == 3
    for state in large:
        assert load(store, agents, state.agent)[1] == state
    assert agents.bytes_held <= 3 * bytes_in_memory(large[0])
    assert bytes_in_memory(large[0]) > 1_000_000


def test_a_set_larger_than_all_the_room_is_served_and_not_kept(store: Store) -> None:
    save(store, state_of(1))
    agents = Agents(10, 100)
    assert load(store, agents, "agent-1")[1] == state_of(1)
    assert (len(agents), agents.bytes_held) == (0, 0)


def test_the_agent_that_was_asked_longest_ago_goes_first(store: Store) -> None:
    claims = [save(store, state_of(number)) for number in range(3)]
    agents = Agents(2, 2**30)
    first = load(store, agents, "agent-0")[1]
    load(store, agents, "agent-1")
    load(store, agents, "agent-0")
    load(store, agents, "agent-2")
    assert load(store, agents, "agent-0")[1] is first
    assert claims[0].revision == 1


def test_a_forgotten_agent_is_nobody_even_for_those_who_hold_it(store: Store) -> None:
    state = state_of(1)
    agents = Agents(10, 2**30)
    claim = save(store, state)
    agents.keep(TENANT, claim, state)
    with store.snapshot(TENANT) as before:
        store.write(TENANT, lambda txn: txn.forget_agent(state.agent))
        agents.drop(TENANT, state.agent)
        assert len(agents) == agents.bytes_held == 0
        assert agents.load(before, state.agent) == (claim, state)

    assert load(store, agents, "agent-1") == (Claim(state.agent, Epoch(0), Turn(0), 0), WorkingSet(state.agent))
    assert len(agents) == 0

    anew = replace(state, references=77)
    later = save(store, anew)
    assert load(store, agents, "agent-1") == (later, anew)


def test_a_reader_that_comes_late_does_not_bring_an_older_set_back(store: Store) -> None:
    agents = Agents(10, 2**30)
    first = save(store, state_of(1))
    with store.snapshot(TENANT) as late:
        newer = replace(state_of(1), references=50)
        second = save(store, newer, first)
        agents.keep(TENANT, second, newer)
        assert agents.load(late, AgentId("agent-1")) == (first, state_of(1))
    assert load(store, agents, "agent-1") == (second, newer)


def test_tenants_do_not_share_sets(store: Store) -> None:
    save(store, state_of(1))
    agents = Agents(10, 2**30)
    load(store, agents, "agent-1")
    assert load(store, agents, "agent-1", OTHER_TENANT)[1] == WorkingSet(AgentId("agent-1"))
