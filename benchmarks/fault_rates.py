"""Fault rates of policies over sessions: pooled by reference, split into cold and capacity, and compared in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.pages import PageUse

RESAMPLES = 2_000
"""Of the paired bootstrap: the ends of its interval move by about a twentieth of their distance from run to run."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What one policy made of one session under one budget.

    A hit or not by reference; tokens newly delivered; mean tokens of pages as turns begin, the goal not among them;
    milliseconds of each Focus, none but for the core.
    """

    hits: tuple[bool, ...]
    delivered_tokens: int
    resident_tokens: float
    focus_ms: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Rates:
    """Sessions pooled: `faults` and `cold` are shares of all references, tokens are per session and per turn."""

    sessions: int
    references: int
    faults: float
    cold: float
    delivered_tokens: float
    resident_tokens: float
    focus_p50_ms: float
    focus_p99_ms: float


@dataclass(frozen=True, slots=True)
class Difference:
    """One fault rate minus another, with its 95 % interval, in points."""

    points: float
    low: float
    high: float


def cold_references(uses: Sequence[PageUse], full_share: float) -> tuple[bool, ...]:
    """Say of each reference whether demand paging must fault: too few of its lines were touched before."""
    seen: set[object] = set()
    cold: list[bool] = []
    for use in uses:
        known = sum(lines for ref, lines in use.pages if ref in seen)
        cold.append(known < full_share * sum(lines for _, lines in use.pages))
        seen.update(ref for ref, _ in use.pages)
    return tuple(cold)


def rates(replayed: Sequence[Replayed], cold: Sequence[Sequence[bool]]) -> Rates:
    """Return the pooled rates of one policy; `cold` says of each session's references which are first touches."""
    hits = [hit for one in replayed for hit in one.hits]
    first = [is_cold for session in cold for is_cold in session]
    focus = [ms for one in replayed for ms in one.focus_ms]
    references, sessions = max(1, len(hits)), max(1, len(replayed))
    return Rates(
        sessions=len(replayed),
        references=len(hits),
        faults=hits.count(False) / references,
        cold=sum(is_cold and not hit for hit, is_cold in zip(hits, first, strict=True)) / references,
        delivered_tokens=sum(one.delivered_tokens for one in replayed) / sessions,
        resident_tokens=sum(one.resident_tokens for one in replayed) / sessions,
        focus_p50_ms=float(np.percentile(focus, 50)) if focus else float("nan"),
        focus_p99_ms=float(np.percentile(focus, 99)) if focus else float("nan"),
    )


def difference(one: Sequence[Replayed], other: Sequence[Replayed], seed: int) -> Difference:
    """Return by how much the first policy faults more, with a bootstrap over sessions, which both have replayed."""
    references = np.array([len(session.hits) for session in one])
    extra = np.array([b.hits.count(True) - a.hits.count(True) for a, b in zip(one, other, strict=True)])
    draws = np.random.default_rng(seed).multinomial(len(one), np.full(len(one), 1 / len(one)), size=RESAMPLES)
    points = 100.0 * (draws @ extra) / np.maximum(1, draws @ references)
    low, high = np.percentile(points, [2.5, 97.5])
    return Difference(100.0 * float(extra.sum()) / max(1, int(references.sum())), float(low), float(high))
