"""The user's open request: mandatory over as many goals as it takes, until another one comes or it is closed."""

from __future__ import annotations

import pytest

from tests.core_scenes import SETTINGS, Agent, Corpus, note_ref, record, ref
from workingset.delivery import Change
from workingset.entry import REQUEST_NAMESPACE, Entry
from workingset.errors import NoRequest, PinnedEntry, PinRefused
from workingset.tier import Cause, Tier
from workingset.transitions.leaving import evict
from workingset.transitions.pins import unpin

ASKED = "make the nightly export twice as fast"


def shop(budget: int = 2_000) -> Agent:
    return Agent(Corpus.of(*(record(i, 0.9 - i / 20) for i in range(8))), budget=budget)


def request(agent: Agent) -> Entry:
    (held,) = [entry for entry in agent.state.entries if entry.namespace == REQUEST_NAMESPACE]
    return held


def words(agent: Agent) -> list[str]:
    """The refs of requests that are entries."""
    return [entry.ref for entry in agent.state.entries if entry.namespace == REQUEST_NAMESPACE]


def test_a_request_is_mandatory_and_the_goal_is_what_needs_it() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    assert agent.state.goal is not None
    assert request(agent).tier is Tier.MANDATORY
    assert request(agent).required_by == (agent.state.goal.ref,)


def test_a_request_stays_verbatim_over_goals_without_one() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    for goal in ("read the scheduler", "write the test", "something else altogether"):
        assert f"# Request\n{ASKED}\n# Goal\n{goal}\n" in agent.focus(goal).block.text


def test_the_request_comes_after_all_texts_and_just_before_the_goal() -> None:
    agent = shop()
    agent.pin(text="never log card numbers")
    block = agent.focus("profile the export", request=ASKED).block
    assert [segment.ref.partition(":")[0] for segment in block.segments[-2:]] == ["request", "goal"]


def test_the_same_request_again_changes_nothing() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    again = agent.focus("profile the export", request=ASKED)
    assert (again.delta, again.moves) == ((), ())


def test_a_new_request_replaces_the_old_one() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    old = request(agent).ref
    outcome = agent.focus("profile the export", request="now the import")
    assert [m.cause for m in outcome.moves if m.ref == old] == [Cause.NEW_REQUEST]
    assert ASKED not in outcome.block.text
    assert words(agent) == [request(agent).ref] != [old]
    assert {d.ref: d.change for d in outcome.delta}[old] is Change.REMOVED


def test_a_request_that_was_replaced_leaves_no_ghost() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    agent.focus("profile the export", request="now the import")
    assert not [ghost for ghost in agent.state.ghosts if ghost.ref.startswith("request:")]


def test_a_closed_request_leaves_and_says_what_it_was() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    old = request(agent).ref
    outcome = agent.close()
    assert outcome.request == ASKED
    assert [(m.ref, m.origin, m.target, m.cause) for m in outcome.moves] == [
        (old, Tier.MANDATORY, Tier.EVICTED, Cause.CLOSED)
    ]
    assert ASKED not in agent.focus("profile the export").block.text


def test_a_closed_request_may_be_asked_again() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    agent.close()
    agent.focus("profile the export", request=ASKED)
    assert request(agent).tier is Tier.MANDATORY


def test_closing_without_a_request_is_refused() -> None:
    agent = shop()
    agent.focus("profile the export")
    with pytest.raises(NoRequest, match="no open request"):
        agent.close()


def test_a_request_in_the_words_of_the_goal_stands_in_the_block_once() -> None:
    agent = shop()
    block = agent.focus(ASKED, request=ASKED).block
    assert block.text.count(ASKED) == 1
    assert agent.state.request is not None
    assert words(agent) == []


def test_a_request_in_the_words_of_the_goal_is_there_again_with_the_next_goal() -> None:
    agent = shop()
    agent.focus(ASKED, request=ASKED)
    assert f"# Request\n{ASKED}\n" in agent.focus("profile the export").block.text


def test_a_goal_that_comes_to_say_the_same_takes_the_request_out_of_the_block() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    outcome = agent.focus(ASKED)
    assert outcome.block.text.count(ASKED) == 1
    assert [(m.cause, m.detail) for m in outcome.moves if m.ref.startswith("request:")] == [
        (Cause.NEW_GOAL, "the goal says the same")
    ]
    assert agent.state.request is not None


def test_a_request_that_says_what_the_goal_says_can_be_closed() -> None:
    agent = shop()
    agent.focus(ASKED, request=ASKED)
    assert agent.close().moves == ()
    assert agent.state.request is None


def test_over_budget_names_the_request_and_its_size() -> None:
    agent = shop()
    agent.focus("profile the export")
    outcome = agent.focus("profile the export", request="word " * 3_000)
    assert outcome.over_budget is not None
    worst = outcome.over_budget.offenders[0]
    assert (worst.title, worst.tier) == ("request", Tier.MANDATORY)
    assert worst.tokens > 3_000
    held = agent.state.request
    assert held is not None
    assert held.text.startswith("word word")
    assert agent.state.entry(held.ref) is None


def test_a_request_that_did_not_fit_replaces_the_older_one_and_is_there_once_there_is_room() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    newer = "word " * 60
    outcome = agent.focus("profile the export", request=newer, budget=30)
    assert outcome.over_budget is not None
    assert [(move.origin, move.cause) for move in outcome.moves] == [(Tier.MANDATORY, Cause.NEW_REQUEST)]
    block = agent.focus("profile the export").block.text
    assert newer in block
    assert ASKED not in block


def test_pressure_never_takes_the_request() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    for budget in (1_000, 300, 100, 60):
        assert ASKED in agent.focus(f"a goal within {budget}", budget=budget).block.text


def test_the_request_can_be_neither_unpinned_nor_evicted() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    with pytest.raises(PinRefused, match="CloseRequest"):
        unpin(agent.state, request(agent).ref, SETTINGS)
    with pytest.raises(PinnedEntry):
        evict(agent.state, [request(agent).ref], SETTINGS)


def test_a_pinned_text_in_the_words_of_the_request_is_an_entry_of_its_own() -> None:
    agent = shop()
    agent.pin(text=ASKED)
    block = agent.focus("profile the export", request=ASKED).block
    assert block.text.count(f"\n{ASKED}\n") == 2
    agent.close()
    assert agent.state.pin(note_ref(ASKED)) is not None


def test_a_request_survives_an_epoch_and_is_delivered_anew() -> None:
    agent = shop()
    agent.focus("profile the export", request=ASKED)
    agent.reset()
    outcome = agent.focus("profile the export")
    assert {d.ref: d.change for d in outcome.delta}[request(agent).ref] is Change.NEW


def test_touching_a_full_set_does_not_take_the_request() -> None:
    agent = shop(budget=600)
    agent.focus("profile the export", request=ASKED)
    agent.touch(*range(8))
    assert request(agent).tier is Tier.MANDATORY
    assert agent.tier(7) is Tier.RESIDENT
    assert ref(0) not in {entry.ref for entry in agent.state.entries if entry.has_text}
