"""The class of a query, which says which ranker orders its results. Part of the receipt."""

from __future__ import annotations

from collections import Counter
from enum import Enum, unique

from retrieval.lanes.lane import BRIDGE_KINDS, Scope
from retrieval.record import TURN_KIND
from retrieval.store.interface import Snapshot

CODE_KINDS = frozenset({"chunk", "class", "file", "function"})
"""Kinds of records that ingest makes of code; `chunk` is made of long documents too."""
NOT_COUNTED = frozenset({*BRIDGE_KINDS, "note"})
"""Kinds that come beside others and say nothing of what the scope is about."""


@unique
class QueryClass(Enum):
    """What kind of knowledge the scope holds for the most part."""

    CODE = "code"
    CONVERSATION = "conversation"
    PROSE = "prose"


def query_class(txn: Snapshot, scope: Scope) -> QueryClass:
    """The class that most of the scope's records are of; of equals the first in the order of the classes.

    Derived from what the store holds, never from what a text says of itself.
    """
    counts: Counter[QueryClass] = Counter()
    for namespace in scope.namespaces:
        for kind, records in txn.counts(namespace).kinds:
            if kind not in NOT_COUNTED:
                counts[_class_of(kind)] += records
    return _most(counts)


def _class_of(kind: str) -> QueryClass:
    if kind in CODE_KINDS:
        return QueryClass.CODE
    return QueryClass.CONVERSATION if kind == TURN_KIND else QueryClass.PROSE


def _most(counts: Counter[QueryClass]) -> QueryClass:
    best = max(counts.values(), default=0)
    if not best:
        return QueryClass.PROSE
    return next(one for one in QueryClass if counts[one] == best)
