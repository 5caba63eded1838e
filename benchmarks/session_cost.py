"""What does a session cost with a working set, and what without one?

Measure M9: the sessions of measure M1, through the core under each budget, page-in off. Tokens delivered as deltas
against re-sending the block every turn; the share of bytes of one turn's block that the next one begins with, which is
what a provider's prompt cache can use again (turns that refocus, find stale evidence or begin an epoch apart); our own
time a turn. Beside it the same core with least recently used eviction, a host that keeps everything, and one that masks
all but the last ten results.

`net_saved` is 1 - cost / cost of keeping everything. A cost is the tokens of the contexts of all turns, those in a
stable prefix at the price of cached ones, and what faults made the agent read again beside them. RESULT lines are for
programs: `n` is sessions, tokens are per session.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

import workingset
from benchmarks.context_cost import Spent, core_context, spent
from benchmarks.data import Trace, stop
from benchmarks.kept_results import Cell, KeptResults, digest_of
from benchmarks.plain_hosts import RESULTS_KEPT, kept_context
from benchmarks.results import percent, result_line, table
from benchmarks.session_options import POOLED, add_session_options, read_all, sources_of
from benchmarks.sessions import PROCESSES, TOKENIZER, Session, Sources, session_of
from benchmarks.trees import TreeMissing
from retrieval.text.token_count import MemoisedCounter, counter_named
from workingset.settings import WorkingSetSettings
from workingset.vocabulary import Tokens

DEFAULT, LRU, KEPT, MASKING = "default", "lru", "everything_kept", "masking"
ROWS = (DEFAULT, LRU, KEPT, MASKING)
CACHED_PRICE_SHARE = 0.1
"""Cited: list prices of large providers in 2025 take a tenth for a token read from their prompt cache."""


@dataclass(frozen=True, slots=True)
class SessionCosts:
    """One session under every row and budget."""

    set_name: str
    references: int
    costs: dict[Cell, Spent]


@dataclass(frozen=True, slots=True)
class Total:
    """Sessions pooled; tokens per session, milliseconds per turn."""

    sessions: int
    delivered: float
    resent: float
    prefix_stable: float
    prefix_stable_but_for_goals: float
    cost: float
    ours_p50_ms: float
    ours_p99_ms: float


def main() -> None:
    """Replay, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_session_options(parser)
    options = parser.parse_args()
    sources, traces = sources_of(options), read_all(options)
    sets: dict[str, list[SessionCosts]] = defaultdict(list)
    missing: Counter[str] = Counter()
    for trace, costs in zip(traces, _costs(traces, sources, options.budgets), strict=True):
        if isinstance(costs, TreeMissing):
            missing[trace.set_name] += 1
        elif costs.references:
            sets[costs.set_name].append(costs)
    if not sets:
        stop(f"no session could be replayed, trees missing: {dict(missing)}\n--git-dirs wants DIR/owner+name/repo")
    print(f"Page-in off. Sessions without their tree, left out: {dict(missing) or 'none'}.")
    lines: list[str] = []
    for budget in options.budgets:
        rows: list[tuple[str, ...]] = []
        for name, sessions in (*sets.items(), (POOLED, [s for of_set in sets.values() for s in of_set])):
            kept = total([s.costs[KEPT, budget] for s in sessions])
            for row in ROWS:
                found = total([s.costs[row, budget] for s in sessions])
                rows.append(_row(name, row, found, kept))
                lines.append(_line(name, row, budget, found, kept))
        print(f"\n{table(_head(budget), rows)}")
    print()
    print("\n".join(lines))


def total(sessions: Sequence[Spent]) -> Total:
    """Return sessions pooled."""
    ours = [ms for one in sessions for ms in one.ours_ms]
    cached = sum(one.resent - one.after_prefix for one in sessions)
    paid = sum(one.after_prefix + one.fetched for one in sessions) + CACHED_PRICE_SHARE * cached
    many = max(1, len(sessions))
    return Total(
        sessions=len(sessions),
        delivered=sum(one.delivered for one in sessions) / many,
        resent=sum(one.resent for one in sessions) / many,
        prefix_stable=_share(
            sum(one.prefix_bytes for one in sessions),
            sum(one.earlier_bytes for one in sessions),
        ),
        prefix_stable_but_for_goals=_share(
            sum(one.prefix_bytes_but_goals for one in sessions),
            sum(one.earlier_bytes_but_goals for one in sessions),
        ),
        cost=paid / many,
        ours_p50_ms=float(np.percentile(ours, 50)) if ours else float("nan"),
        ours_p99_ms=float(np.percentile(ours, 99)) if ours else float("nan"),
    )


def costs_of(trace: Trace, sources: Sources, budgets: Sequence[Tokens]) -> SessionCosts | TreeMissing:
    """Return what one trace costs; what equal code found before is taken from the cache."""
    session = session_of(trace, sources)
    if isinstance(session, TreeMissing):
        return session
    kept = KeptResults[Spent](sources.cache / f"{session.key}.costs", lambda _: _made_by())
    cells = [(row, budget) for row in ROWS for budget in budgets]
    return SessionCosts(session.set_name, len(session.uses), kept.of(cells, partial(_spent, session)))


def _costs(
    traces: Iterable[Trace], sources: Sources, budgets: Sequence[Tokens]
) -> Iterable[SessionCosts | TreeMissing]:
    with ProcessPoolExecutor(PROCESSES) as pool:
        yield from pool.map(partial(costs_of, sources=sources, budgets=budgets), traces)


def _spent(session: Session, cells: Sequence[Cell]) -> dict[Cell, Spent]:
    def counter() -> MemoisedCounter:
        return MemoisedCounter(counter_named(TOKENIZER))

    def core(settings: WorkingSetSettings, budget: Tokens) -> Spent:
        return spent(core_context(session, budget, settings, counter().count))

    settings = WorkingSetSettings()
    by_row = {DEFAULT: settings, LRU: replace(settings, eviction=replace(settings.eviction, policy="lru"))}
    hosts = {
        KEPT: spent(kept_context(session, counter().count)),
        MASKING: spent(kept_context(session, counter().count, RESULTS_KEPT)),
    }
    return {(row, budget): hosts[row] if row in hosts else core(by_row[row], budget) for row, budget in cells}


def _head(budget: Tokens) -> tuple[str, ...]:
    return (
        f"budget {budget:,}",
        "policy",
        "sessions",
        "delivered/session",
        "re-sent/session",
        "delta saves %",
        "prefix stable %",
        "but for goals %",
        "cost/session",
        "net saved %",
        "ours p50 ms",
        "p99 ms",
    )


def _row(name: str, row: str, found: Total, kept: Total) -> tuple[str, ...]:
    ours = (f"{found.ours_p50_ms:.2f}", f"{found.ours_p99_ms:.2f}") if row in (DEFAULT, LRU) else ("", "")
    return (
        name,
        row,
        f"{found.sessions:,}",
        f"{found.delivered:,.0f}",
        f"{found.resent:,.0f}",
        percent(1.0 - found.delivered / max(1.0, found.resent)),
        percent(found.prefix_stable),
        percent(found.prefix_stable_but_for_goals),
        f"{found.cost:,.0f}",
        percent(_net_saved(found, kept)),
        *ours,
    )


def _line(name: str, row: str, budget: Tokens, found: Total, kept: Total) -> str:
    return result_line(
        "M9",
        {
            "set": name,
            "n": found.sessions,
            "budget": budget,
            "policy": row,
            "delivered_tokens": found.delivered,
            "resent_tokens": found.resent,
            "prefix_stable": found.prefix_stable,
            "net_saved": _net_saved(found, kept),
        },
    )


def _share(part: int, whole: int) -> float:
    return part / max(1, whole)


def _net_saved(found: Total, kept: Total) -> float:
    return 1.0 - found.cost / max(1.0, kept.cost)


@cache
def _made_by() -> str:
    own = Path(__file__).parent
    names = ("context_cost", "core_replay", "plain_hosts", "session_cost")
    return digest_of([*Path(workingset.__path__[0]).glob("**/*.py"), *(own / f"{name}.py" for name in names)])


if __name__ == "__main__":
    main()
