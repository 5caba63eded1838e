"""What a working set is made of: entries, pins and ghosts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from workingset.tier import Tier
from workingset.vocabulary import (
    Digest,
    Epoch,
    Fidelity,
    Freshness,
    Generation,
    Heat,
    Lines,
    Namespace,
    Ref,
    Relevance,
    Standing,
    SupportClosure,
    Tokens,
    Turn,
)

GOAL_NAMESPACE = Namespace("goal")
"""Reserved: the namespace of goals, whose text lives in the set itself."""
NOTE_KIND = "note"
"""The kind of words that were pinned."""
TURN_KIND = "turn"
"""The kind of what an agent said and saw, kept as history."""
REQUEST_NAMESPACE = Namespace("request")
"""Reserved: the namespace of users' requests, whose text lives in the set itself."""


@unique
class PinOwner(Enum):
    """Who pinned. GOAL and REQUEST are the daemon's own: the current goal, and the user's open request."""

    HOST = "host"
    AGENT = "agent"
    GOAL = "goal"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Pin:
    """An obligation to keep an entry at full fidelity.

    `text` holds the words of a goal, a request or a text pin and is empty for a pinned record. The pin ends after
    `expires_turn`, with `epoch`, or at `expires_seconds` of Unix time, whichever comes first; 0 and None mean never.
    With `follow_successor` it moves on to the record that supersedes its own.
    """

    ref: Ref
    owner: PinOwner
    reason: str
    pinned_turn: Turn
    expires_turn: Turn = Turn(0)
    text: str = ""
    epoch: Epoch | None = None
    expires_seconds: int = 0
    follow_successor: bool = False

    @property
    def has_words(self) -> bool:
        """True where the pin carries its own words, even none, and names no record."""
        return bool(self.text) or self.owner is PinOwner.GOAL

    def holds_at(self, turn: Turn, epoch: Epoch, now_seconds: int) -> bool:
        """True while the pin is not expired."""
        return (
            (self.expires_turn == 0 or turn <= self.expires_turn)
            and (self.epoch is None or epoch <= self.epoch)
            and (self.expires_seconds == 0 or now_seconds < self.expires_seconds)
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """A record's place in a working set.

    `heat` is that at turn `heat_turn`; decay is computed, never written (`workingset.heat`). `order` is that in
    which entries came to their part of the block (pins, texts, lines), by which it is laid out, and `admitted_turn` the
    turn in which they did. `generation` and `digest` are of the version last read. `touched_at` is the reference clock
    at the last use or admission, `group_tokens` the width of the group it was used with. `uses` are those since it
    entered, `uses_before` those of earlier stays, `turn_uses` those of the turn `used_turn`. `tokens` is the size of
    its rendered segment, header included. `required_by` names the entries that need it, and `grounded` is the share of
    what it needs itself that is there, whole and fresh; `unmet` counts needs that the store could not meet.
    """

    ref: Ref
    namespace: Namespace
    kind: str
    title: str
    tier: Tier
    fidelity: Fidelity
    generation: Generation
    digest: Digest
    admitted_turn: Turn
    order: int
    path: str = ""
    lines: Lines | None = None
    heat: Heat = Heat(0.0)
    heat_turn: Turn = Turn(0)
    touched_at: int = 0
    group_tokens: Tokens = Tokens(0)
    uses: int = 0
    last_use_was_edit: bool = False
    protected_until: Turn = Turn(0)
    relevance: Relevance = Relevance(0.0)
    reason: str = ""
    lanes: tuple[str, ...] = ()
    tokens: Tokens = Tokens(0)
    requires: tuple[Ref, ...] = ()
    required_by: tuple[Ref, ...] = ()
    closure: SupportClosure = SupportClosure.NOT_REQUESTED
    standing: Standing = Standing.CURRENT
    successor: Ref | None = None
    freshness: Freshness = Freshness.UNKNOWN
    used_turn: Turn = Turn(0)
    turn_uses: int = 0
    grounded: float = 1.0
    uses_before: int = 0
    unmet: int = 0

    @property
    def has_text(self) -> bool:
        """True where the block holds more of it than its name."""
        return self.tier is not Tier.FRONTIER_ONLY and self.fidelity is not Fidelity.REFERENCE

    def needs(self, ref: Ref) -> bool:
        """True where the entry holds a place that it may not keep without the ref."""
        return ref in self.requires and ref != self.ref and self.tier is not Tier.FRONTIER_ONLY


@dataclass(frozen=True, slots=True)
class Ghost:
    """What is remembered of an evicted entry: `uses` are those of all its stays. The record stays in the store."""

    ref: Ref
    evicted_turn: Turn
    evicted_at: int
    reason: str
    heat: Heat
    title: str = ""
    uses: int = 0
