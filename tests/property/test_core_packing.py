"""Packing: within its room, near the relaxation's bound, closed over needs, and blind to the order of its input."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core_scenes import ref
from workingset.choices import Choice, Unit, hull, relaxed_bound
from workingset.packing import Packed, pack
from workingset.vocabulary import Fidelity, Ref, Tokens

NONE: frozenset[Ref] = frozenset()
DEFAULT = settings(max_examples=150, deadline=None)


def choices(full: int, outline: int, gist: int, worth: float) -> tuple[Choice, ...]:
    return (
        Choice(Fidelity.FULL, Tokens(full), worth),
        Choice(Fidelity.OUTLINE, Tokens(outline), worth * 0.35),
        Choice(Fidelity.GIST, Tokens(gist), worth * 0.08),
    )


units = st.lists(
    st.builds(
        choices,
        st.integers(5, 400),
        st.integers(3, 80),
        st.integers(1, 40),
        st.one_of(st.just(0.0), st.floats(0.001, 1.5)),
    ),
    max_size=12,
).map(lambda made: [Unit(ref(i), c) for i, c in enumerate(made)])
needs = st.dictionaries(st.integers(0, 11), st.lists(st.integers(0, 15).map(ref), max_size=3, unique=True), max_size=8)
rooms = st.integers(-5, 1_500)


def with_needs(made: list[Unit], wanted: dict[int, list[Ref]]) -> list[Unit]:
    return [
        Unit(unit.ref, unit.choices, tuple(need for need in wanted.get(place, ()) if need != unit.ref))
        for place, unit in enumerate(made)
    ]


def sizes(made: list[Unit]) -> dict[Ref, Tokens]:
    """The size of every ref that can be needed: that of its full text, where it is a unit itself; 13 is unknown."""
    known = {ref(i): Tokens(20 + 7 * i) for i in range(16) if i != 13}
    return known | {unit.ref: unit.choices[0].tokens for unit in made}


def check(made: list[Unit], packed: Packed, needed: dict[Ref, Tokens], room: int, held: frozenset[Ref]) -> None:
    by_ref = {unit.ref: unit for unit in made}
    taken = {
        r: next(choice for choice in by_ref[r].choices if choice.fidelity is fidelity)
        for r, fidelity in packed.chosen.items()
    }
    assert not set(taken) & set(packed.needed)
    assert len(set(packed.needed)) == len(packed.needed)
    assert packed.tokens == sum(c.tokens for c in taken.values()) + sum(needed[r] for r in packed.needed)
    assert packed.tokens <= max(0, room)
    assert all(choice.worth > 0 for choice in taken.values())
    there = held | set(packed.needed)
    for r in taken:
        assert set(by_ref[r].needs) <= there
    assert not set(packed.needed) & held


@DEFAULT
@given(units, needs, rooms, st.sets(st.integers(0, 15).map(ref), max_size=2).map(frozenset))
def test_a_packing_fits_and_is_closed(
    made: list[Unit], wanted: dict[int, list[Ref]], room: int, held: frozenset[Ref]
) -> None:
    closed = with_needs(made, wanted)
    check(closed, pack(closed, sizes(made), Tokens(room), held), sizes(made), room, held)


@DEFAULT
@given(units, needs, rooms, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(
    made: list[Unit], wanted: dict[int, list[Ref]], room: int, chance: random.Random
) -> None:
    closed = with_needs(made, wanted)
    first = pack(closed, sizes(made), Tokens(room), NONE)
    shuffled = [Unit(u.ref, tuple(chance.sample(u.choices, len(u.choices))), u.needs) for u in closed]
    chance.shuffle(shuffled)
    names = list(sizes(made).items())
    chance.shuffle(names)
    again = pack(shuffled, dict(names), Tokens(room), NONE)
    assert dict(again.chosen) == dict(first.chosen)
    assert set(again.needed) == set(first.needed)
    assert (again.tokens, again.worth) == (first.tokens, first.worth)


@DEFAULT
@given(units, st.integers(1, 1_500))
def test_no_packing_beats_the_bound_and_more_room_raises_it(made: list[Unit], room: int) -> None:
    bound = relaxed_bound(made, Tokens(room))
    assert pack(made, {}, Tokens(room), NONE).worth <= bound + 1e-9
    assert relaxed_bound(made, Tokens(room + 50)) >= bound - 1e-9


@settings(max_examples=60, deadline=None)
@given(units.map(lambda made: made[:5]), st.integers(1, 800))
def test_the_bound_holds_for_the_best_packing_there_is(made: list[Unit], room: int) -> None:
    best = 0.0
    for combination in product(*((None, *unit.choices) for unit in made)):
        if sum(choice.tokens for choice in combination if choice) <= room:
            best = max(best, sum(choice.worth for choice in combination if choice))
    assert best <= relaxed_bound(made, Tokens(room)) + 1e-9


def realistic(seed: int, number: int) -> list[Unit]:
    """Units as a Focus makes them: declarations of a few to some hundred tokens, relevance falling by rank."""
    chance = random.Random(seed)
    made: list[Unit] = []
    for place in range(number):
        full = min(1_500, int(chance.lognormvariate(5.0, 0.9)) + 20)
        outline = min(full + 4, int(full * chance.uniform(0.1, 0.5)) + 15)
        worth = (0.97 * chance.uniform(0.9, 1.0) * 0.985**place) ** 2
        made.append(Unit(ref(f"{place:04}"), choices(full, outline, 18 + chance.randrange(15), worth)))
    return made


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(("number", "room"), [(60, 4_000), (120, 8_000), (400, 16_000)])
def test_a_packing_of_many_units_is_worth_98_percent_of_the_bound(seed: int, number: int, room: int) -> None:
    made = realistic(seed, number)
    packed = pack(made, {}, Tokens(room), NONE)
    assert packed.worth >= 0.98 * relaxed_bound(made, Tokens(room))


def test_it_goes_on_after_a_misfit_and_never_lets_the_first_overflow() -> None:
    made = [Unit(ref("huge"), choices(5_000, 4_000, 3_000, 1.0)), Unit(ref("small"), choices(50, 20, 10, 0.2))]
    packed = pack(made, {}, Tokens(100), NONE)
    assert packed.chosen == {ref("small"): Fidelity.FULL}


def test_the_hull_leaves_out_what_is_dominated() -> None:
    made = [
        Choice(Fidelity.FULL, Tokens(100), 1.0),
        Choice(Fidelity.OUTLINE, Tokens(90), 0.35),
        Choice(Fidelity.GIST, Tokens(10), 0.2),
    ]
    assert [choice.fidelity for choice in hull(made)] == [Fidelity.GIST, Fidelity.FULL]
    assert [choice.fidelity for choice in hull(made, beside=500)] == [Fidelity.FULL]
    assert hull([Choice(Fidelity.FULL, Tokens(5), 0.0)]) == []
    assert hull([*made, Choice(Fidelity.REFERENCE, Tokens(10), 0.2)])[0].fidelity is Fidelity.GIST


def best_there_is(made: list[Unit], needed: dict[Ref, Tokens], room: int) -> float:
    """The worth of the best packing of a few units, by trying all; a unit may be there as a need of another."""
    worth_whole = {unit.ref: max(choice.worth for choice in unit.choices) for unit in made}
    best = 0.0
    for combination in product(*((None, *unit.choices) for unit in made)):
        taken = {unit.ref: choice for unit, choice in zip(made, combination, strict=True) if choice}
        there = {need for unit in made if unit.ref in taken for need in unit.needs}
        if not there <= needed.keys():
            continue
        tokens = sum(choice.tokens for r, choice in taken.items() if r not in there) + sum(needed[r] for r in there)
        if tokens <= room:
            worth = sum(choice.worth for r, choice in taken.items() if r not in there)
            best = max(best, worth + sum(worth_whole.get(r, 0.0) for r in there))
    return best


@settings(max_examples=60, deadline=None)
@given(units.map(lambda made: made[:4]), needs, st.integers(1, 1_200))
def test_no_packing_with_needs_beats_the_best_there_is(
    made: list[Unit], wanted: dict[int, list[Ref]], room: int
) -> None:
    closed = with_needs(made, wanted)
    known = {r: tokens for r, tokens in sizes(made).items() if r != ref(13)}
    assert pack(closed, known, Tokens(room), NONE).worth <= best_there_is(closed, known, room) + 1e-9


def test_a_need_is_weighed_against_all_that_it_serves() -> None:
    serving = [Unit(ref(f"s{i}"), choices(20, 15, 10, 0.3), (ref("m"),)) for i in range(8)]
    plain = [Unit(ref(f"p{i}"), choices(100, 90, 80, 0.35)) for i in range(6)]
    packed = pack([*serving, *plain], {ref("m"): Tokens(240)}, Tokens(400), NONE)
    assert packed.needed == (ref("m"),)
    assert set(packed.chosen) == {unit.ref for unit in serving}


def test_once_a_need_is_there_all_that_it_serves_is_cheap() -> None:
    first = Unit(ref("first"), choices(50, 40, 30, 0.9), (ref("m"),))
    rest = [Unit(ref(f"s{i}"), choices(50, 40, 30, 0.2), (ref("m"),)) for i in range(3)]
    plain = [Unit(ref(f"p{i}"), choices(50, 40, 30, 0.15)) for i in range(9)]
    packed = pack([first, *rest, *plain], {ref("m"): Tokens(100)}, Tokens(300), NONE)
    assert set(packed.chosen) == {first.ref, *(unit.ref for unit in rest)}


def test_a_circle_of_needs_has_one_that_brings_the_others_along() -> None:
    made = [Unit(ref(a), choices(50, 40, 30, 0.5)[:1], (ref(b),)) for a, b in (("a", "b"), ("b", "a"))]
    for room in (100, 5_000):
        packed = pack(made, {ref("a"): Tokens(50), ref("b"): Tokens(50)}, Tokens(room), NONE)
        assert len(packed.chosen) == len(packed.needed) == 1
        assert {*packed.chosen, *packed.needed} == {ref("a"), ref("b")}
        assert packed.worth == pytest.approx(1.0)


def test_one_large_result_is_taken_where_it_is_worth_more_than_the_small_ones_before_it() -> None:
    small = [Unit(ref(f"s{i}"), choices(10, 9, 8, 0.1)) for i in range(2)]
    large = Unit(ref("large"), choices(100, 99, 98, 0.9))
    packed = pack([*small, large], {}, Tokens(100), NONE)
    assert packed.worth >= 0.9


def test_what_is_left_over_goes_to_what_gains_most_by_it() -> None:
    steep = Unit(ref("steep"), choices(50, 40, 30, 0.9))
    dear = Unit(ref("dear"), choices(90, 50, 40, 0.8))
    cheap = Unit(ref("cheap"), choices(200, 20, 10, 0.5))
    packed = pack([steep, dear, cheap], {}, Tokens(100), NONE)
    assert packed.chosen == {ref("steep"): Fidelity.FULL, ref("dear"): Fidelity.OUTLINE}


def test_everything_is_there_at_its_best_where_all_of_it_fits() -> None:
    made = realistic(3, 50)
    packed = pack(made, {}, Tokens(sum(unit.choices[0].tokens for unit in made)), NONE)
    assert packed.chosen == {unit.ref: Fidelity.FULL for unit in made}


def test_a_shared_need_is_charged_once() -> None:
    made = [Unit(ref(i), choices(50, 30, 10, 0.9), (ref("m"),)) for i in range(3)]
    packed = pack(made, {ref("m"): Tokens(100)}, Tokens(250), NONE)
    assert packed.needed == (ref("m"),)
    assert packed.tokens == 250
    assert set(packed.chosen.values()) == {Fidelity.FULL}


def test_a_unit_that_another_one_needs_is_charged_once_whichever_came_first() -> None:
    for worth in (0.01, 0.5, 0.99):
        made = [
            Unit(ref("a"), choices(50, 40, 30, 0.5), (ref("m"),)),
            Unit(ref("m"), choices(100, 60, 30, worth)),
        ]
        packed = pack(made, {ref("m"): Tokens(100)}, Tokens(150), NONE)
        assert (dict(packed.chosen), packed.needed, packed.tokens) == ({ref("a"): Fidelity.FULL}, (ref("m"),), 150)
        assert packed.worth == pytest.approx(0.5 + worth)


def test_what_is_held_anyway_costs_nothing_and_a_need_that_is_unknown_bars() -> None:
    made = [Unit(ref("a"), choices(50, 40, 30, 0.5), (ref("m"),))]
    assert pack(made, {}, Tokens(50), frozenset({ref("m")})).chosen == {ref("a"): Fidelity.FULL}
    assert pack(made, {}, Tokens(500), NONE).chosen == {}


def test_a_heavy_need_does_not_pass_for_a_cheap_result() -> None:
    bomb = Unit(ref("bomb"), choices(10, 8, 5, 0.99), (ref("huge"),))
    plain = [Unit(ref(i), choices(180, 60, 20, 0.5)) for i in range(5)]
    packed = pack([bomb, *plain], {ref("huge"): Tokens(900)}, Tokens(1_000), NONE)
    assert set(packed.chosen) == {unit.ref for unit in plain}
