"""Packing on recorded inputs: near what there is to be had, and equal bytes whatever the order of the input.

It is worth at least 95 % of the linear relaxation's bound where the room is 1,000 tokens or more, and at least 95 % of
the best packing there is below, where often no packing at all comes so near to the relaxation. Bound and best are those
of the whole problem, needs included, and are computed here by linear and integer programming (HiGHS). Set
HOTSET_WRITE_GOLDEN=1 to record the inputs anew.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from time import process_time

import numpy as np
import pytest
from scipy.optimize import Bounds, milp
from scipy.sparse import coo_array, csr_array

from tests.golden.packing_inputs import Recorded, read, write
from workingset.choices import Unit, relaxed_bound
from workingset.vocabulary import Ref, Tokens

SHARE = 0.95
SMALL_ROOM = 1_000
"""Guess: where less fits, a result or two fill the room, and the relaxation cuts what cannot be cut."""
EXCEPTIONS = 16
"""Of the recorded inputs so many stay below that share of the relaxation's bound; a new recording may have others."""

if os.environ.get("HOTSET_WRITE_GOLDEN"):
    write()
INPUTS = read()
LARGE = [recorded for recorded in INPUTS if recorded.room >= SMALL_ROOM]
SMALL = [recorded for recorded in INPUTS if recorded.room < SMALL_ROOM]


@dataclass(frozen=True)
class Program:
    """The packing as a linear program: worth by column, and rows of `matrix @ x <= limits` with x from 0 to 1."""

    worth: np.ndarray
    matrix: csr_array
    limits: np.ndarray

    def best(self, *, whole: bool) -> float:
        """The most it can be worth; `whole` things only, or parts of them too."""
        solved = milp(
            -self.worth,
            constraints=(self.matrix, -np.inf, self.limits),
            bounds=Bounds(0, 1),
            integrality=np.full(len(self.worth), int(whole)),
        )
        assert solved.success, solved.message
        return float(-solved.fun)


def program(recorded: Recorded) -> Program:
    """A column for each needed record that is there whole and for each rendering of each unit.

    A unit has one rendering, or is there as needed; either way all that it needs is there; and all fit the room.
    """
    units = {u.ref: u for u in recorded.units if all(n in recorded.held or n in recorded.needed for n in u.needs)}
    columns = count()
    needed = {ref: next(columns) for ref in sorted(recorded.needed)}
    worth = [max((c.worth for c in units[ref].choices), default=0.0) if ref in units else 0.0 for ref in needed]
    tokens = [int(recorded.needed[ref]) for ref in needed]
    rows: list[tuple[dict[int, float], float]] = []
    for unit in units.values():
        there = {next(columns): 1.0 for _ in unit.choices}
        worth += [choice.worth for choice in unit.choices]
        tokens += [int(choice.tokens) for choice in unit.choices]
        there |= {needed[unit.ref]: 1.0} if unit.ref in needed else {}
        rows.append((there, 1.0))
        rows += [({**there, needed[need]: -1.0}, 0.0) for need in unit.needs if need not in recorded.held]
    rows.append((dict(enumerate(map(float, tokens))), float(max(0, recorded.room))))
    cells = [(row, column, value) for row, (line, _) in enumerate(rows) for column, value in line.items()]
    at_rows, at_columns, values = zip(*cells, strict=True)
    matrix = coo_array((values, (at_rows, at_columns)), shape=(len(rows), len(worth))).tocsr()
    return Program(np.array(worth), matrix, np.array([limit for _, limit in rows]))


def named(recorded: Recorded) -> str:
    """What pytest calls it."""
    return recorded.name.replace(" ", "-")


@pytest.mark.parametrize("recorded", LARGE, ids=named)
def test_at_least_95_percent_of_the_relaxation_bound_where_the_room_is_1000_tokens_or_more(recorded: Recorded) -> None:
    packed, bound = recorded.packed(), program(recorded).best(whole=False)
    assert packed.tokens <= recorded.room
    assert SHARE * bound <= packed.worth <= bound + 1e-9


@pytest.mark.parametrize("recorded", SMALL, ids=named)
def test_at_least_95_percent_of_the_best_packing_there_is_below(recorded: Recorded) -> None:
    packed, best = recorded.packed(), program(recorded).best(whole=True)
    assert packed.tokens <= recorded.room
    assert SHARE * best <= packed.worth <= best + 1e-6


def test_so_many_recorded_inputs_are_exceptions_from_the_relaxation_bound() -> None:
    below = [r for r in INPUTS if r.packed().worth < SHARE * program(r).best(whole=False)]
    assert all(recorded.room < SMALL_ROOM for recorded in below)
    assert len(below) == EXCEPTIONS


@pytest.mark.parametrize("recorded", [r for r in INPUTS if not r.needed], ids=named)
def test_the_bound_of_the_core_is_that_of_the_linear_program(recorded: Recorded) -> None:
    free = replace(recorded, units=tuple(unit for unit in recorded.units if not unit.needs))
    bound = relaxed_bound(free.units, free.room)
    assert bound == pytest.approx(program(free).best(whole=False), rel=1e-7)


@pytest.mark.parametrize("recorded", INPUTS, ids=named)
def test_shuffled_inputs_give_equal_bytes(recorded: Recorded) -> None:
    expected = repr(recorded.packed())
    for seed in range(3):
        assert repr(shuffled(recorded, random.Random(seed)).packed()) == expected


def shuffled(recorded: Recorded, chance: random.Random) -> Recorded:
    """The same input in another order, renderings and needs included."""

    def mixed(unit: Unit) -> Unit:
        choices, needs = list(unit.choices), list(unit.needs)
        return Unit(unit.ref, tuple(chance.sample(choices, len(choices))), tuple(chance.sample(needs, len(needs))))

    units = [mixed(unit) for unit in recorded.units]
    names = list(recorded.needed.items())
    chance.shuffle(units)
    chance.shuffle(names)
    return replace(recorded, units=tuple(units), needed=dict(names))


def test_the_recorded_inputs_are_of_all_kinds() -> None:
    assert len(INPUTS) >= 60
    assert {recorded.room < SMALL_ROOM for recorded in INPUTS} == {True, False}
    assert sum(bool(recorded.needed) for recorded in INPUTS) >= 20
    assert max(len(recorded.units) for recorded in INPUTS) >= 100
    assert any(recorded.room > sum(unit.choices[0].tokens for unit in recorded.units) for recorded in INPUTS)


def two_thousand() -> list[Unit]:
    """Units of a recorded input, forty times over."""
    recorded = next(r for r in INPUTS if len(r.units) >= 50 and not r.needed).units
    return [Unit(Ref(f"{place}{unit.ref}"), unit.choices) for place in range(40) for unit in recorded][:2_000]


def with_needs(units: list[Unit]) -> Recorded:
    """The units, nearly all in need of three of a thousand records."""
    records = [Ref(f"record {number:03}") for number in range(1_000)]
    needing = [
        replace(unit, needs=tuple({records[(place * step + step) % 1_000]: None for step in (7, 13, 501)}))
        for place, unit in enumerate(units)
    ]
    sizes = {ref: Tokens(30 + place * 37 % 170) for place, ref in enumerate(records)}
    return Recorded("needing", tuple(needing), sizes, Tokens(16_000), frozenset())


def processor_seconds(function: Callable[[], object]) -> float:
    """The least of a few runs: what it takes where nothing else runs."""
    took: list[float] = []
    for _ in range(5):
        began = process_time()
        function()
        took.append(process_time() - began)
    return min(took)


def test_two_thousand_candidates_are_packed_in_a_few_times_what_one_look_at_their_renderings_takes() -> None:
    units = two_thousand()
    plain = Recorded("plain", tuple(units), {}, Tokens(32_000), frozenset())
    needing = with_needs(units)
    # The relaxation climbs every hull and sorts all steps: the same kind of work on the same machine.
    look = processor_seconds(lambda: relaxed_bound(units, Tokens(32_000)))
    # Measured: 1.3 and 5 times as long; a walk over all that lack something for each of them would take 28 times.
    assert processor_seconds(plain.packed) < 4.0 * look
    assert processor_seconds(needing.packed) < 15.0 * look
