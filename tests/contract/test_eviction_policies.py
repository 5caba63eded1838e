"""What every eviction policy must do, whatever it orders by; what each orders by; and what the bounds bound."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.demand_paging import Reference, replay
from tests.core_scenes import record, ref
from workingset.entry import Entry
from workingset.eviction.bounds import Belady, Unbounded
from workingset.eviction.pages import page_of
from workingset.eviction.policy import EvictionPolicy, Memory, Page, Victims
from workingset.eviction.registry import POLICIES, policy_of
from workingset.settings import EvictionSettings, HeatSettings
from workingset.tier import Tier
from workingset.transitions.records import entry_of
from workingset.vocabulary import Fidelity, Ref, Relevance, Tokens, Turn

SETTINGS = EvictionSettings(wtinylfu_sample_uses=60)
FUTURE = [[ref(place * 7 % 13)] for place in range(60)]
DEFAULT = settings(max_examples=20, deadline=None)
EVICTION = EvictionSettings()
CAPACITY = Tokens(500)
Make = Callable[[], EvictionPolicy]
ONLINE: dict[str, Make] = {name: partial(make, SETTINGS) for name, make in POLICIES.items()}
every_online_policy = pytest.mark.parametrize("make", list(ONLINE.values()), ids=list(ONLINE))
every_policy = pytest.mark.parametrize("make", [*ONLINE.values(), partial(Belady, FUTURE)], ids=[*ONLINE, Belady.name])

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
        wide_share=st.sampled_from((0.0, 0.5)),
    ),
    max_size=30,
    unique_by=lambda page: page.ref,
)


@dataclass(frozen=True)
class Step:
    """What happens: pages are used together, some leave for another reason, and some that are there may not go."""

    used: tuple[int, ...]
    leave: tuple[int, ...]
    kept: tuple[int, ...]


names = st.lists(st.integers(0, 25), max_size=6, unique=True).map(tuple)
lives = st.lists(st.builds(Step, used=names, leave=names, kept=names), max_size=15)


@dataclass
class Life:
    """A set of pages with a policy: what is there, and what the policy remembers; checked at every step."""

    policy: EvictionPolicy
    capacity: Tokens = CAPACITY
    memory: Memory = field(default_factory=Memory)
    there: dict[Ref, Page] = field(default_factory=dict)
    asked: Victims = field(default_factory=lambda: Victims((), Memory()))

    def live(self, steps: Sequence[Step]) -> Life:
        for step in steps:
            self.step(step)
        return self

    def step(self, step: Step) -> None:
        self.there = {one: replace(page, age_references=page.age_references + 1) for one, page in self.there.items()}
        for name in step.leave:
            self.there.pop(ref(name), None)
        for name in step.used:
            self.use(ref(name), Tokens(name * 9))
        self.make_room(frozenset(map(ref, step.kept)) & frozenset(self.there))

    def use(self, one: Ref, tokens: Tokens) -> None:
        before = self.there.get(one)
        uses = before.uses + 1 if before else 1
        self.there[one] = Page(one, tokens, 0, uses, tokens, Relevance(0.5), False)
        told = self.policy.touch if before else self.policy.admit
        self.memory = told(self.memory, self.there[one], self.capacity)

    def make_room(self, kept: frozenset[Ref] = frozenset()) -> None:
        needed = Tokens(sum(page.tokens for page in self.there.values()) - self.capacity)
        self.asked = self.policy.victims(self.memory, self.may_go(kept), needed, self.capacity, kept)
        check(self.asked, self.may_go(kept), needed)
        self.memory = self.asked.memory
        for one in self.asked.refs:
            del self.there[one]

    def may_go(self, kept: frozenset[Ref] = frozenset()) -> list[Page]:
        return [page for one, page in self.there.items() if one not in kept]


def check(victims: Victims, may_go: Sequence[Page], needed: int) -> None:
    """Only what may go, each once; enough or all of it; and not one more than it takes."""
    sizes = {page.ref: page.tokens for page in may_go}
    assert len(set(victims.refs)) == len(victims.refs)
    assert set(victims.refs) <= set(sizes)
    freed = sum(sizes[one] for one in victims.refs)
    assert freed >= needed or len(victims.refs) == len(may_go)
    if victims.refs:
        assert freed - sizes[victims.refs[-1]] < needed


def in_queues(memory: Memory, *but: str) -> set[Ref]:
    return {one.ref for name, queue in memory.queues if name not in but for one in queue}


@every_policy
@DEFAULT
@given(given_pages=pages, needed=st.integers(-10, 5_000))
def test_pages_it_was_never_told_of_are_named_all_the_same(make: Make, given_pages: list[Page], needed: int) -> None:
    check(make().victims(Memory(), given_pages, Tokens(needed), CAPACITY, frozenset()), given_pages, needed)


@every_policy
@DEFAULT
@given(steps=lives)
def test_a_life_frees_enough_and_no_more_and_names_only_what_is_there_and_may_go(make: Make, steps: list[Step]) -> None:
    Life(make()).live(steps)


@every_policy
@DEFAULT
@given(steps=lives, chance=st.randoms(use_true_random=False))
def test_the_order_in_which_pages_are_given_does_not_count(
    make: Make, steps: list[Step], chance: random.Random
) -> None:
    life, policy = Life(make()).live(steps), make()
    shuffled = life.may_go()
    chance.shuffle(shuffled)
    assert policy.victims(life.memory, shuffled, Tokens(300), CAPACITY, frozenset()) == policy.victims(
        life.memory, life.may_go(), Tokens(300), CAPACITY, frozenset()
    )


@every_policy
@DEFAULT
@given(steps=lives)
def test_a_policy_is_pure(make: Make, steps: list[Step]) -> None:
    policy = make()
    life = Life(policy).live(steps)
    memory, may_go = deepcopy(life.memory), deepcopy(life.may_go())
    newcomer = Page(ref("new"), Tokens(70), 0, 1, Tokens(70), Relevance(0.1), False)

    def answers() -> tuple[object, ...]:
        return (
            policy.admit(life.memory, newcomer, CAPACITY),
            *(policy.touch(life.memory, page, CAPACITY) for page in life.may_go()),
            policy.victims(life.memory, life.may_go(), Tokens(250), CAPACITY, frozenset()),
        )

    first = answers()
    Life(policy).live(steps[::2])
    assert answers() == first
    assert (life.memory, life.may_go()) == (memory, may_go)


@every_policy
@DEFAULT
@given(steps=lives, more=lives)
def test_what_it_remembers_survives_being_stored(make: Make, steps: list[Step], more: list[Step]) -> None:
    life = Life(make()).live(steps)
    for codec in (msgspec.msgpack, msgspec.json):
        stored = codec.encode(life.memory)
        back = codec.decode(stored, type=Memory)
        assert back == life.memory
        assert codec.encode(back) == stored
        again = Life(make(), memory=back, there=dict(life.there)).live(more)
        assert again.memory == Life(make(), memory=life.memory, there=dict(life.there)).live(more).memory


@every_policy
def test_equal_memories_have_equal_bytes_however_they_came_about(make: Make) -> None:
    same = [Step((1, 2), (), ()), Step((3,), (), ()), Step((1,), (), ())]
    one, other = Life(make()).live(same), Life(make()).live([replace(step, kept=(1, 2, 3)) for step in same])
    assert msgspec.json.encode(one.memory) == msgspec.json.encode(other.memory)


@every_policy
@pytest.mark.parametrize("makes_room", [True, False])
def test_memory_is_bounded_over_a_long_life_with_and_without_room_being_made(make: Make, makes_room: bool) -> None:
    chance, life = random.Random(5), Life(make())
    for _ in range(700):
        life.use(ref(int(chance.paretovariate(0.5)) % 300), Tokens(chance.choice((0, 1, 3, 90))))
        if makes_room:
            life.make_room()
        elif chance.random() < 0.9:
            life.there.pop(chance.choice(list(life.there)))
    queues = dict(life.memory.queues)
    assert len(queues.pop("counts", ())) <= SETTINGS.wtinylfu_sample_uses
    # As much as can be present, a margin for what left unnoticed, and as much again of what went.
    assert sum(one.tokens for queue in queues.values() for one in queue) <= 4 * CAPACITY
    assert all(one.tokens >= 1 for queue in queues.values() for one in queue)
    stored = msgspec.json.encode(life.memory)
    assert msgspec.json.encode(msgspec.json.decode(stored, type=Memory)) == stored


@every_policy
def test_pages_that_left_for_another_reason_are_forgotten(make: Make) -> None:
    policy, memory = make(), Memory()
    stays, kept, left = (Page(ref(name), Tokens(9), 1, 1, Tokens(9), Relevance(0), False) for name in "abc")
    for page in (stays, kept, left, left):
        memory = policy.admit(memory, page, CAPACITY)
    after = policy.victims(memory, [stays], Tokens(0), CAPACITY, frozenset({kept.ref}))
    assert after.refs == ()
    # Counts are of what was used lately, present or not; they age.
    assert in_queues(after.memory, "counts") <= {stays.ref, kept.ref}


@every_policy
def test_the_memory_of_another_policy_does_not_disturb(make: Make) -> None:
    for other in ONLINE.values():
        life = Life(other()).live([Step((9, 12, 20, 25), (), ()), Step((9, 24, 23), (), ())])
        check(make().victims(life.memory, life.may_go(), Tokens(200), CAPACITY, frozenset()), life.may_go(), 200)


@every_policy
def test_equal_pages_go_by_ref(make: Make) -> None:
    equal = [Page(ref(name), Tokens(9), 3, 1, Tokens(9), Relevance(0.5), False) for name in ("q", "r", "p")]
    victims = make().victims(Memory(), equal, Tokens(27), CAPACITY, frozenset())
    assert victims.refs == (ref("p"), ref("q"), ref("r"))


@every_online_policy
def test_of_two_pages_that_differ_in_age_alone_the_older_goes_first(make: Make) -> None:
    old = Page(ref("z"), Tokens(9), 30, 1, Tokens(9), Relevance(0.5), False)
    both = [replace(old, ref=ref("a"), age_references=2), old]
    assert make().victims(Memory(), both, Tokens(1), CAPACITY, frozenset()).refs == (old.ref,)


@pytest.mark.parametrize("name", list(POLICIES))
def test_the_registry_makes_each_policy_by_its_name(name: str) -> None:
    assert policy_of(EvictionSettings(policy=name)).name == name


def test_an_unknown_policy_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(KeyError, match="arc, gdsf, hit_density, lfu, lru, s3fifo, wtinylfu"):
        policy_of(EvictionSettings(policy="mru"))
    assert EvictionSettings().policy in POLICIES
    assert not {Belady.name, Unbounded.name} & set(POLICIES)


def test_hit_density_evicts_wide_groups_and_edited_pages_first_and_keeps_what_is_used_or_relevant() -> None:
    base = Page(ref("base"), Tokens(100), 5, 2, Tokens(100), Relevance(0.5), False, uses_ever=2)
    worse = [
        replace(base, ref=ref("wide"), group_tokens=Tokens(3_000)),
        replace(base, ref=ref("edited"), last_use_was_edit=True),
        replace(base, ref=ref("unused"), uses_ever=0),
        replace(base, ref=ref("irrelevant"), relevance=Relevance(0.0)),
    ]
    policy = policy_of(EvictionSettings(policy="hit_density"))
    for page in worse:
        assert policy.victims(Memory(), [base, page], Tokens(1), CAPACITY, frozenset()).refs == (page.ref,)
    same_but_long = replace(base, ref=ref("a long page"), tokens=Tokens(2_000))
    # Equal scores, so the ref decides: a page's own size does not count.
    assert (
        policy.victims(Memory(), [base, same_but_long], Tokens(1), CAPACITY, frozenset()).refs[0] == same_but_long.ref
    )


def test_hit_density_is_least_recently_used_where_all_use_is_of_whole_files() -> None:
    young = Page(ref("young"), Tokens(9), 1, 1, Tokens(4_000), Relevance(0), True, wide_share=1.0)
    old = Page(ref("old"), Tokens(9), 2, 9, Tokens(9), Relevance(1), False, wide_share=1.0)
    policy = policy_of(EvictionSettings(policy="hit_density"))
    assert policy.victims(Memory(), [young, old], Tokens(1), CAPACITY, frozenset()).refs == (old.ref,)


SCAN = [*[name for _ in range(4) for name in ("x", "y", "z")], *(f"scan {place}" for place in range(40)), "x", "y", "z"]


@pytest.mark.parametrize(("name", "survive"), [("lru", 0), ("arc", 3), ("s3fifo", 3), ("wtinylfu", 3), ("lfu", 3)])
def test_pages_in_use_survive_a_scan_where_the_policy_resists_scans(name: str, survive: int) -> None:
    told = EvictionSettings(policy=name, wtinylfu_window_share=0.2)
    references = [Reference(((ref(one), 1),)) for one in SCAN]
    outcome = replay(policy_of(told), references, {ref(one): Tokens(10) for one in SCAN}, Tokens(100))
    assert sum(outcome.hits[-3:]) == survive


def test_gdsf_prefers_small_pages_and_ages_what_was_used_often() -> None:
    big, small = "big", "small"
    sizes = {ref(big): Tokens(60), ref(small): Tokens(10), **{ref(place): Tokens(40) for place in range(60)}}
    policy = policy_of(EvictionSettings(policy="gdsf"))
    first = [Reference(((ref(one), 1),)) for one in (big, small, 0)]
    assert replay(policy, [*first, first[1]], sizes, Tokens(100)).hits[-1]
    assert not replay(policy, [*first, first[0]], sizes, Tokens(100)).hits[-1]
    flood = [Reference(((ref(place % 60), 1),)) for place in range(600)]
    assert not replay(policy, [*first, *[first[1]] * 5, *flood, first[1]], sizes, Tokens(100)).hits[-1]


strings = st.lists(st.integers(0, 9), min_size=1, max_size=80)


@every_online_policy
@DEFAULT
@given(string=strings, capacity=st.integers(1, 8), force=st.booleans())
def test_belady_is_never_worse_with_pages_of_one_size(
    make: Make, string: list[int], capacity: int, force: bool
) -> None:
    references = [Reference(((ref(one), 1),)) for one in string]
    sizes = {ref(one): Tokens(1) for one in string}
    best = replay(Belady([[ref(one)] for one in string]), references, sizes, Tokens(capacity), force=force)
    online = replay(make(), references, sizes, Tokens(capacity), force=force)
    assert sum(best.hits) >= sum(online.hits)


def test_belady_evicts_what_is_used_farthest_ahead_and_of_equals_the_larger() -> None:
    soon, late, never, large = (
        Page(ref(name), Tokens(size), 0, 1, Tokens(9), Relevance(0), False)
        for name, size in (("soon", 9), ("late", 9), ("never", 9), ("large", 10))
    )
    policy = Belady([[soon.ref, late.ref, never.ref, large.ref], [soon.ref], [late.ref]])
    memory = Memory()
    for page in (soon, late, never, large):
        memory = policy.admit(memory, page, CAPACITY)
    order = policy.victims(memory, [soon, late, never, large], Tokens(99), CAPACITY, frozenset()).refs
    assert order == (large.ref, never.ref, late.ref, soon.ref)


@DEFAULT
@given(given_pages=pages)
def test_unbounded_evicts_nothing(given_pages: list[Page]) -> None:
    policy = Unbounded()
    for page in given_pages:
        assert policy.touch(policy.admit(Memory(), page, CAPACITY), page, CAPACITY) == Memory()
    assert policy.victims(Memory(), given_pages, Tokens(10**6), CAPACITY, frozenset()) == Victims((), Memory())


def entry(kind: str = "code", **fields: int) -> Entry:
    made = entry_of(record("a", 0.5), Tier.RESIDENT, Fidelity.FULL, Turn(3), 0)
    return replace(made, kind=kind, tokens=Tokens(40), **fields)  # type: ignore[arg-type]


def test_a_page_ages_by_references_and_an_unused_one_by_turns_as_well() -> None:
    heat = HeatSettings()
    assert page_of(entry(touched_at=10, uses=1, group_tokens=90), 17, Turn(9), heat, EVICTION, 0.25) == Page(
        ref("a"), Tokens(40), 7, 1, Tokens(90), Relevance(0.5), False, 0.25, uses_ever=1
    )
    assert page_of(entry(uses=1, uses_before=4, order=3), 17, Turn(9), heat, EVICTION).uses_ever == 5
    unused = page_of(entry(touched_at=10), 17, Turn(9), heat, EVICTION)
    assert unused.age_references == 7 + 6
    assert unused.group_tokens == EVICTION.unused_group_tokens


def test_kinds_that_cool_slowly_age_slowly() -> None:
    heat = HeatSettings(half_life_turns=6.0, slow_half_life_turns=24.0, slow_kinds=("ruled_out",))
    assert page_of(entry("ruled_out", touched_at=1, uses=1), 41, Turn(9), heat, EVICTION).age_references == 10


def test_of_pages_nearly_as_little_worth_the_one_latest_in_the_block_goes() -> None:
    base = Page(ref("first"), Tokens(100), 5, 1, Tokens(100), Relevance(0.5), False, uses_ever=1, order=1)
    late = replace(base, ref=ref("late"), relevance=Relevance(0.6), order=7)
    kept = replace(base, ref=ref("kept"), relevance=Relevance(0.99), order=9)
    policy = policy_of(EvictionSettings(policy="hit_density", late_margin=0.5, relevance_weight=1.2))
    given_pages = [base, late, kept]
    assert policy.victims(Memory(), given_pages, Tokens(150), CAPACITY, frozenset()).refs == (late.ref, base.ref)
    whole_files = [replace(page, wide_share=1.0) for page in given_pages]
    assert policy.victims(Memory(), whole_files, Tokens(1), CAPACITY, frozenset()).refs == (kept.ref,)
