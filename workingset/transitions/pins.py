"""Pin and unpin: obligations that only their owner, or their expiry, ends.

A pin that could never fit the agent's budget is answered OVER_BUDGET and not taken; nothing else is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workingset.budget import OverBudget, over_budget
from workingset.candidate import Candidate, Projection
from workingset.entry import Pin, PinOwner
from workingset.errors import NotInSet, PinRefused
from workingset.rendering import CountTokens, render
from workingset.settings import PinSettings, WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.making_room import make_room
from workingset.transitions.settling import fixed_entries, settle
from workingset.transitions.texts import NO_GOAL, Texts, pin_candidate
from workingset.vocabulary import Fidelity, Ref, Tokens, Turn
from workingset.working_set import WorkingSet

_BY_FOCUS = (PinOwner.GOAL, PinOwner.REQUEST)


@dataclass(frozen=True, slots=True)
class PinOrder:
    """What is to be pinned. `text` is empty for a record.

    `expires_turns` counts from now, `expires_at_seconds` is Unix time; 0 means that they do not end it.
    `follow_successor` lets the pin move on to the record that supersedes its own.
    """

    ref: Ref
    owner: PinOwner
    reason: str
    expires_turns: int = 0
    text: str = ""
    expires_with_epoch: bool = False
    expires_at_seconds: int = 0
    follow_successor: bool = False


@dataclass(frozen=True, slots=True)
class PinOutcome:
    """The next state with the pin, or the same state and why the pin can never fit."""

    state: WorkingSet
    pin: Pin
    tokens: Tokens
    moves: tuple[Move, ...]
    over_budget: OverBudget | None


def pin(
    state: WorkingSet,
    order: PinOrder,
    records: Sequence[Candidate],
    budget: Tokens,
    settings: WorkingSetSettings,
    count: CountTokens,
) -> PinOutcome:
    """Return the outcome of pinning a record or words.

    `records` are the record to pin, what it needs, and every other pinned record with its needs, read at one cut.
    Raises PinRefused where there is nothing to pin, or where the owner asks for more than it may have.
    """
    _check(state, order, settings.pins)
    made = Pin(
        ref=order.ref,
        owner=order.owner,
        reason=order.reason,
        pinned_turn=state.turn,
        expires_turn=_expiry(state, order, settings.pins),
        text=order.text,
        epoch=state.epoch if order.expires_with_epoch else None,
        expires_seconds=order.expires_at_seconds,
        follow_successor=order.follow_successor,
    )
    draft = Draft(state, state.turn, settings)
    texts = Texts(Projection(goal=NO_GOAL, cut=state.cut, known=tuple(records)), (*state.pins, made), count)
    own = pin_candidate(made) if made.text else texts.candidates.get(made.ref)
    if own is None:
        raise PinRefused("ref", f"no record {made.ref!r} was read: give a record's ref, or a text to pin")
    for words in (state.request, state.goal):
        if words is not None and (held := state.entry(words.ref)) is not None:
            texts.add(words, held.requires)
    draft.pins[made.ref] = made
    entry = draft.admit(own, Tier.PINNED, Cause.PINNED, Fidelity.FULL)
    draft.update(replace(entry, requires=own.requires, closure=own.closure))
    fixed = fixed_entries(draft, texts)
    block = render(fixed, texts.of, count)
    tokens = next(entry.tokens for entry in fixed if entry.ref == made.ref)
    if block.tokens > budget:
        return PinOutcome(state, made, tokens, (), over_budget(block.tokens, fixed))
    settle(draft)
    make_room(draft, texts, state.budget, frozenset(), settings)
    settle(draft)
    return PinOutcome(_finished(state, draft), made, tokens, tuple(draft.moves), None)


@dataclass(frozen=True, slots=True)
class UnpinOutcome:
    """The next state and where the entry fell to."""

    state: WorkingSet
    moves: tuple[Move, ...]


def unpin(state: WorkingSet, ref: Ref, settings: WorkingSetSettings) -> UnpinOutcome:
    """Return the outcome of ending a pin; raises NotInSet where there is none, PinRefused for the goal."""
    held = state.pin(ref)
    if held is None:
        raise NotInSet(ref)
    if held.owner is PinOwner.GOAL:
        raise PinRefused("ref", "the goal of the turn is replaced by the next Focus, not unpinned")
    if held.owner is PinOwner.REQUEST:
        raise PinRefused("ref", "the user's request is not unpinned but closed: call CloseRequest")
    draft = Draft(state, state.turn, settings)
    draft.unpin(ref, Cause.UNPINNED)
    settle(draft)
    return UnpinOutcome(_finished(state, draft), tuple(draft.moves))


def _check(state: WorkingSet, order: PinOrder, settings: PinSettings) -> None:
    other = state.pin(order.ref)
    if order.owner in _BY_FOCUS or (other is not None and other.owner in _BY_FOCUS):
        raise PinRefused("ref", "the goal of the turn and the user's request are pinned by Focus alone")
    if order.follow_successor and order.text:
        raise PinRefused("follow_successor", "goes with a record's ref: words have no successor")
    if order.expires_turns < 0:
        raise PinRefused("expires_turns", f"{order.expires_turns} turns cannot be: 0 keeps a pin until it is unpinned")
    if len(order.text.encode("utf-8", "surrogatepass")) > settings.text_bytes_limit:
        raise PinRefused("text", f"has more than {settings.text_bytes_limit} bytes: ingest it and pin its ref")
    if order.owner is PinOwner.HOST:
        return
    held = [p for p in state.pins if p.owner is PinOwner.AGENT and p.ref != order.ref]
    if len(held) >= settings.agent_pins_limit:
        raise PinRefused("owner", f"an agent may hold {settings.agent_pins_limit} pins of its own: unpin one first")
    if other is not None and other.owner is not PinOwner.AGENT:
        raise PinRefused("ref", "the host has pinned this already, and an agent cannot change a host's pin")


def _expiry(state: WorkingSet, order: PinOrder, settings: PinSettings) -> Turn:
    if order.owner is PinOwner.HOST:
        return Turn(state.turn + order.expires_turns if order.expires_turns else 0)
    turns = order.expires_turns or settings.agent_pin_turns
    if turns > settings.agent_pin_turns_limit:
        raise PinRefused("expires_turns", f"an agent's pin lasts {settings.agent_pin_turns_limit} turns at most")
    return Turn(state.turn + turns)


def _finished(state: WorkingSet, draft: Draft) -> WorkingSet:
    return draft.between_turns(state)
