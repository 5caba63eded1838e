"""Measure M1 over made-up sessions: the rule for a fault, the replays, the bootstrap, the floors, what is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import libcachesim
import pytest

from benchmarks import page_faults
from benchmarks.core_replay import core_turns, replay_core
from benchmarks.data import Trace, TraceReference, TraceTurn
from benchmarks.fault_floors import verdicts
from benchmarks.fault_rates import Replayed, cold_references, difference, rates
from benchmarks.kept_results import Cell, KeptResults
from benchmarks.library_caches import replay_cache
from benchmarks.pages import PageUse
from benchmarks.replaying import NAMES, ONLINE, ROWS, replay_demand
from benchmarks.results import result_line, table
from benchmarks.sessions import TOKENIZER, Session, make_session
from retrieval.text.token_count import counter_named
from workingset.eviction.bounds import Unbounded
from workingset.eviction.registry import POLICIES
from workingset.settings import WorkingSetSettings
from workingset.vocabulary import Ref, Tokens

SETTINGS = WorkingSetSettings()
SHARE = SETTINGS.full_fidelity_share
COUNT = counter_named(TOKENIZER).count
FUNCTION_LINES = 20


def session_of(
    *lines: tuple[int, int] | None, turns_between: int = 0, actions: Mapping[int, str] | None = None
) -> Session:
    """A session over one file of 40 functions of 20 lines; each of `lines` is opened in a turn of its own."""
    body = "".join(f"    value_{line} = other_{line} + {line}\n" for line in range(FUNCTION_LINES - 1))
    module = "".join(f"def function_{number}():\n{body}" for number in range(40)).encode()
    turns: list[TraceTurn] = []
    for span in lines:
        start, end = span or (None, None)
        turns.append(TraceTurn("open", references=(TraceReference("a.py", edit=False, start=start, end=end),)))
        turns += [TraceTurn("think")] * turns_between
    for at, action in (actions or {}).items():
        turns[at] = TraceTurn(action)
    return make_session(Trace("made", "t", "owner/made", "", "mend function_3", tuple(turns)), {"a.py": module})


def function(number: int) -> tuple[int, int]:
    """The lines of one function."""
    return FUNCTION_LINES * number + 1, FUNCTION_LINES * (number + 1)


def use(*pages: tuple[str, int]) -> PageUse:
    return PageUse(0, tuple((Ref(ref), lines) for ref, lines in pages), False, None)


def test_a_reference_is_cold_where_too_few_of_its_lines_were_touched_before() -> None:
    uses = [use(("a", 9)), use(("a", 9), ("b", 1)), use(("a", 8), ("c", 2)), use(("b", 1), ("c", 1))]
    assert cold_references(uses, 0.9) == (True, False, True, False)


def test_rates_are_pooled_by_reference() -> None:
    one = Replayed((True, False, False, False), 100, 10.0, (1.0, 3.0))
    other = Replayed((True,), 50, 20.0)
    found = rates([one, other], [(False, True, False, True), (True,)])
    assert (found.sessions, found.references) == (2, 5)
    assert found.faults == pytest.approx(0.6)
    assert found.cold == pytest.approx(0.4)
    assert (found.delivered_tokens, found.resident_tokens, found.focus_p50_ms) == (75.0, 15.0, 2.0)


def test_nearly_all_lines_are_a_hit_and_a_few_less_are_a_fault() -> None:
    """18 of 20 lines are 90 %; 17 of 19 are less."""
    hit = session_of((1, 20), (3, 22))
    fault = session_of((1, 20), (4, 22))
    for session, wanted in ((hit, (False, True)), (fault, (False, False))):
        demand = replay_demand(session, Tokens(8_000), POLICIES["lru"](SETTINGS.eviction), SETTINGS)
        assert demand.hits == wanted
        assert replay_core(session, Tokens(8_000), SETTINGS, COUNT).hits == wanted


def test_with_all_the_room_there_is_only_cold_faults_are_left() -> None:
    session = session_of(*(function(number % 7) for number in range(30)))
    unbounded = replay_demand(session, Tokens(4_000), Unbounded(), SETTINGS)
    assert tuple(not hit for hit in unbounded.hits) == cold_references(session.uses, SHARE)
    assert unbounded.delivered_tokens == sum(session.sizes.values())


def test_what_a_goal_takes_is_not_there_for_pages() -> None:
    """Two functions fit beside a short goal, and not beside a long one."""
    session = session_of(function(1), function(2), function(1), function(2))
    size = max(session.sizes.values())
    budget = Tokens(2 * size + session.goal_tokens[0])
    lru = POLICIES["lru"](SETTINGS.eviction)
    assert replay_demand(session, budget, lru, SETTINGS).hits == (False, False, True, True)
    assert replay_demand(session, Tokens(budget - 20), lru, SETTINGS).hits == (False,) * 4


def test_the_core_never_shows_more_than_its_budget() -> None:
    session = session_of(*(function(number * 5 % 9) for number in range(20)), None, turns_between=1)
    for turn in core_turns(session, Tokens(900), SETTINGS, COUNT):
        assert turn.outcome.block.tokens <= 900
        assert turn.focus_ms > 0.0


def test_a_compaction_begins_an_epoch_in_which_all_is_delivered_again() -> None:
    session = session_of(function(1), turns_between=2, actions={2: "compact"})
    before, after = list(core_turns(session, Tokens(4_000), SETTINGS, COUNT))[1:]
    assert before.before.epoch == 0
    assert after.before.epoch == 1
    assert {change.ref for change in after.outcome.delta} >= set(session.pages)


def test_libcachesim_admits_page_by_page() -> None:
    """A reference wider than the room pushes out its own first page, and faults again."""
    sizes = {Ref(name): Tokens(10) for name in "abc"}
    wide = use(("a", 1), ("b", 1), ("c", 1))
    found = replay_cache(libcachesim.LRU, [wide, wide], sizes, 20, SHARE)
    assert found.hits == (False, False)
    assert found.delivered_tokens == 60
    assert replay_cache(libcachesim.LRU, [wide, wide], sizes, 30, SHARE).hits == (False, True)


def test_the_bootstrap_is_paired_seeded_and_holds_the_difference() -> None:
    one = [Replayed((True, number % 3 > 0), 0, 0.0) for number in range(30)]
    other = [Replayed((number % 2 > 0, number % 3 > 0), 0, 0.0) for number in range(30)]
    found = difference(one, other, seed=1)
    assert found.points == pytest.approx(-25.0)
    assert found.low < -25.0 < found.high < 0.0
    assert difference(one, other, seed=1) == found
    same = difference(one, one, seed=1)
    assert (same.points, same.low, same.high) == (0.0, 0.0, 0.0)


def faults_at(budget: int, default: float, others: Sequence[float]) -> dict[tuple[str, Tokens], float]:
    values = dict(zip(ONLINE, others, strict=True))
    return {(row, Tokens(budget)): value for row, value in {"default": default, **values}.items()}


def test_floors_hold_or_fail_by_budget() -> None:
    rest = [50.0] * (len(ONLINE) - 2)
    (line,) = verdicts(faults_at(4_000, 48.9, [49.5, 49.0, *rest]))
    assert "FAILS" not in line
    assert "reached" in line
    (line,) = verdicts(faults_at(8_000, 48.9, [49.5, 49.0, *rest]))
    assert "FAILS (1.0 below lru: -0.60)" in line
    (line,) = verdicts(faults_at(16_000, 49.1, [50.5, 49.0, *rest]))
    assert "FAILS" not in line
    assert "missed" in line
    (line,) = verdicts({("default", Tokens(32_000)): 1.0, ("lru", Tokens(32_000)): 2.0})
    assert "not run: lfu, arc" in line
    assert verdicts({("default", Tokens(500)): 1.0}) == []


def test_a_result_line_is_read_back_by_splitting() -> None:
    line = result_line("M1", {"set": "made", "n": 3, "faults": 1 / 3, "focus_p50_ms": float("nan")})
    assert line == "RESULT measure=M1 set=made n=3 faults=0.333333 focus_p50_ms=nan"
    assert {part.partition("=")[0]: part.partition("=")[2] for part in line.split()[1:]}["set"] == "made"
    with pytest.raises(ValueError, match="set"):
        result_line("M1", {"set": "two words"})


def test_a_table_lines_up() -> None:
    assert table(("row", "a"), [("x", "10.0"), ("long", "9")]) == "row      a\nx     10.0\nlong     9"


def test_what_equal_code_made_is_not_made_again(tmp_path: Path) -> None:
    made: list[Cell] = []

    def make(cells: Sequence[Cell]) -> dict[Cell, str]:
        made.extend(cells)
        return {cell: f"{cell[0]} at {cell[1]}" for cell in cells}

    lru, lfu = ("lru", Tokens(1)), ("lfu", Tokens(1))
    code = {"lru": "1", "lfu": "1"}
    kept = KeptResults[str](tmp_path / "made.replays", lambda row: code[row])
    assert kept.of([lru], make) == {lru: "lru at 1"}
    assert kept.of([lru, lfu], make) == {lru: "lru at 1", lfu: "lfu at 1"}
    code["lru"] = "2"
    kept.of([lru, lfu], make)
    assert made == [lru, lfu, lru]


def test_w_tiny_lfu_stands_for_its_setting_and_three_windows() -> None:
    assert NAMES["wtinylfu"] == ("wtinylfu", "wtinylfu-1", "wtinylfu-20", "wtinylfu-50")
    assert set(ROWS) <= set(NAMES)


def test_page_in_on_is_not_there_yet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["page_faults", "--page-in", "on"])
    with pytest.raises(SystemExit) as left:
        page_faults.main()
    assert left.value.code == 2
    assert "later step" in capsys.readouterr().err


def test_without_its_data_the_program_says_where_it_looked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["page_faults", "--git-dirs", str(tmp_path / "none")])
    with pytest.raises(SystemExit) as left:
        page_faults.main()
    assert left.value.code == 2
    assert str(tmp_path / "none") in capsys.readouterr().err
