"""How a pin ends or moves on: by turns, with the epoch, at a time, whichever is first; or to its record's successor."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.core_scenes import Agent, Corpus, note_ref, record, ref
from workingset.entry import PinOwner
from workingset.errors import PinRefused
from workingset.tier import Cause, Tier
from workingset.transitions.focus import FocusOutcome
from workingset.vocabulary import Ref, Standing

NOW = 1_800_000_000
RULE = "never log card numbers"


def shop() -> Agent:
    return Agent(Corpus.of(*(record(i, 0.9 - i / 20, lines=4) for i in range(6)), record("rule", lines=6)))


def ended(outcome: FocusOutcome) -> list[Ref]:
    return [move.ref for move in outcome.moves if move.cause is Cause.EXPIRED]


def test_a_pin_of_an_epoch_holds_through_it_and_ends_with_the_next() -> None:
    agent = shop()
    agent.pin("rule", epoch=True)
    for _ in range(3):
        assert ended(agent.focus("goal")) == []
    agent.reset()
    assert agent.tier("rule") is Tier.PINNED
    assert ended(agent.focus("goal")) == [ref("rule")]


def test_a_pin_of_a_later_epoch_counts_from_there() -> None:
    agent = shop()
    agent.reset()
    agent.pin("rule", epoch=True)
    assert ended(agent.focus("goal")) == []
    agent.reset()
    assert ended(agent.focus("goal")) == [ref("rule")]


@pytest.mark.parametrize(("seconds", "gone"), [(-1, False), (0, True), (3_600, True)])
def test_a_pin_holds_until_its_second_and_not_in_it(seconds: int, gone: bool) -> None:
    agent = shop()
    agent.focus("goal", now=NOW - 60)
    agent.pin("rule", until=NOW)
    assert bool(ended(agent.focus("goal", now=NOW + seconds))) is gone


def test_words_end_at_their_second_too() -> None:
    agent = shop()
    agent.pin(text=RULE, until=NOW)
    assert RULE in agent.focus("goal", now=NOW - 1).block.text
    outcome = agent.focus("goal", now=NOW)
    assert ended(outcome) == [note_ref(RULE)]
    assert RULE not in outcome.block.text


@pytest.mark.parametrize("first", ["turns", "epoch", "seconds"])
def test_of_several_ends_the_first_one_counts(first: str) -> None:
    agent = shop()
    agent.focus("goal", now=NOW)
    agent.pin("rule", expires=1 if first == "turns" else 50, epoch=True, until=NOW + (5 if first == "seconds" else 900))
    assert ended(agent.focus("goal", now=NOW + 1)) == []
    if first == "epoch":
        agent.reset()
    assert ended(agent.focus("goal", now=NOW + 10)) == [ref("rule")]


def test_a_pin_without_an_end_outlives_turns_epochs_and_years() -> None:
    agent = shop()
    agent.pin("rule")
    for year in range(4):
        agent.reset()
        assert ended(agent.focus("goal", now=NOW + year * 31_536_000)) == []


def test_an_expired_pin_falls_to_what_closure_demands() -> None:
    agent = Agent(Corpus.of(record("result", 0.9, requires=["m"]), record("m")))
    agent.focus("goal", now=NOW)
    agent.pin("m", until=NOW + 5)
    agent.focus("goal", now=NOW + 5)
    assert agent.tier("m") is Tier.MANDATORY


def superseded(agent: Agent, *chain: str) -> None:
    """Make each name of the chain the successor of the one before."""
    for old, new in pairwise(chain):
        known = agent.corpus.records[ref(old)]
        agent.corpus.put(replace(known, standing=Standing.SUPERSEDED, successor=ref(new)))


def with_next() -> Agent:
    agent = shop()
    agent.corpus.put(record("next", lines=7), record("last", lines=8))
    return agent


def test_a_pin_that_follows_moves_on_to_the_successor() -> None:
    agent = with_next()
    agent.pin("rule", follow=True)
    agent.focus("goal")
    superseded(agent, "rule", "next")
    outcome = agent.focus("goal")
    (report,) = outcome.pin_reports
    assert (report.ref, report.replaced_by) == (ref("rule"), ref("next"))
    assert (agent.tier("rule"), agent.tier("next")) == (Tier.EVICTED, Tier.PINNED)
    assert agent.corpus.records[ref("next")].renderings.full in outcome.block.text


def test_a_pin_that_followed_keeps_owner_reason_and_end_and_is_reported_once() -> None:
    agent = with_next()
    before = agent.pin("rule", follow=True, expires=9, reason="policy").pin
    superseded(agent, "rule", "next")
    agent.focus("goal")
    assert agent.state.pin(ref("next")) == replace(before, ref=ref("next"))
    assert agent.focus("goal").pin_reports == ()


def test_a_pin_follows_over_a_chain_to_what_stands_now() -> None:
    agent = with_next()
    agent.pin("rule", follow=True)
    superseded(agent, "rule", "next", "last")
    agent.focus("goal")
    assert [agent.tier(name) for name in ("rule", "next", "last")] == [Tier.EVICTED, Tier.EVICTED, Tier.PINNED]


def test_a_pin_follows_again_when_its_successor_is_superseded() -> None:
    agent = with_next()
    agent.pin("rule", follow=True)
    superseded(agent, "rule", "next")
    agent.focus("goal")
    superseded(agent, "next", "last")
    agent.focus("goal")
    assert agent.tier("last") is Tier.PINNED


@pytest.mark.parametrize("followed_by", [PinOwner.HOST, PinOwner.AGENT])
def test_a_pin_that_follows_to_what_is_pinned_already_makes_one_pin_that_holds_as_long_as_either(
    followed_by: PinOwner,
) -> None:
    agent = with_next()
    other = PinOwner.AGENT if followed_by is PinOwner.HOST else PinOwner.HOST
    agent.pin("rule", follow=True, reason="old", owner=followed_by, expires=0 if followed_by is PinOwner.HOST else 3)
    agent.pin("next", reason="its own", owner=other, expires=0 if other is PinOwner.HOST else 3)
    superseded(agent, "rule", "next")
    (report,) = agent.focus("goal").pin_reports
    assert report.replaced_by == ref("next")
    assert agent.state.pin(ref("rule")) is None
    held = agent.state.pin(ref("next"))
    assert held is not None
    assert (held.owner, held.expires_turn) == (PinOwner.HOST, 0)
    for turn in range(6):
        agent.focus(f"goal {turn}")
    assert agent.state.pin(ref("next")) is not None


@pytest.mark.parametrize("standing", [Standing.REMOVED, Standing.OUT_OF_SCOPE, None])
def test_a_pin_whose_successor_cannot_be_had_stays_and_says_so(standing: Standing | None) -> None:
    agent = with_next()
    agent.pin("rule", follow=True)
    superseded(agent, "rule", "next")
    if standing is None:
        del agent.corpus.records[ref("next")]
    else:
        agent.corpus.put(replace(agent.corpus.records[ref("next")], standing=standing))
    (report,) = agent.focus("goal").pin_reports
    assert (report.ref, report.replaced_by) == (ref("rule"), None)
    assert agent.tier("rule") is Tier.PINNED


def test_a_circle_of_successors_is_reported_and_ends() -> None:
    agent = with_next()
    agent.pin("rule", follow=True)
    superseded(agent, "rule", "next", "rule")
    (report,) = agent.focus("goal").pin_reports
    assert report.replaced_by is None
    assert agent.tier("rule") is Tier.PINNED


def test_a_pin_that_was_not_asked_to_follow_stays_with_what_is_superseded() -> None:
    agent = with_next()
    agent.pin("rule")
    superseded(agent, "rule", "next")
    (report,) = agent.focus("goal").pin_reports
    assert (report.successor, report.replaced_by) == (ref("next"), None)
    assert agent.tier("next") is Tier.EVICTED


def test_what_the_successor_needs_comes_with_it() -> None:
    agent = shop()
    agent.corpus.put(record("next", requires=["premise"]), record("premise"))
    agent.pin("rule", follow=True)
    superseded(agent, "rule", "next")
    agent.focus("goal")
    assert (agent.tier("next"), agent.tier("premise")) == (Tier.PINNED, Tier.MANDATORY)


def test_a_successor_that_was_resident_becomes_pinned() -> None:
    agent = with_next()
    agent.pin("rule", follow=True)
    agent.focus("goal", {ref("next"): 0.9})
    superseded(agent, "rule", "next")
    moves = [(m.origin, m.target) for m in agent.focus("goal").moves if m.ref == ref("next")]
    assert moves == [(Tier.RESIDENT, Tier.PINNED)]


def test_words_cannot_follow() -> None:
    agent = shop()
    with pytest.raises(PinRefused) as refused:
        agent.pin(text=RULE, follow=True)
    assert refused.value.field == "follow_successor"
