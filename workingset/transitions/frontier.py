"""The frontier: one-line references to what is relevant, or was resident a turn ago, and has no place now.

The best of what was left out comes first, then residents that just fell, hottest first. Lines are added while the whole
block fits; what gets no line leaves the set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workingset.candidate import Projection
from workingset.entry import Entry
from workingset.heat import heat_at
from workingset.remainder import by_relevance
from workingset.rendering import CountTokens, render
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Ref, Tokens

_KEEPS_A_LINE = frozenset({Cause.PRESSURE, Cause.COOLED, Cause.REFOCUS})


def fill_frontier(
    draft: Draft,
    texts: Texts,
    projection: Projection,
    falling: Sequence[tuple[Entry, Cause]],
    kept: Sequence[Entry],
    ceiling: Tokens,
    settings: WorkingSetSettings,
    count: CountTokens,
) -> None:
    """Settle who is on the frontier.

    `falling` are residents that lost their place, with the cause; `kept` are the entries that did not.
    """
    causes = {entry.ref: cause for entry, cause in falling}
    held = {entry.ref for entry in kept}
    wanted = _wanted(draft, projection, causes, held, settings)
    fitting = _fitting(draft, texts, wanted, kept, ceiling, count)
    for entry in [e for e in draft.entries.values() if e.tier is Tier.FRONTIER_ONLY and e.ref not in fitting]:
        draft.evict(entry.ref, Cause.PRESSURE if entry.ref in wanted else Cause.COOLED)
    for entry, cause in falling:
        if entry.ref in fitting:
            draft.demote(entry.ref, Tier.FRONTIER_ONLY, cause)
        else:
            draft.evict(entry.ref, cause)
    for ref in fitting:
        if ref not in draft.entries:
            draft.admit(texts.candidates[ref], Tier.FRONTIER_ONLY, Cause.RELEVANT, Fidelity.REFERENCE)
        draft.update(replace(draft.entries[ref], tokens=fitting[ref]))


def _wanted(
    draft: Draft, projection: Projection, causes: dict[Ref, Cause], held: set[Ref], settings: WorkingSetSettings
) -> list[Ref]:
    omitted = [c.ref for c in by_relevance(projection.ranked) if c.ref not in held]
    ranked = set(omitted)
    fallen = sorted(
        (draft.entries[ref] for ref, cause in causes.items() if cause in _KEEPS_A_LINE and ref not in ranked),
        key=lambda entry: (-heat_at(entry, draft.turn, settings.heat), entry.ref),
    )
    return [*omitted, *(entry.ref for entry in fallen)][: settings.packing.frontier_lines]


def _fitting(
    draft: Draft, texts: Texts, wanted: Sequence[Ref], kept: Sequence[Entry], ceiling: Tokens, count: CountTokens
) -> dict[Ref, Tokens]:
    lines = [_line(draft, texts, ref) for ref in wanted]
    sizes = {line.ref: texts.tokens(line, Fidelity.REFERENCE) for line in lines}
    while lines and render([*kept, *lines], texts.of, count).tokens > ceiling:
        lines.pop()
    return {line.ref: sizes[line.ref] for line in lines}


def _line(draft: Draft, texts: Texts, ref: Ref) -> Entry:
    entry = draft.entries.get(ref)
    if entry is not None:
        return replace(entry, tier=Tier.FRONTIER_ONLY, fidelity=Fidelity.REFERENCE)
    candidate = texts.candidates[ref]
    # Admission later gives it the next order; among lines that only sorts behind what is there already.
    return Entry(
        ref=ref,
        namespace=candidate.namespace,
        kind=candidate.kind,
        title=candidate.title,
        tier=Tier.FRONTIER_ONLY,
        fidelity=Fidelity.REFERENCE,
        generation=candidate.generation,
        digest=candidate.digest,
        admitted_turn=draft.turn,
        order=1 << 62,
        path=candidate.path,
        lines=candidate.lines,
        standing=candidate.standing,
        successor=candidate.successor,
    )
