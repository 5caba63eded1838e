"""Where a transition finds the text of each entry: records from the projection, the set's own words from its pins."""

from __future__ import annotations

from collections.abc import Iterable

from workingset.candidate import Candidate, GoalView, Projection, Renderings
from workingset.entry import GOAL_NAMESPACE, Entry, Pin, PinOwner
from workingset.rendering import CountTokens, segment_text
from workingset.vocabulary import (
    Digest,
    Fidelity,
    Generation,
    Namespace,
    Ref,
    Relevance,
    SupportClosure,
    Tokens,
)

NOTE_KIND = "note"
GOAL_KIND = "goal"
NO_GOAL = GoalView("")
"""For calls that read records and have no goal."""


def pin_candidate(pin: Pin, digest: Digest) -> Candidate:
    """Return the candidate of a pin that carries its own words."""
    goal = pin.owner is PinOwner.GOAL
    return Candidate(
        ref=pin.ref,
        namespace=GOAL_NAMESPACE if goal else Namespace(pin.ref.partition(":")[0]),
        kind=GOAL_KIND if goal else NOTE_KIND,
        title="goal" if goal else pin.reason,
        generation=Generation(0),
        digest=digest,
        renderings=Renderings(pin.text, pin.text, pin.text),
        relevance=Relevance(1.0 if goal else 0.0),
        closure=SupportClosure.CLOSED,
    )


class Texts:
    """Renderings by ref, and the exact size of a segment at any fidelity."""

    def __init__(self, projection: Projection, pins: Iterable[Pin], count: CountTokens) -> None:
        self.candidates: dict[Ref, Candidate] = {}
        for candidate in (*projection.support, *projection.known, *projection.ranked):
            self.candidates[candidate.ref] = candidate
        self._own = {pin.ref: Renderings(pin.text, pin.text, pin.text) for pin in pins if pin.text}
        self._count = count

    def add(self, pin: Pin) -> None:
        """Make the words of a pin known."""
        self._own[pin.ref] = Renderings(pin.text, pin.text, pin.text)

    def has(self, ref: Ref) -> bool:
        """True where the ref can be rendered."""
        return ref in self._own or ref in self.candidates

    def of(self, ref: Ref) -> Renderings:
        """Return the ref's renderings; a set's own words before a record's."""
        return self._own[ref] if ref in self._own else self.candidates[ref].renderings

    def tokens(self, entry: Entry, fidelity: Fidelity) -> Tokens:
        """Return the size of the entry's segment at a fidelity, header included."""
        return Tokens(self._count(segment_text(entry, self.of(entry.ref), fidelity)))
