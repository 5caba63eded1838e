"""One Focus at work: what every step of it needs."""

from __future__ import annotations

from dataclasses import dataclass

from workingset.candidate import Projection
from workingset.rendering import CountTokens
from workingset.settings import WorkingSetSettings
from workingset.transitions.draft import Draft
from workingset.transitions.texts import Texts
from workingset.vocabulary import Digest, Namespace, Tokens, Turn
from workingset.working_set import WorkingSet


@dataclass(frozen=True, slots=True)
class FocusOrder:
    """What the caller asks of a turn, checked: a budget above 0, a window above 0.

    `received` is the turn of the last answer whose delta the host applied, None where it does not say. `user_request`
    is empty where the user asked nothing new. Without `page_in`, results get lines of reference and no text.
    `now_seconds` is Unix time.
    """

    budget: Tokens
    top_k: int
    namespaces: tuple[Namespace, ...] = ()
    received: Turn | None = None
    user_request: str = ""
    page_in: bool = True
    now_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Moment:
    """The set before the turn, what the turn was given, and the draft that is brought up to the cut.

    `asked` is the digest of what was asked and found (`workingset.transitions.situation`).
    """

    state: WorkingSet
    projection: Projection
    order: FocusOrder
    settings: WorkingSetSettings
    count: CountTokens
    draft: Draft
    texts: Texts
    asked: Digest
