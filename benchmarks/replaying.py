"""Every policy over every session under every budget, on a few processes, kept on disk so that it can be resumed.

The product's default runs through its core. The baselines and bounds run on the same pages and page in by demand alone;
their room is the budget less the goal of the turn, so that they pay for the same headers and the same goal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from pathlib import Path

import workingset
from benchmarks.core_replay import replay_core
from benchmarks.data import Trace
from benchmarks.demand_paging import Reference, replay
from benchmarks.fault_rates import Replayed, cold_references
from benchmarks.kept_results import Cell, KeptResults, digest_of
from benchmarks.library_caches import CACHES, replay_caches
from benchmarks.sessions import PROCESSES, TOKENIZER, Session, Sources, session_of
from benchmarks.trees import TreeMissing
from retrieval.text.token_count import MemoisedCounter, counter_named
from workingset.eviction.bounds import Belady, Unbounded
from workingset.eviction.policy import EvictionPolicy
from workingset.eviction.registry import POLICIES
from workingset.settings import EvictionSettings, WorkingSetSettings
from workingset.vocabulary import Ref, Tokens

DEFAULT = "default"
WINDOWS = {"wtinylfu-1": 0.01, "wtinylfu-20": 0.20, "wtinylfu-50": 0.50}
"""Rows of W-TinyLFU by the share of its window: the textbook's 1 % is a straw man on these traces."""
ONLINE = ("lru", "lfu", "arc", "s3fifo", "wtinylfu", *WINDOWS, "gdsf")
BOUNDS = ("belady", "unbounded")
ROWS = (DEFAULT, *ONLINE, *BOUNDS, *CACHES)
DEMAND_DEFAULT = "hit_density"
"""The default's own policy where pages come by demand alone, without the core around it; only where it is asked for."""
NAMES = {**{name: (name,) for name in (*ROWS, DEMAND_DEFAULT)}, "wtinylfu": ("wtinylfu", *WINDOWS)}
"""What may be asked for by name, with the rows that it stands for: W-TinyLFU as it is set, and with other windows."""


@dataclass(frozen=True, slots=True)
class SessionReplays:
    """One session under all that was asked. `cold` says which references are first touches."""

    set_name: str
    trace_id: str
    turns: int
    wide: int
    cold: tuple[bool, ...]
    skipped: dict[str, int]
    replayed: dict[Cell, Replayed]


@dataclass(frozen=True, slots=True)
class Asked:
    """Rows and budgets."""

    rows: tuple[str, ...]
    budgets: tuple[Tokens, ...]


def replays(
    traces: Iterable[Trace], sources: Sources, asked: Asked, processes: int = PROCESSES
) -> Iterator[SessionReplays | TreeMissing]:
    """Yield what each trace came to, in order, or why its tree cannot be had."""
    sources.cache.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(replays_of, sources=sources, asked=asked), traces)


def replays_of(trace: Trace, sources: Sources, asked: Asked) -> SessionReplays | TreeMissing:
    """Return what one trace came to; what was replayed before by the same code is taken from the cache."""
    session = session_of(trace, sources)
    if isinstance(session, TreeMissing):
        return session
    cells = [(row, budget) for row in asked.rows for budget in asked.budgets]
    kept = KeptResults[Replayed](sources.cache / f"{session.key}.replays", _made_by)
    return SessionReplays(
        session.set_name,
        session.trace_id,
        session.turns,
        sum(use.wide for use in session.uses),
        cold_references(session.uses, WorkingSetSettings().full_fidelity_share),
        session.skipped,
        kept.of(cells, partial(_replayed, session)),
    )


def _replayed(session: Session, missing: Sequence[Cell]) -> dict[Cell, Replayed]:
    settings = WorkingSetSettings()
    found: dict[Cell, Replayed] = {}
    foreign = tuple(dict.fromkeys(row for row, _ in missing if row in CACHES))
    if foreign:
        budgets = tuple(dict.fromkeys(budget for row, budget in missing if row in CACHES))
        found |= replay_caches(session, foreign, budgets, settings.full_fidelity_share)
    for row, budget in missing:
        if row == DEFAULT:
            found[row, budget] = replay_core(session, budget, settings, MemoisedCounter(counter_named(TOKENIZER)).count)
        elif row not in CACHES:
            found[row, budget] = replay_demand(session, budget, _policy(row, settings.eviction, session), settings)
    return found


def replay_demand(session: Session, budget: Tokens, policy: EvictionPolicy, settings: WorkingSetSettings) -> Replayed:
    """Return what a policy makes of a session by demand paging with forced admission."""
    done = replay(
        policy,
        [Reference(use.pages, use.edit, use.wide, use.turn) for use in session.uses],
        session.sizes,
        lambda turn: Tokens(budget - session.goal_tokens[turn]),
        relevance=partial(_relevance, session),
        hit_share=settings.full_fidelity_share,
        force=True,
    )
    return Replayed(done.hits, done.delivered_tokens, _by_turn(session, done.resident_tokens))


def _by_turn(session: Session, after_reference: Sequence[int]) -> float:
    """The mean over turns, as each begins, of the tokens that the last reference before it left."""
    left = dict(zip((use.turn for use in session.uses), after_reference, strict=True))
    total = now = 0
    for turn in range(session.turns):
        total += now
        now = left.get(turn, now)
    return total / max(1, session.turns)


def _relevance(session: Session, turn: int, ref: Ref) -> float:
    return session.relevance[turn].get(ref, 0.0)


def _policy(row: str, settings: EvictionSettings, session: Session) -> EvictionPolicy:
    if row == Belady.name:
        return Belady([[ref for ref, _ in use.pages] for use in session.uses])
    if row == Unbounded.name:
        return Unbounded()
    if row in WINDOWS:
        return POLICIES["wtinylfu"](replace(settings, wtinylfu_window_share=WINDOWS[row]))
    return POLICIES[row](settings)


@cache
def _made_by(row: str) -> str:
    """A digest of the code and the settings that a row comes from: what they made is kept no longer than they."""
    own, core = Path(__file__).parent, Path(workingset.__path__[0])
    names = ["fault_rates", "library_caches", "replaying"]
    files: list[Path] = []
    steers: tuple[object, ...] = ()
    if row == DEFAULT:
        names.append("core_replay")
        files += core.glob("**/*.py")
    elif row not in CACHES:
        names.append("demand_paging")
        files += [file for file in core.glob("eviction/*.py") if row == DEMAND_DEFAULT or file.stem != DEMAND_DEFAULT]
        steers = _steering(row)
    return digest_of([*files, *(own / f"{name}.py" for name in names)], *steers)


def _steering(row: str) -> tuple[object, ...]:
    """The settings that a row of demand paging looks at: all for the default's policy, those of its name for others."""
    settings = EvictionSettings()
    own = row.partition("-")[0]
    names = [field.name for field in fields(settings) if row == DEMAND_DEFAULT or field.name.startswith(f"{own}_")]
    return tuple((name, getattr(settings, name)) for name in (*names, "wide_prior_references"))
