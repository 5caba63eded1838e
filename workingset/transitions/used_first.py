"""What was just used against what nobody used: which of it keeps its place whole, and what is too large for that.

A policy may refuse what was used, since by its measure other pages are worth more; but it knows pages by their uses,
and of what nobody used it cannot know that. So for what was just used the loose ones, that nobody used or that are not
whole anyway, make room, up to a share of the budget. The smallest of what was used come first; one that is too large
for the room shows its outline, and goes where that is too large as well. Where nothing is loose, the policy judges
alone: measured with demand paging (docs/measures.md, M9), outlines of what it refuses cost half a point of the prefix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workingset.copying import changed
from workingset.entry import Entry
from workingset.transitions.draft import Draft
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Ref, Tokens


@dataclass(frozen=True, slots=True)
class Claims:
    """Who of what was used keeps a place and who has to go, and by how many tokens the loose ones make room."""

    spared: frozenset[Ref] = frozenset()
    goes: tuple[Ref, ...] = ()
    loose: tuple[Entry, ...] = ()
    claim: Tokens = Tokens(0)


def is_loose(entry: Entry) -> bool:
    """True for a text that nobody used, or that is not whole: its use would be a fault all the same."""
    return not (entry.uses or entry.uses_before) or entry.fidelity is not Fidelity.FULL


def claims_of(
    draft: Draft, texts: Texts, residents: Iterable[Entry], just_used: frozenset[Ref], short: int, share: Tokens
) -> Claims:
    """Return who of `residents` keeps its place for having been used, where they are `short` tokens above the room.

    The loose ones are asked for `share` tokens at most; where there are none, the policy judges alone. What is too
    large to be whole falls to its outline here, where the policy would have it go: the set is smaller by so much then.
    """
    there = {entry.ref: entry for entry in residents}
    used = sorted((e for e in there.values() if e.ref in just_used), key=lambda e: (e.tokens, e.ref))
    if not used:
        return Claims()
    loose = tuple(entry for entry in there.values() if entry.ref not in just_used and is_loose(entry))
    claim = min(int(share), sum(entry.tokens for entry in loose))
    if not claim:
        return Claims()
    room = sum(entry.tokens for entry in used) - short + claim
    spared: set[Ref] = set()
    for page in used:
        if page.tokens <= room:
            spared.add(page.ref)
            room -= page.tokens
    goes: list[Ref] = []
    while (entry := _named(draft, [e for e in there.values() if e.ref not in spared], just_used, short)) is not None:
        del there[entry.ref]
        outline = texts.tokens(entry, Fidelity.OUTLINE)
        if outline < entry.tokens and outline <= room:
            draft.update(changed(entry, fidelity=Fidelity.OUTLINE, tokens=outline))
            spared.add(entry.ref)
            room -= outline
            short -= entry.tokens - outline
        else:
            goes.append(entry.ref)
            short -= entry.tokens
    return Claims(frozenset(spared), tuple(goes), loose, Tokens(max(0, min(short, claim)) if spared else 0))


def _named(draft: Draft, pool: list[Entry], just_used: frozenset[Ref], short: int) -> Entry | None:
    """The largest of what was used that the policy names among those that may go; None where it names none."""
    named = set(draft.copy().victims(pool, Tokens(short)))
    used = [entry for entry in pool if entry.ref in named and entry.ref in just_used]
    return max(used, key=lambda entry: (entry.tokens, entry.ref), default=None)
