"""The demand-paging replay: what counts as a hit, what is delivered, what a policy is shown, who may be evicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from benchmarks.demand_paging import Reference, Replay, replay
from workingset.eviction.bounds import Belady, Unbounded
from workingset.eviction.lru import LeastRecentlyUsed
from workingset.eviction.policy import EvictionPolicy, Memory, Page, Victims, lowest_to_free
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Relevance, Tokens

A, B, C, D = (Ref(f"r:{name}") for name in "abcd")
SIZES = {A: Tokens(10), B: Tokens(20), C: Tokens(30), D: Tokens(100)}


@dataclass
class Watched:
    """Evicts by ref, and keeps all that it is told."""

    forces_admission: bool = False
    name: str = "watched"
    told: list[tuple[str, Page]] = field(default_factory=list)
    asked: list[tuple[tuple[Page, ...], Tokens, frozenset[Ref]]] = field(default_factory=list)

    def admit(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        self.told.append(("admit", page))
        return memory

    def touch(self, memory: Memory, page: Page, capacity: Tokens) -> Memory:
        self.told.append(("touch", page))
        return memory

    def victims(
        self, memory: Memory, pages: Sequence[Page], needed: Tokens, capacity: Tokens, kept: frozenset[Ref]
    ) -> Victims:
        self.asked.append((tuple(pages), needed, kept))
        return Victims(lowest_to_free(pages, lambda _: 0.0, needed), memory)


def reads(*groups: Sequence[Ref]) -> list[Reference]:
    return [Reference(tuple((ref, 10) for ref in group)) for group in groups]


def run(policy: EvictionPolicy, references: Sequence[Reference], capacity: int, force: bool | None = None) -> Replay:
    return replay(policy, references, SIZES, Tokens(capacity), force=force)


def lru() -> LeastRecentlyUsed:
    return LeastRecentlyUsed(EvictionSettings())


def test_the_first_use_is_a_fault_and_the_second_a_hit_and_each_page_is_delivered_once() -> None:
    outcome = run(lru(), reads([A, B], [A], [A, B]), 100)
    assert outcome == Replay((False, True, True), 30, (30, 30, 30), 0)


def test_nine_tenths_of_the_lines_are_a_hit_and_the_rest_is_delivered_all_the_same() -> None:
    warm = Reference(((A, 1),))
    outcome = run(lru(), [warm, Reference(((A, 99), (B, 11)))], 100)
    assert outcome.hits == (False, True)
    assert outcome.delivered_tokens == 30
    assert run(lru(), [warm, Reference(((A, 98), (B, 12)))], 100).hits == (False, False)
    strict = replay(lru(), [warm, Reference(((A, 99), (B, 11)))], SIZES, Tokens(100), hit_share=1.0)
    assert strict.hits == (False, False)


def test_a_page_that_was_evicted_is_delivered_again() -> None:
    outcome = run(lru(), reads([C], [B], [A], [C]), 50)
    assert outcome == Replay((False, False, False, False), 90, (30, 50, 30, 40), 2)


def test_what_was_just_used_may_not_go_where_forced_unless_it_is_larger_than_the_room() -> None:
    watched = Watched()
    run(watched, reads([B], [A, C]), 45, force=True)
    pages, needed, kept = watched.asked[0]
    assert ([page.ref for page in pages], needed, kept) == ([B], Tokens(15), frozenset({A, C}))
    too_large = Watched()
    run(too_large, reads([B], [A, C]), 35, force=True)
    pages, needed, kept = too_large.asked[0]
    assert ([page.ref for page in pages], needed, kept) == ([B, A, C], Tokens(25), frozenset[Ref]())


@pytest.mark.parametrize("forces", [True, False])
def test_by_default_the_policy_says_whether_what_was_just_used_may_go(forces: bool) -> None:
    watched = Watched(forces_admission=forces)
    run(watched, reads([B], [A, C]), 45)
    assert watched.asked[0][2] == (frozenset({A, C}) if forces else frozenset())


def test_a_policy_is_shown_age_uses_group_last_use_and_the_share_of_wide_references() -> None:
    watched = Watched()
    references = [
        Reference(((A, 5), (B, 5)), wide=True),
        Reference(((A, 5),), edit=True, turn=1),
        Reference(((D, 5),), turn=2),
    ]
    replay(watched, references, SIZES, Tokens(60), relevance=lambda turn, ref: turn / 2 if ref == A else 0.0)
    assert [(told, page.ref, page.uses, page.age_references) for told, page in watched.told] == [
        ("admit", A, 1, 0),
        ("admit", B, 1, 0),
        ("touch", A, 2, 0),
        ("admit", D, 1, 0),
    ]
    shown = {page.ref: page for page in watched.asked[0][0]}
    assert shown[A] == Page(A, Tokens(10), 1, 2, Tokens(10), Relevance(1.0), True, 1 / 7, uses_ever=2, order=0)
    assert shown[B] == Page(B, Tokens(20), 2, 1, Tokens(30), Relevance(0.0), False, 1 / 7, uses_ever=1, order=1)
    assert shown[D].group_tokens == 100


def test_uses_start_again_with_a_page_that_comes_back() -> None:
    watched = Watched()
    run(watched, reads([A], [A], [D], [A]), 100)
    assert [(told, page.uses) for told, page in watched.told if page.ref == A] == [
        ("admit", 1),
        ("touch", 2),
        ("admit", 1),
    ]


def test_belady_knows_the_reference_it_is_at_and_unbounded_never_evicts() -> None:
    references = reads([A], [B], [C], [A, B], [C], [B])
    pages = [[ref for ref, _ in reference.pages] for reference in references]
    outcome = run(Belady(pages), references, 50)
    assert outcome.hits == (False, False, False, False, False, True)
    assert outcome.evictions == 3
    unbounded = run(Unbounded(), references, 45)
    assert unbounded.hits == (False, False, False, True, True, True)
    assert unbounded.evictions == 0
    assert max(unbounded.resident_tokens) == 60


@pytest.mark.parametrize("pages", [(), ((A, 1), (A, 1)), ((A, 0),)])
def test_a_reference_of_nothing_of_a_page_twice_or_of_no_lines_is_refused(pages: tuple[tuple[Ref, int], ...]) -> None:
    with pytest.raises(ValueError, match="name at least one, each once and with at least one line"):
        Reference(pages)


def test_no_room_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="give at least 1 token"):
        run(lru(), reads([A]), 0)
