"""F74: turn t -> t+1 / delta / old + promoted - evicted = new; empty delta when nothing changed."""

from __future__ import annotations

import random

import pytest

from tests.core_scenes import Agent, Corpus, record
from workingset.delivery import Change
from workingset.tier import Tier
from workingset.vocabulary import Ref


@pytest.mark.parametrize("seed", range(8))
def test_f74_old_and_in_less_out_is_new_in_moves_and_in_delta(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"r{i}" for i in range(40)]
    corpus = Corpus.of(
        *(record(n, lines=chance.randrange(2, 40), requires=chance.sample(names, chance.randrange(2))) for n in names)
    )
    agent = Agent(corpus, budget=2_500, top_k=12)
    host: dict[Ref, str] = {}
    for turn in range(25):
        weights = {r: chance.random() for r in chance.sample(sorted(corpus.records), 25)}
        old = {entry.ref: entry.tier for entry in agent.state.entries}
        outcome = agent.focus(f"goal {turn // 3}", weights, budget=chance.choice((600, 1_500, 2_500)))
        new = {entry.ref: entry.tier for entry in outcome.state.entries}
        came_in = {m.ref for m in outcome.moves if m.origin is Tier.EVICTED}
        went_out = {m.ref for m in outcome.moves if m.target is Tier.EVICTED}
        assert (set(old) | came_in) - went_out == set(new)
        assert not came_in & set(old)
        for move in outcome.moves:
            assert old.get(move.ref, Tier.EVICTED) is move.origin
            old[move.ref] = move.target
            assert move.reason
        assert {r: tier for r, tier in old.items() if tier is not Tier.EVICTED} == new
        for entry in outcome.delta:
            assert (entry.ref in host) is (entry.change is not Change.NEW)
            if entry.change is Change.REMOVED:
                assert entry.text == ""
                del host[entry.ref]
            else:
                assert host.get(entry.ref) != entry.text
                host[entry.ref] = entry.text
        assert host == {segment.ref: segment.text for segment in outcome.block.segments}
        assert set(host) == set(new)
        again = agent.focus(f"goal {turn // 3}", weights, budget=outcome.ledger.ceiling)
        assert again.delta == ()
        assert again.moves == ()
        assert again.block == outcome.block
