"""The budget is a ceiling on the rendered block by the exact counter, whatever the text and whatever the counter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import quicktok
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core_scenes import NS, SETTINGS, Corpus, record
from workingset.entry import PinOwner
from workingset.settings import WorkingSetSettings
from workingset.transitions.focus import FocusOrder, focus
from workingset.transitions.pins import PinOrder, pin
from workingset.vocabulary import AgentId, Ref, Tokens
from workingset.working_set import WorkingSet

EXACT = quicktok.get_encoding("o200k_base").count
CODE = "abcdefgh_(){}[]<>=+-*/%:;,.'\"\\\n\t 0123456789#~`"
CJK = "返金処理は冪等退款必须幂等환불은멱등해야한다、。「」\n"
EMOJI = "🧾💳❌🔁👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪\u200d\ufe0f \n"
texts = st.one_of(
    st.text(CODE, max_size=300),
    st.text("abcdefghijklmnopqrstuvwxyz ,.\n", max_size=300),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(CODE, max_size=8)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(st.text(CODE, max_size=6), inner, max_size=4)
        ),
        max_leaves=12,
    ).map(repr),
    st.text(CJK, max_size=200),
    st.text(EMOJI, max_size=80),
    st.text(max_size=80),
)


def superadditive(text: str) -> int:
    """A tokenizer that finds more in a whole than in its pieces together."""
    return (len(text) + 3) // 4 + len(text) * len(text) // 20_000


def subadditive(text: str) -> int:
    """A tokenizer that finds less in a whole than in its pieces together."""
    return int(len(text) ** 0.8) + 3 if text else 0


counters = st.sampled_from((EXACT, superadditive, subadditive, len))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(texts, st.sampled_from((0.0, 0.1, 0.4, 0.6, 0.9, 1.0))), max_size=25),
    texts,
    texts,
    st.lists(st.integers(1, 3_000), min_size=1, max_size=4),
    counters,
)
def test_no_block_is_longer_than_its_budget(
    made: list[tuple[str, float]], goal: str, rule: str, budgets: list[int], count: Callable[[str], int]
) -> None:
    records = [
        record(i, relevance, text=text, title=text[:40], requires=[i + 1] if i % 4 == 0 else [])
        for i, (text, relevance) in enumerate(made)
    ]
    corpus = Corpus.of(*records)
    state = WorkingSet(AgentId("dev"))
    order = PinOrder(Ref("agent.dev:rule"), PinOwner.HOST, "rule", 0, rule or "rule")
    taken = pin(state, order, (), Tokens(budgets[0]), SETTINGS, count)
    assert (taken.over_budget is None) is (taken.tokens <= budgets[0])
    state = taken.state
    for budget in budgets:
        known = [entry.ref for entry in state.entries if entry.namespace == NS]
        outcome = focus(
            state, corpus.projection(goal, None, known), FocusOrder(Tokens(budget), 20), frontier(budget), count
        )
        assert outcome.state.check() == []
        assert outcome.block.tokens == count(outcome.block.text)
        if outcome.over_budget is None:
            assert count(outcome.block.text) <= budget
            assert (rule or "rule") in outcome.block.text or taken.over_budget is not None
        else:
            assert outcome.block.text == ""
            assert outcome.over_budget.needed > budget
        state = outcome.state


def frontier(budget: int) -> WorkingSetSettings:
    """Settings with as many lines as the budget says, so that lines alone can overflow."""
    return replace(SETTINGS, packing=replace(SETTINGS.packing, frontier_lines=budget % 40))
