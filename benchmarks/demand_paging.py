"""How often does an eviction policy fault where pages come by demand alone?

A replay of references against one policy and one budget: no daemon, no retrieval, no headers. The program for measure
M1 and the tests of the policies run it; it has no command line of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from workingset.eviction.policy import EvictionPolicy, Memory, Page
from workingset.settings import EvictionSettings
from workingset.vocabulary import Ref, Relevance, Tokens

RelevanceAt: TypeAlias = Callable[[int, Ref], float]
"""How well a page answers the goal of a turn, 0 to 1."""
RoomAt: TypeAlias = Callable[[int], Tokens]
"""The room for pages at a turn: what its goal leaves of the budget."""
WIDE_PRIOR_REFERENCES = EvictionSettings().wide_prior_references


@dataclass(frozen=True, slots=True)
class Reference:
    """One open or edit: its pages, each with how many of its lines lie in it.

    `wide` says that it named no range of lines. Raises ValueError where there are no pages, one twice or one without
    lines.
    """

    pages: tuple[tuple[Ref, int], ...]
    edit: bool = False
    wide: bool = False
    turn: int = 0

    def __post_init__(self) -> None:
        refs = [ref for ref, _ in self.pages]
        if not refs or len(set(refs)) < len(refs) or any(lines < 1 for _, lines in self.pages):
            raise ValueError(f"pages {self.pages}: name at least one, each once and with at least one line")


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of it: hit or fault, and the tokens there after each reference; tokens paged in; pages evicted."""

    hits: tuple[bool, ...]
    delivered_tokens: int
    resident_tokens: tuple[int, ...]
    evictions: int


@dataclass(slots=True)
class _Resident:
    """A page that is there."""

    touched_at: int
    uses: int
    group_tokens: Tokens
    edited: bool
    order: int


@dataclass(slots=True)
class _Replaying:
    """A set of pages under one policy, reference after reference."""

    policy: EvictionPolicy
    sizes: Mapping[Ref, Tokens]
    capacity: Tokens
    relevance: RelevanceAt
    force: bool
    memory: Memory = field(default_factory=Memory)
    residents: dict[Ref, _Resident] = field(default_factory=dict[Ref, _Resident])
    resident_tokens: int = 0
    references: int = 0
    wide: int = 0
    delivered_tokens: int = 0
    evictions: int = 0
    admitted: int = 0
    uses_ever: dict[Ref, int] = field(default_factory=dict[Ref, int])

    def hold(self, capacity: Tokens, turn: int) -> None:
        """Bring what is there within the room of a turn; raises ValueError where that is below 1 token."""
        if capacity < 1:
            raise ValueError(f"capacity {capacity}: give at least 1 token")
        self.capacity = capacity
        if self.resident_tokens > capacity:
            self._make_room(turn, frozenset())

    def shown_share(self, reference: Reference) -> float:
        """The share of the reference's lines that lie in resident pages."""
        shown = sum(lines for ref, lines in reference.pages if ref in self.residents)
        return shown / sum(lines for _, lines in reference.pages)

    def use(self, reference: Reference) -> None:
        """Page in what is missing, touch the rest, and make room."""
        self.references += 1
        self.wide += reference.wide
        group = frozenset(ref for ref, _ in reference.pages)
        group_tokens = Tokens(sum(self.sizes[ref] for ref in group))
        for ref, _ in reference.pages:
            self._use_page(ref, reference, group_tokens)
        if self.resident_tokens > self.capacity:
            self._make_room(reference.turn, group if self.force and group_tokens <= self.capacity else frozenset())

    def _use_page(self, ref: Ref, reference: Reference, group_tokens: Tokens) -> None:
        before = self.residents.get(ref)
        uses = before.uses + 1 if before else 1
        order = before.order if before else self.admitted
        self.residents[ref] = _Resident(self.references, uses, group_tokens, reference.edit, order)
        self.uses_ever[ref] = self.uses_ever.get(ref, 0) + 1
        if before is None:
            self.admitted += 1
            self.resident_tokens += self.sizes[ref]
            self.delivered_tokens += self.sizes[ref]
        told = self.policy.touch if before else self.policy.admit
        self.memory = told(self.memory, self._page(ref, reference.turn), self.capacity)

    def _make_room(self, turn: int, kept: frozenset[Ref]) -> None:
        pages = [self._page(ref, turn) for ref in self.residents if ref not in kept]
        needed = Tokens(self.resident_tokens - self.capacity)
        victims = self.policy.victims(self.memory, pages, needed, self.capacity, kept)
        for ref in victims.refs:
            del self.residents[ref]
            self.resident_tokens -= self.sizes[ref]
        self.evictions += len(victims.refs)
        self.memory = victims.memory

    def _page(self, ref: Ref, turn: int) -> Page:
        resident = self.residents[ref]
        return Page(
            ref=ref,
            tokens=self.sizes[ref],
            age_references=self.references - resident.touched_at,
            uses=resident.uses,
            group_tokens=resident.group_tokens,
            relevance=Relevance(self.relevance(turn, ref)),
            last_use_was_edit=resident.edited,
            wide_share=self.wide / (self.references + WIDE_PRIOR_REFERENCES),
            uses_ever=self.uses_ever[ref],
            order=resident.order,
        )


def no_relevance(turn: int, ref: Ref) -> float:
    """Return 0: there is no goal, or it is not looked at."""
    del turn, ref
    return 0.0


def replay(
    policy: EvictionPolicy,
    references: Sequence[Reference],
    sizes: Mapping[Ref, Tokens],
    capacity: Tokens | RoomAt,
    *,
    relevance: RelevanceAt = no_relevance,
    hit_share: float = 0.9,
    force: bool | None = None,
) -> Replay:
    """Return what came of the references, in their order, from an empty set.

    A reference is a hit where at least `hit_share` of its lines are in pages that are there; what is missing of a hit
    is paged in and counts as delivered too. A capacity by turn holds from the beginning of each turn on, turns without
    references among them. With `force` the pages of the last reference may not go unless they alone exceed the
    capacity; None leaves that to the policy's `forces_admission`. Raises KeyError for a page without a size and
    ValueError for a capacity below 1.
    """
    room: RoomAt = capacity if callable(capacity) else lambda _: capacity
    admission = policy.forces_admission if force is None else force
    state = _Replaying(policy, sizes, Tokens(0), relevance, admission)
    hits: list[bool] = []
    resident: list[int] = []
    turn = 0
    for reference in references:
        for at in range(turn, reference.turn + 1):
            state.hold(room(at), at)
        turn = max(turn, reference.turn + 1)
        hits.append(state.shown_share(reference) >= hit_share)
        state.use(reference)
        resident.append(state.resident_tokens)
    return Replay(tuple(hits), state.delivered_tokens, tuple(resident), state.evictions)
