"""Whether the things that the goal names occur anywhere in the scope. "Occurs nowhere" is said only after looking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.errors import IndexUnavailable
from retrieval.goal import Goal, GoalName, NameForm
from retrieval.text.tokens import analyse
from workingset.candidate import Entity

Probe = Callable[[Sequence[str]], Iterable[frozenset[str]]]
"""The terms of a few valid records of the scope that hold the given terms best; may raise IndexUnavailable."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """The entities that could be checked, and how many could not."""

    entities: tuple[Entity, ...]
    unchecked: int


def ground(
    goal: Goal,
    exact_names: frozenset[str],
    seen: Sequence[frozenset[str]],
    frequencies: Mapping[str, int],
    probe: Probe,
    probes: int,
    *,
    behind: bool,
) -> Grounding:
    """Check each entity: by an exact match, by a seen record with all its terms, by frequency, by looking again.

    `exact_names` were verified at the cut. At most `probes` new look-ups are made. Where the index is `behind` the
    store, what was not found is unchecked: it may be in what is not indexed yet.
    """
    entities: list[Entity] = []
    unchecked = 0
    left = probes
    for entity in goal.entities:
        terms = list(dict.fromkeys(analyse(entity.text)))
        found = _witnessed(entity, terms, exact_names, seen)
        if not found and terms and not _impossible(terms, frequencies):
            if left == 0:
                unchecked += 1
                continue
            left -= 1
            try:
                found = any(held.issuperset(terms) for held in probe(terms))
            except IndexUnavailable:
                unchecked += 1
                continue
        if not found and behind:
            unchecked += 1
        elif terms or found:
            entities.append(Entity(entity.text, found))
    return Grounding(tuple(entities), unchecked)


def _witnessed(
    entity: GoalName, terms: Sequence[str], exact_names: frozenset[str], seen: Iterable[frozenset[str]]
) -> bool:
    if any(_names(name, entity) for name in exact_names):
        return True
    return bool(terms) and any(held.issuperset(terms) for held in seen)


def _names(name: str, entity: GoalName) -> bool:
    """True where a name found in the store is the whole entity, or a path and it end alike in more than a base name."""
    if name == entity.text:
        return True
    if entity.form is not NameForm.PATH:
        return False
    written = entity.text.strip("/")
    return name.endswith(f"/{written}") or ("/" in name and written.endswith(f"/{name}"))


def _impossible(terms: Iterable[str], frequencies: Mapping[str, int]) -> bool:
    """True where a term is known to be in no record at all."""
    return any(frequencies.get(term, 1) == 0 for term in terms)
