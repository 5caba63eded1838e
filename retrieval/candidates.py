"""Candidates from records: what the core may see of each."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.record import Record
from retrieval.relevance import Features
from workingset.candidate import Candidate, Renderings
from workingset.vocabulary import Freshness, Ref, Relevance, Standing, SupportClosure

NOT_WEIGHED = Relevance(0.0)
"""The relevance of a record that may not be used, whatever it says."""


@dataclass(frozen=True, slots=True)
class Stands:
    """How a record stands at the cut: what replaces it, what it needs, whether its source still says so."""

    standing: Standing = Standing.CURRENT
    successor: Ref | None = None
    requires: tuple[Ref, ...] = ()
    closure: SupportClosure = SupportClosure.NOT_REQUESTED
    freshness: Freshness = Freshness.UNKNOWN
    unmet: int = 0
    opposed_by: tuple[Ref, ...] = ()


def candidate(
    record: Record,
    stands: Stands,
    relevance: Relevance = NOT_WEIGHED,
    features: Features | None = None,
    selection_score: float = 0.0,
    lanes: tuple[str, ...] = (),
    ranked_by: tuple[tuple[str, float], ...] = (),
    origin: str | None = None,
) -> Candidate:
    """The record as a candidate, with its relevance and the features behind it, and its place in the order.

    `origin` is the component of it, where that is known; else the record's own.
    """
    return Candidate(
        ref=record.ref,
        namespace=record.namespace,
        kind=record.kind,
        title=record.title,
        generation=record.generation,
        digest=record.digest,
        renderings=Renderings(record.text, record.outline, record.gist),
        path=record.path,
        lines=record.lines,
        language=record.language,
        relevance=relevance,
        selection_score=selection_score,
        lanes=lanes,
        features=(features.named() if features is not None else ()) + ranked_by,
        requires=stands.requires,
        closure=stands.closure,
        unmet=stands.unmet,
        opposed_by=stands.opposed_by,
        standing=stands.standing,
        successor=stands.successor,
        freshness=stands.freshness,
        origin=record.origin if origin is None else origin,
    )
