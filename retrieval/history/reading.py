"""Reads histories at a snapshot, each worked out once: kept by the namespace's incarnation and the mark's digest."""

from __future__ import annotations

import threading
from collections import OrderedDict

from xxhash import xxh3_128_digest

from retrieval.history.history import History, history_of
from retrieval.history.kept import HISTORY_MARK, decode_trees
from retrieval.history.settings import HistorySettings
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Namespace, TenantId


class Histories:
    """Histories of namespaces. Safe from any thread."""

    def __init__(self, settings: HistorySettings | None = None) -> None:
        self._settings = settings or HistorySettings()
        self._known: OrderedDict[tuple[TenantId, Namespace], tuple[int, bytes, History]] = OrderedDict()
        self._guard = threading.Lock()

    def of(self, txn: Snapshot, namespace: Namespace) -> History:
        """The namespace's history at the snapshot; one that says it is unavailable where there is none."""
        mark = txn.mark(HISTORY_MARK, namespace) or b""
        incarnation, digest, key = txn.incarnation(namespace), xxh3_128_digest(mark), (txn.tenant, namespace)
        with self._guard:
            known = self._known.get(key)
            if known is not None and known[:2] == (incarnation, digest):
                self._known.move_to_end(key)
                return known[2]
        trees = decode_trees(mark) if mark else ()
        history = history_of(trees, self._settings)
        with self._guard:
            self._known[key] = (incarnation, digest, history)
            while len(self._known) > self._settings.remembered:
                self._known.popitem(last=False)
        return history
