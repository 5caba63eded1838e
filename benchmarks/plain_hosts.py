"""Two hosts without a working set: one keeps everything that a reference brought, one masks all but the last results.

A result is what one reference brought: of its pages those that are not before the agent, whole, under the headers that
the core would give them. What was masked has to be fetched again. The goal stands last, as in the core's block.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.context_cost import ContextTurn
from benchmarks.pages import PageUse
from benchmarks.sessions import Session
from workingset.rendering import CountTokens, place_of, segment_text
from workingset.tier import Tier
from workingset.transitions.records import entry_of
from workingset.vocabulary import Fidelity, Ref, Turn

RESULTS_KEPT = 10
"""Measure M9 of the design: observation masking keeps the last 10 tool results."""
MASKED = "(masked)"
"""What a masked result leaves beside its header."""


def kept_context(session: Session, count: CountTokens, results_kept: int | None = None) -> Iterator[ContextTurn]:
    """Yield the host's context by turn; with None it keeps everything."""
    host = _Host(session, count, results_kept)
    by_turn: dict[int, list[PageUse]] = defaultdict(list)
    for use in session.uses:
        by_turn[use.turn].append(use)
    anew = 0
    for turn in range(session.turns):
        goal_tokens = session.goal_tokens[turn]
        goal = f"# Goal\n{session.goals[turn].text}\n".encode("utf-8", "surrogatepass")
        shown = host.shown()
        yield ContextTurn(
            (*(segment for segment, _ in shown), goal),
            sum(tokens for _, tokens in shown) + goal_tokens,
            anew + goal_tokens,
            compared=turn not in session.resets,
        )
        anew = sum(host.use(use) for use in by_turn[turn])


class _Host:
    """What is before the agent, result after result."""

    def __init__(self, session: Session, count: CountTokens, results_kept: int | None) -> None:
        self._pages = {ref: _Shown.of(session, ref, count) for ref in session.pages}
        self._results_kept = results_kept
        self._results: list[list[Ref]] = []
        self._whole: deque[int] = deque()
        self._masked: set[int] = set()
        self._there: set[Ref] = set()

    def shown(self) -> list[tuple[bytes, int]]:
        """Every page with its tokens, in order."""
        return [
            self._pages[ref].masked if at in self._masked else self._pages[ref].whole
            for at, result in enumerate(self._results)
            for ref in result
        ]

    def use(self, use: PageUse) -> int:
        """Bring what is missing, and mask what is one result too many; returns the tokens put in or replaced."""
        brought = [ref for ref, _ in use.pages if ref not in self._there]
        if not brought:
            return 0
        self._whole.append(len(self._results))
        self._results.append(brought)
        self._there.update(brought)
        anew = sum(self._pages[ref].whole[1] for ref in brought)
        if self._results_kept is not None and len(self._whole) > self._results_kept:
            oldest = self._whole.popleft()
            self._masked.add(oldest)
            self._there.difference_update(self._results[oldest])
            anew += sum(self._pages[ref].masked[1] for ref in self._results[oldest])
        return anew


@dataclass(frozen=True, slots=True)
class _Shown:
    """A page in a context, and what masking leaves of it: text and tokens."""

    whole: tuple[bytes, int]
    masked: tuple[bytes, int]

    @classmethod
    def of(cls, session: Session, ref: Ref, count: CountTokens) -> _Shown:
        page = session.pages[ref]
        entry = entry_of(page, Tier.RESIDENT, Fidelity.FULL, Turn(1), 0)
        place = place_of(entry)
        whole, masked = segment_text(entry, page.renderings, Fidelity.FULL, place), f"- {place} {MASKED}\n"
        return cls(
            (whole.encode("utf-8", "surrogatepass"), count(whole)),
            (masked.encode("utf-8", "surrogatepass"), count(masked)),
        )
