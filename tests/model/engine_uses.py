"""When is a use a fault? The naive answer: line by line, over what the set held in full before."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.record import Record
from workingset.tier import Tier
from workingset.vocabulary import Fidelity, Lines, Ref
from workingset.working_set import WorkingSet

HIT_SHARE = 0.9


def is_fault(before: WorkingSet, pages: Sequence[Record], lines: Lines | None) -> bool:
    """True unless at least nine tenths of the lines used were there in full."""
    wanted = {line for page in pages for line in _lines(page, lines)}
    there = {line for page in pages if in_full(before, page) for line in _lines(page, lines)}
    return len(there) < HIT_SHARE * len(wanted)


def in_full(state: WorkingSet, page: Record) -> bool:
    """True where the set holds the whole text that the record has now."""
    entry, pin = state.entry(page.ref), state.pin(page.ref)
    if entry is None or entry.tier is Tier.FRONTIER_ONLY or entry.fidelity is not Fidelity.FULL:
        return False
    return entry.digest == page.digest or (pin is not None and pin.text == page.text)


def pages_of(pages: Sequence[Record], lines: Lines | None) -> tuple[Ref, ...]:
    """The refs of the pages that hold any of the lines."""
    return tuple(p.ref for p in pages if lines is None or (p.lines is not None and p.lines.overlap(lines) > 0))


def _lines(page: Record, lines: Lines | None) -> list[tuple[str, int]]:
    if page.lines is None:
        return [(page.ref, 0)]
    used = range(page.lines.start, page.lines.end + 1)
    return [(page.path, line) for line in used if lines is None or lines.start <= line <= lines.end]
