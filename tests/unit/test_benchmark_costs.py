"""Measure M9 over made-up contexts: the common prefix, what hosts without a working set keep, and the sums."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.context_cost import ContextTurn, common_prefix, core_context, spent
from benchmarks.data import Trace, TraceReference, TraceTurn
from benchmarks.plain_hosts import kept_context
from benchmarks.session_cost import CACHED_PRICE_SHARE, total
from benchmarks.sessions import TOKENIZER, Session, make_session
from retrieval.text.token_count import counter_named
from workingset.settings import WorkingSetSettings
from workingset.vocabulary import Tokens

COUNT = counter_named(TOKENIZER).count


def session_of(*functions: int) -> Session:
    """A session over one file of 20 functions of 10 lines, one of them opened each turn."""
    module = "".join(f"def function_{n}():\n" + f"    return {n}\n" * 9 for n in range(20)).encode()
    turns = tuple(
        TraceTurn("open", query=f"step {at}", references=(TraceReference("a.py", False, 10 * n + 1, 10 * n + 10),))
        for at, n in enumerate(functions)
    )
    return make_session(Trace("made", "t", "owner/made", "", "mend it", turns), {"a.py": module})


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ([], [b"a"], 0),
        ([b"abc", b"goal 1"], [b"abc", b"goal 2"], 8),
        ([b"abc", b"goal"], [b"abc", b"new", b"goal"], 3),
        ([b"abc"], [b"abc", b"d"], 3),
        ([b"ab", b"cd"], [b"abcx"], 3),
        ([b"x"], [b"y"], 0),
    ],
)
def test_the_common_prefix_is_counted_in_bytes_across_segments(
    before: list[bytes], now: list[bytes], same: int
) -> None:
    assert common_prefix(before, now) == same


def test_keeping_everything_only_ever_appends() -> None:
    session = session_of(1, 2, 1, 3)
    contexts = list(kept_context(session, COUNT))
    assert [len(turn.segments) for turn in contexts] == [1, 2, 3, 3]
    assert contexts[3].segments[:2] == contexts[2].segments[:2]
    assert contexts[1].sent_anew == contexts[1].tokens
    assert contexts[3].sent_anew == session.goal_tokens[3]


def test_masking_leaves_the_last_results_and_fetches_again() -> None:
    session = session_of(1, 2, 3, 1, 4)
    masked = list(kept_context(session, COUNT, results_kept=2))[3]
    assert [b"(masked)" in segment for segment in masked.segments[:-1]] == [True, False, False]
    again = list(kept_context(session, COUNT, results_kept=2))[4]
    assert [b"(masked)" in segment for segment in again.segments[:-1]] == [True, True, False, False]


def test_sums_leave_out_turns_that_gave_up_their_context() -> None:
    def turns() -> Iterator[ContextTurn]:
        yield ContextTurn((b"aaaa", b"g1"), tokens=60, sent_anew=60)
        yield ContextTurn((b"aaaa", b"g2"), tokens=60, sent_anew=20, fetched=7)
        yield ContextTurn((b"bbbb", b"g2"), tokens=60, sent_anew=40, compared=False)

    found = spent(turns())
    assert (found.turns, found.delivered, found.resent, found.fetched) == (3, 120, 180, 7)
    assert (found.earlier_bytes, found.prefix_bytes) == (6, 5)
    assert (found.earlier_bytes_but_goals, found.prefix_bytes_but_goals) == (4, 4)
    assert found.after_prefix == pytest.approx(60 + 10 + 60)
    pooled = total([found, found])
    assert pooled.prefix_stable == pytest.approx(5 / 6)
    assert pooled.cost == pytest.approx(130 + 7 + CACHED_PRICE_SHARE * 50)
    assert pooled.delivered == 120


def test_the_core_delivers_what_changed_and_nothing_twice() -> None:
    session = session_of(1, 2, 1, 2)
    contexts = list(core_context(session, Tokens(4_000), WorkingSetSettings(), COUNT))
    whole = sum(session.sizes.values())
    assert sum(turn.sent_anew for turn in contexts) == whole + sum(session.goal_tokens)
    assert [turn.fetched > 0 for turn in contexts] == [True, True, False, False]
    assert contexts[3].segments[:-1] == contexts[2].segments[:-1]
