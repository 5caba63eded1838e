"""Answers to the calls that pass a working set on or delete it: Fork, Handoff, Forget."""

from __future__ import annotations

from dataclasses import dataclass

from hotset.types.shared import Versions


@dataclass(frozen=True, slots=True)
class ForkAnswer:
    """The copy that `child` got: its turn, and how many entries it has."""

    agent: str
    child: str
    turn: int
    entries: int
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class HandoffAnswer:
    """The set that went from `agent` to `to`: its turn, and how many entries it has."""

    agent: str
    to: str
    turn: int
    entries: int
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class Deleted:
    """How much of a kind was deleted, and how much of it a look through the whole store still found."""

    what: str
    count: int
    left: int


@dataclass(frozen=True, slots=True)
class ForgetAnswer:
    """What was deleted of an agent; `verified` where nothing of it was left."""

    agent: str
    deleted: tuple[Deleted, ...]
    verified: bool
    versions: Versions
