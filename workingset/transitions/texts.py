"""Where a transition finds the text of each entry: records from the projection, the set's own words from its pins."""

from __future__ import annotations

from collections.abc import Iterable

from workingset.candidate import Candidate, GoalView, Projection, Renderings
from workingset.entry import NOTE_KIND, Entry, Pin, PinOwner
from workingset.rendering import CountTokens, first_words, place_of, segment_text
from workingset.transitions.records import records_of
from workingset.vocabulary import (
    Digest,
    Fidelity,
    Generation,
    Namespace,
    Ref,
    Relevance,
    Standing,
    SupportClosure,
    Tokens,
)

GOAL_KIND = "goal"
REQUEST_KIND = "request"
NO_GOAL = GoalView("")
"""For calls that read records and have no goal."""
_NO_TEXT = Renderings("", "", "")


_KINDS = {PinOwner.GOAL: GOAL_KIND, PinOwner.REQUEST: REQUEST_KIND}


def pin_candidate(pin: Pin, requires: tuple[Ref, ...] = ()) -> Candidate:
    """Return the candidate of a pin that carries its own words; `requires` is what it may not be without."""
    own = pin.owner in _KINDS
    namespace, _, digest = pin.ref.partition(":")
    return Candidate(
        ref=pin.ref,
        namespace=Namespace(namespace),
        kind=_KINDS.get(pin.owner, NOTE_KIND),
        title=_KINDS[pin.owner] if own else first_words(pin.text),
        generation=Generation(0),
        digest=Digest(digest),
        renderings=_words(pin),
        relevance=Relevance(1.0 if own else 0.0),
        requires=requires,
        closure=SupportClosure.CLOSED,
    )


class Texts:
    """Renderings by ref, and the exact size of a segment at any fidelity.

    `candidates` are all records that were read, `ranked` those that answer the goal, in order. A pinned record that was
    not read has an empty text: a pin is kept all the same. Sizes are remembered by ref and
    fidelity, so entries must be up to their records before they are measured.
    """

    def __init__(self, projection: Projection, pins: Iterable[Pin], count: CountTokens) -> None:
        self.candidates = records_of(projection)
        self.ranked = projection.ranked
        self._own = {pin.ref: _words(pin) for pin in pins if pin.has_words or pin.ref not in self.candidates}
        self._count = count
        self._places: dict[Ref, str] = {}
        self._sizes: dict[Fidelity, dict[Ref, Tokens]] = {fidelity: {} for fidelity in Fidelity}
        self._closures: dict[Ref, tuple[Ref, ...]] = {}

    def add(self, pin: Pin, requires: tuple[Ref, ...] = ()) -> Candidate:
        """Make the words of a pin known, and what it requires; returns them as a candidate."""
        self._own[pin.ref] = _words(pin)
        self.candidates[pin.ref] = pin_candidate(pin, requires)
        self._closures.clear()
        return self.candidates[pin.ref]

    def has(self, ref: Ref) -> bool:
        """True where the ref can be rendered."""
        return ref in self._own or ref in self.candidates

    def usable(self, ref: Ref) -> bool:
        """True where the ref was read and is current, so that it may enter as what another one needs."""
        return ref in self.candidates and self.candidates[ref].standing is Standing.CURRENT

    def needs(self, ref: Ref) -> tuple[Ref, ...]:
        """Return the usable refs that a record needs, over all steps, nearest first; itself is not among them."""
        if ref not in self._closures:
            found = [ref]
            for node in found:  # grows while it is walked
                requires = self.candidates[node].requires if node in self.candidates else ()
                found += [need for need in dict.fromkeys(requires) if need not in found and self.usable(need)]
            self._closures[ref] = tuple(found[1:])
        return self._closures[ref]

    def of(self, ref: Ref) -> Renderings:
        """Return the ref's renderings; a set's own words before a record's."""
        return self._own[ref] if ref in self._own else self.candidates[ref].renderings

    def tokens(self, entry: Entry, fidelity: Fidelity) -> Tokens:
        """Return the size of the entry's segment at a fidelity, header included."""
        sizes, ref = self._sizes[fidelity], entry.ref
        if ref not in sizes:
            if ref not in self._places:
                self._places[ref] = place_of(entry)
            texts = _NO_TEXT if fidelity is Fidelity.REFERENCE else self.of(ref)
            sizes[ref] = Tokens(self._count(segment_text(entry, texts, fidelity, self._places[ref])))
        return sizes[ref]


def _words(pin: Pin) -> Renderings:
    return Renderings(pin.text, pin.text, pin.text)
