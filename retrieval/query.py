"""What retrieval is asked for, and what it answers where no goal is at stake."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.hints import Hints
from retrieval.obligations.profile import AttentionProfile
from retrieval.obligations.profiles import PLAIN
from workingset.candidate import Candidate
from workingset.vocabulary import Namespace, Ref


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the goal's text, and the namespaces to search (empty means all of the tenant's).

    `known` are refs to read whatever their relevance (the present set), `warm` refs to start graph walks from.
    `now_seconds` is the wall clock, for records that are valid for a time. `hints` say where the host's work is.
    `profile` says what is owed beyond ranking.
    """

    goal: str
    namespaces: tuple[Namespace, ...] = ()
    known: tuple[Ref, ...] = ()
    warm: tuple[Ref, ...] = ()
    now_seconds: int = 0
    hints: tuple[Hints, ...] = ()
    profile: AttentionProfile = PLAIN


@dataclass(frozen=True, slots=True)
class Reading:
    """Records read by ref at the newest cut: those that there are or were, what they need, and those never there."""

    known: tuple[Candidate, ...] = ()
    support: tuple[Candidate, ...] = ()
    missing: tuple[Ref, ...] = ()
