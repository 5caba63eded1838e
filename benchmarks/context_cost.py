"""What it costs to keep a context over one session: tokens sent anew, tokens sent in all, and the prefix that stays.

A context is a list of segments with the goal last, as the core's block is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.core_replay import core_turns
from benchmarks.sessions import Session
from workingset.drift import Verdict
from workingset.rendering import CountTokens
from workingset.settings import WorkingSetSettings
from workingset.vocabulary import Tokens


@dataclass(frozen=True, slots=True)
class ContextTurn:
    """A context in one turn.

    `sent_anew` is the text that the host has to put in or replace, in tokens; `tokens` the whole. `fetched` is what the
    references of the turn brought beside it, where that is not the context itself. `compared` is False where the
    context before it was given up: a new epoch, or a refocus. `ours_ms` is the time that we took.
    """

    segments: tuple[bytes, ...]
    tokens: int
    sent_anew: int
    fetched: int = 0
    compared: bool = True
    ours_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Spent:
    """One session in sums: tokens delivered as deltas, re-sent as a whole every turn, of those after a stable prefix,
    and fetched beside. Of the earlier of two contexts: bytes, and those that stay as a prefix; the same without its
    goal, which stands last."""

    turns: int
    delivered: int
    resent: int
    after_prefix: float
    fetched: int
    earlier_bytes: int
    prefix_bytes: int
    earlier_bytes_but_goals: int
    prefix_bytes_but_goals: int
    ours_ms: tuple[float, ...]


def spent(turns: Iterator[ContextTurn]) -> Spent:
    """Return the sums over a session."""
    delivered = resent = fetched = earlier = prefix = earlier_but_goals = prefix_but_goals = count = 0
    after_prefix = 0.0
    ours: list[float] = []
    before: tuple[bytes, ...] = ()
    for turn in turns:
        size = sum(map(len, turn.segments))
        same = common_prefix(before, turn.segments)
        count += 1
        delivered += turn.sent_anew
        resent += turn.tokens
        fetched += turn.fetched
        after_prefix += turn.tokens * (1.0 - same / size) if size else 0.0
        if turn.compared:
            but_goal = sum(map(len, before[:-1]))
            earlier += sum(map(len, before))
            prefix += same
            earlier_but_goals += but_goal
            prefix_but_goals += min(same, but_goal)
        ours.append(turn.ours_ms)
        before = turn.segments
    return Spent(
        turns=count,
        delivered=delivered,
        resent=resent,
        after_prefix=after_prefix,
        fetched=fetched,
        earlier_bytes=earlier,
        prefix_bytes=prefix,
        earlier_bytes_but_goals=earlier_but_goals,
        prefix_bytes_but_goals=prefix_but_goals,
        ours_ms=tuple(ours),
    )


def common_prefix(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    """Return how many bytes two contexts begin with alike."""
    same = 0
    for at, (old, new) in enumerate(zip(before, now, strict=False)):
        if old != new:
            return same + _same_bytes(b"".join(before[at:]), b"".join(now[at:]))
        same += len(old)
    return same


def core_context(
    session: Session, budget: Tokens, settings: WorkingSetSettings, count: CountTokens
) -> Iterator[ContextTurn]:
    """Yield the core's block by turn. What a fault fetches is paid as the tool's answer, and again in the block."""
    for turn in core_turns(session, budget, settings, count):
        outcome = turn.outcome
        moved = outcome.drift.verdict in (Verdict.REFOCUS, Verdict.STALE)
        yield ContextTurn(
            tuple(segment.text.encode("utf-8", "surrogatepass") for segment in outcome.block.segments),
            outcome.block.tokens,
            sum(count(change.text) for change in outcome.delta if change.text),
            sum(session.sizes[ref] for ref in turn.paged_in),
            not moved and turn.turn not in session.resets,
            turn.focus_ms + turn.touch_ms,
        )


def _same_bytes(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
