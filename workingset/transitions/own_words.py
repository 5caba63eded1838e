"""The set's own words: the goal of the turn, which is the root obligation, and the user's open request it rests on.

The request is mandatory: the goal needs it. It stays over as many goals as it takes, until the user asks something else
or the host says that it is done. Where the goal says the same words, they stand in the block once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xxhash import xxh3_128_hexdigest

from workingset.entry import GOAL_NAMESPACE, REQUEST_NAMESPACE, Pin, PinOwner
from workingset.errors import NoRequest
from workingset.settings import WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.draft import Draft
from workingset.transitions.settling import settle
from workingset.transitions.texts import Texts
from workingset.vocabulary import Fidelity, Namespace, Ref, Turn
from workingset.working_set import WorkingSet


def goal_pin(text: str, turn: Turn) -> Pin:
    """Return the root obligation that a goal is; equal goals have equal refs."""
    return Pin(_ref(GOAL_NAMESPACE, text), PinOwner.GOAL, "goal of the turn", turn, text=text)


def request_pin(text: str, turn: Turn) -> Pin:
    """Return the obligation that a user's request is; equal requests have equal refs."""
    return Pin(_ref(REQUEST_NAMESPACE, text), PinOwner.REQUEST, "the user's open request", turn, text=text)


def replace_own_words(draft: Draft, texts: Texts, goal: str, request: str) -> None:
    """Make the goal the one root obligation, and a new request the open one; equal words stay as they are."""
    if request:
        _replace_request(draft, request_pin(request, draft.turn))
    held = _of(draft, PinOwner.REQUEST)
    needs = (held.ref,) if held is not None and held.text != goal else ()
    _replace_goal(draft, texts, goal_pin(goal, draft.turn), needs)
    if held is None:
        return
    candidate = texts.add(held)
    if needs and held.ref not in draft.entries:
        draft.admit(candidate, Tier.MANDATORY, Cause.NEEDED, Fidelity.FULL)
    elif not needs and held.ref in draft.entries:
        draft.evict(held.ref, Cause.NEW_GOAL, "the goal says the same")


def open_request(draft: Draft, request: str) -> None:
    """Make a request the open one in a turn that has no room to show it: it enters the block with the next Focus."""
    new = request_pin(request, draft.turn)
    if new.ref in draft.pins:
        return
    _replace_request(draft, new)
    goal = _of(draft, PinOwner.GOAL)
    if goal is not None and goal.ref in draft.entries:
        draft.update(replace(draft.entries[goal.ref], requires=()))
    settle(draft)


@dataclass(frozen=True, slots=True)
class CloseOutcome:
    """The next state, the request that was open, and the moves."""

    state: WorkingSet
    request: str
    moves: tuple[Move, ...]


def close_request(state: WorkingSet, settings: WorkingSetSettings) -> CloseOutcome:
    """Return the outcome of the user's request being done; raises NoRequest where none is open."""
    held = state.request
    if held is None:
        raise NoRequest(state.agent)
    draft = Draft(state, state.turn, settings)
    del draft.pins[held.ref]
    if state.goal is not None and state.goal.ref in draft.entries:
        draft.update(replace(draft.entries[state.goal.ref], requires=()))
    if held.ref in draft.entries:
        draft.evict(held.ref, Cause.CLOSED)
    settle(draft)
    after = draft.between_turns(state)
    return CloseOutcome(after, held.text, tuple(draft.moves))


def _replace_request(draft: Draft, new: Pin) -> None:
    old = _of(draft, PinOwner.REQUEST)
    if old is not None and old.ref == new.ref:
        return
    if old is not None:
        del draft.pins[old.ref]
        if old.ref in draft.entries:
            draft.evict(old.ref, Cause.NEW_REQUEST)
    draft.pins[new.ref] = new


def _replace_goal(draft: Draft, texts: Texts, new: Pin, needs: tuple[Ref, ...]) -> None:
    old = _of(draft, PinOwner.GOAL)
    candidate = texts.add(new, needs)
    if old is not None and old.ref != new.ref:
        del draft.pins[old.ref]
        draft.evict(old.ref, Cause.NEW_GOAL)
    if new.ref not in draft.pins:
        draft.pins[new.ref] = new
        draft.admit(candidate, Tier.PINNED, Cause.GOAL, Fidelity.FULL)
    draft.update(replace(draft.entries[new.ref], requires=needs))


def _of(draft: Draft, owner: PinOwner) -> Pin | None:
    return next((pin for pin in draft.pins.values() if pin.owner is owner), None)


def _ref(namespace: Namespace, text: str) -> Ref:
    return Ref(f"{namespace}:{xxh3_128_hexdigest(text.encode('utf-8', 'surrogatepass'))[:12]}")
