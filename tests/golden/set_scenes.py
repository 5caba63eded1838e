"""Working sets worth keeping for ever: each is written once for every format, and opened by every later version."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import count
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.drift import Verdict
from workingset.entry import PinOwner
from workingset.tier import LEGAL, Move, Tier
from workingset.vocabulary import AgentId, Ref
from workingset.working_set import WorkingSet


def new() -> WorkingSet:
    """An agent that was never seen."""
    return WorkingSet(AgentId("dev"))


def pinned() -> WorkingSet:
    """One pin of each kind: a record of the host's, one of the agent's that expires, words, and the goal."""
    agent = _worked_on()
    owners = {pin.owner for pin in agent.state.pins}
    assert {PinOwner.HOST, PinOwner.AGENT, PinOwner.GOAL} <= owners
    assert any(pin.text for pin in agent.state.pins if pin.owner is not PinOwner.GOAL)
    assert any(entry.tier is Tier.MANDATORY for entry in agent.state.entries)
    assert agent.state.delivered
    assert agent.state.baseline.vector
    return agent.state


def moved_on() -> WorkingSet:
    """After evictions, an edit and a refocus: ghosts, lines without text, drift with stale entries, a new baseline."""
    agent = _worked_on()
    agent.evict("chart")
    agent.corpus.generation += 1
    agent.corpus.put(record("rule", text="Refunds above 500 € need two people.\n", generation=2))
    agent.corpus.put(*(record(f"mail{i}", 0.9 - i / 50, lines=60, generation=2) for i in range(12)))
    relevance = {ref(f"mail{i}"): 0.9 - i / 50 for i in range(12)}
    goal = "send every mail in one batch"
    for _ in range(8):
        projection = agent.corpus.projection(goal, relevance, agent.known(), vector=(0.0, 1.0, 0.0))
        agent.focus(goal, projection=projection, budget=2_500)
        if agent.state.drift and agent.state.drift.verdict is not Verdict.HOLD:
            break
    assert agent.state.ghosts
    assert agent.state.drift
    assert agent.state.drift.stale
    return agent.state


def reset() -> WorkingSet:
    """In its second epoch, in which nothing was delivered yet."""
    agent = _worked_on()
    agent.reset()
    assert agent.state.epoch == 1
    return agent.state


def every_field() -> WorkingSet:
    """No set that could come about, but every field of every part differs from its default."""
    made: WorkingSet = _filled(WorkingSet, count(1), None)
    return made


SCENES: dict[str, Callable[[], WorkingSet]] = {
    "new": new,
    "pinned": pinned,
    "moved_on": moved_on,
    "reset": reset,
    "every_field": every_field,
}
SOUND = tuple(name for name in SCENES if name != "every_field")
"""Sets that keep the invariants."""


def _worked_on() -> Agent:
    corpus = Corpus.of(
        record("refund", 0.9, requires=["rule"]),
        record("rule", text="Rückerstattungen über 500 € brauchen zwei Personen. 返金の規則 🧾\n"),
        record("chart", 0.7),
        record("taxes", 0.6, path="", title="What is taxed, and where"),
        record("limits", text="Never refund twice.\n"),
        record("style", text="Write tests first.\n"),
    )
    agent = Agent(corpus)
    agent.pin("limits", reason="the host's rule")
    agent.pin("style", owner=PinOwner.AGENT, reason="while this bug is open", expires=9)
    agent.pin(text="The customer is in Japan.\nAnswer in both languages.", reason="said in the ticket")
    goal = "why is the refund wrong?"
    for vector in ((1.0, 0.0, 0.0), (0.6, 0.8, 0.0)):
        agent.focus(goal, projection=agent.corpus.projection(goal, known=agent.known(), vector=vector))
    agent.touch("refund", "chart", "absent")
    return agent


def _filled(kind: Any, numbers: Iterator[int], default: Any) -> Any:
    """A value of the type, made of successive numbers, that is not the default."""
    kind = getattr(kind, "__supertype__", kind)
    if dataclasses.is_dataclass(kind):
        return _filled_class(kind, numbers)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _filled(next(part for part in parts if part is not NoneType), numbers, default)
    if origin is tuple:
        each = (parts[0], parts[0]) if parts[1:] == (...,) else parts
        return tuple(_filled(part, numbers, None) for part in each)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(member for member in reversed(list(kind)) if member is not default)
    number = next(numbers)
    plain = {int: number, float: number + 0.5, str: f"é{number}", bytes: b"%d" % number, bool: not default}
    return plain[kind]


def _filled_class(kind: Any, numbers: Iterator[int]) -> Any:
    if kind is Move:  # of all tiers and causes it takes only what the table of moves allows
        (origin, target), causes = next(reversed(LEGAL.items()))
        cause = min(causes, key=lambda cause: cause.value)
        return Move(Ref(f"é{next(numbers)}"), origin, target, cause, f"é{next(numbers)}", f"é{next(numbers)}")
    hints = get_type_hints(kind)
    values = {
        field.name: _filled(hints[field.name], numbers, None if field.default is dataclasses.MISSING else field.default)
        for field in dataclasses.fields(kind)
    }
    return kind(**values)
