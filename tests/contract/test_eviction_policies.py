"""What every eviction policy in the registry must do, whatever it orders by."""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core_scenes import record, ref
from workingset.entry import Entry
from workingset.eviction.pages import page_of
from workingset.eviction.policy import EvictionPolicy, Page, victims
from workingset.eviction.registry import POLICIES, policy_named
from workingset.settings import EvictionSettings
from workingset.tier import Tier
from workingset.transitions.records import entry_of
from workingset.vocabulary import Fidelity, Relevance, Tokens, Turn

SETTINGS = EvictionSettings()
DEFAULT = settings(max_examples=80, deadline=None)
pages = st.lists(
    st.builds(
        Page,
        ref=st.integers(0, 10_000).map(ref),
        tokens=st.integers(0, 2_000).map(Tokens),
        age_references=st.integers(0, 50),
        uses=st.integers(0, 5),
        group_tokens=st.integers(0, 4_000).map(Tokens),
        relevance=st.sampled_from((0.0, 0.2, 0.9)).map(Relevance),
        last_use_was_edit=st.booleans(),
    ),
    max_size=30,
    unique_by=lambda page: page.ref,
)
every_policy = pytest.mark.parametrize("policy", list(POLICIES.values()), ids=list(POLICIES))


@every_policy
@DEFAULT
@given(given_pages=pages)
def test_the_order_is_a_permutation(policy: EvictionPolicy, given_pages: list[Page]) -> None:
    order = policy.order(given_pages, SETTINGS)
    assert sorted(page.ref for page in order) == sorted(page.ref for page in given_pages)
    assert all(page in given_pages for page in order)


@every_policy
@DEFAULT
@given(given_pages=pages, chance=st.randoms(use_true_random=False))
def test_the_order_is_total_and_independent_of_the_input_order(
    policy: EvictionPolicy, given_pages: list[Page], chance: random.Random
) -> None:
    shuffled = list(given_pages)
    chance.shuffle(shuffled)
    assert policy.order(shuffled, SETTINGS) == policy.order(given_pages, SETTINGS)


@every_policy
@DEFAULT
@given(given_pages=pages)
def test_leaving_pages_out_does_not_turn_the_others_round(policy: EvictionPolicy, given_pages: list[Page]) -> None:
    half = given_pages[::2]
    kept = {page.ref for page in half}
    assert [p for p in policy.order(given_pages, SETTINGS) if p.ref in kept] == policy.order(half, SETTINGS)


@every_policy
@DEFAULT
@given(given_pages=pages)
def test_a_policy_is_pure(policy: EvictionPolicy, given_pages: list[Page]) -> None:
    before = deepcopy(given_pages)
    first = policy.order(given_pages, SETTINGS)
    policy.order(list(reversed(given_pages)), replace(SETTINGS, age_weight=9.0))
    assert given_pages == before
    assert policy.order(given_pages, SETTINGS) == first


@every_policy
def test_equal_pages_go_by_ref(policy: EvictionPolicy) -> None:
    equal = [Page(ref(name), Tokens(9), 3, 1, Tokens(9), Relevance(0.5), False) for name in "cab"]
    assert [page.ref for page in policy.order(equal, SETTINGS)] == [ref(name) for name in "abc"]


@every_policy
def test_of_two_pages_that_differ_in_age_alone_the_older_goes_first(policy: EvictionPolicy) -> None:
    old = Page(ref("z"), Tokens(9), 30, 1, Tokens(9), Relevance(0.5), False)
    assert policy.order([replace(old, ref=ref("a"), age_references=2), old], SETTINGS)[0] is old


@every_policy
@DEFAULT
@given(given_pages=pages, needed=st.integers(0, 5_000))
def test_victims_are_the_first_that_free_enough(policy: EvictionPolicy, given_pages: list[Page], needed: int) -> None:
    chosen = victims(policy, given_pages, Tokens(needed), SETTINGS)
    order = policy.order(given_pages, SETTINGS)
    assert chosen == [page.ref for page in order[: len(chosen)]]
    freed = sum(page.tokens for page in order[: len(chosen)])
    assert freed >= needed or len(chosen) == len(given_pages)
    if chosen:
        assert freed - order[len(chosen) - 1].tokens < needed


@every_policy
def test_the_registry_knows_each_policy_by_its_name(policy: EvictionPolicy) -> None:
    assert policy_named(policy.name) is policy


def test_an_unknown_policy_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(KeyError, match="hit_density, lru"):
        policy_named("mru")
    assert SETTINGS.policy in POLICIES


def test_hit_density_evicts_wide_groups_and_edited_pages_first_and_keeps_what_is_used_or_relevant() -> None:
    base = Page(ref("base"), Tokens(100), 5, 2, Tokens(100), Relevance(0.5), False)
    worse = [
        replace(base, ref=ref("wide"), group_tokens=Tokens(3_000)),
        replace(base, ref=ref("edited"), last_use_was_edit=True),
        replace(base, ref=ref("unused"), uses=0),
        replace(base, ref=ref("irrelevant"), relevance=Relevance(0.0)),
    ]
    policy = policy_named("hit_density")
    for page in worse:
        assert [p.ref for p in policy.order([base, page], SETTINGS)] == [page.ref, base.ref]
    same_but_long = replace(base, ref=ref("a long page"), tokens=Tokens(2_000))
    # Equal scores, so the ref decides: a page's own size does not count.
    assert policy.order([base, same_but_long], SETTINGS)[0] is same_but_long


def entry(**fields: int) -> Entry:
    made = entry_of(record("a", 0.5), Tier.RESIDENT, Fidelity.FULL, Turn(3), 0)
    return replace(made, tokens=Tokens(40), **fields)  # type: ignore[arg-type]


def test_a_page_ages_by_references_and_an_unused_one_by_turns_as_well() -> None:
    assert page_of(entry(touched_at=10, uses=1, group_tokens=90), 17, Turn(9)) == Page(
        ref("a"), Tokens(40), 7, 1, Tokens(90), Relevance(0.5), False
    )
    unused = page_of(entry(touched_at=10), 17, Turn(9))
    assert unused.age_references == 7 + 6
    assert unused.group_tokens == 40
