"""Answers about how turns came about: Explain and Replay."""

from __future__ import annotations

from dataclasses import dataclass

from hotset.types.shared import Cut, Versions
from hotset.types.words import ReplayVerdict


@dataclass(frozen=True, slots=True)
class ReceiptNode:
    """One statement of a receipt, `what` is `value` because of `because`, with the statements that it rests on."""

    what: str
    value: str | int | float | bool
    because: str
    parts: tuple[ReceiptNode, ...]


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """A turn's receipt: a tree with the digest that the reply of Focus had. `retained`: the turn can be replayed."""

    agent: str
    turn: int
    receipt: str
    receipt_digest: str
    root: ReceiptNode
    retained: bool
    versions: Versions


@dataclass(frozen=True, slots=True)
class ReplayAnswer:
    """A turn decided again: digests of then and now, and the first lines of the receipts that differ.

    Digests of now are empty where the core has other settings or other code than then: nothing was compared.
    """

    agent: str
    turn: int
    receipt: str
    verdict: ReplayVerdict
    cut: Cut
    receipt_digest_then: str
    receipt_digest_now: str
    state_digest_then: str
    state_digest_now: str
    differences: tuple[str, ...]
    versions: Versions
