"""Which namespaces a call of an agent sees: those it names, or all that belong to no agent, and the agent's own.

An agent's own namespace holds what was pinned, and said, by it or for it; with it go those of the agents it was forked
or handed from.
"""

from __future__ import annotations

from collections.abc import Sequence

from hotsetd.limits import AGENT_PREFIX
from hotsetd.notes import note_namespace
from retrieval.errors import UnknownNamespace
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Namespace
from workingset.working_set import WorkingSet


def scope_of(txn: Snapshot, wanted: Sequence[Namespace], state: WorkingSet) -> tuple[Namespace, ...]:
    """Return the namespaces, in the order named, the agent's own last; raises UnknownNamespace."""
    there = txn.namespaces()
    for namespace in wanted:
        if namespace not in there:
            raise UnknownNamespace(namespace)
    shared = tuple(wanted) or tuple(name for name in there if not name.startswith(AGENT_PREFIX))
    before = [(note_namespace(ancestor.agent), ancestor.incarnation) for ancestor in state.ancestors]
    # A namespace that was purged and filled again holds the words of somebody else.
    readable = [name for name, incarnation in before if txn.incarnation(name) == incarnation]
    own = (note_namespace(state.agent), *readable)
    return tuple(dict.fromkeys((*shared, *(name for name in own if name in there))))
