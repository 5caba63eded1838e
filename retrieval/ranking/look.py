"""What a ranker may look at: everything that one projection has gathered so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.deadline import Deadline
from retrieval.goal import Goal
from retrieval.index.sensor import LexicalSearch
from retrieval.lanes.lane import LaneHit, Scope
from retrieval.query import Query
from retrieval.record import Record
from retrieval.record_terms import RecordTerms
from retrieval.relevance import RelevanceScale, TermWeights
from retrieval.store.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Look:
    """One projection as a ranker sees it, by record id.

    `records` are those admitted at the cut. `hits` are the lanes' own scores of admitted records, by lane: BM25 of
    `lexical`, names' strength of `exact`, and so on; `cosines` holds every admitted record whose cosine is known.
    `named` are the exact hits whose name holds at the cut. `weights` tells what each term of the goal weighs and how
    many records of the scope hold it. `terms` analyses records once. `scale` says what passes the floor.
    """

    txn: Snapshot
    query: Query
    goal: Goal
    scope: Scope
    records: Mapping[int, Record]
    hits: Mapping[str, Mapping[int, float]]
    named: tuple[LaneHit, ...]
    cosines: Mapping[int, float]
    goal_vector: tuple[float, ...]
    weights: TermWeights
    scale: RelevanceScale
    terms: RecordTerms
    lexical: LexicalSearch
    model: str
    deadline: Deadline
