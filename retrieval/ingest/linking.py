"""The link pass: edges between the records of files, derived from the stored records alone.

Calls and imports may point to files that come later, so edges are made when all files of a run are in. A file is
linked anew if it changed since the last pass, or if what one of its names means may have changed: so the edges after
any sequence of edits equal those of a rebuild. How far the pass has come is a mark in the store, so a killed run is
made up for by the next.

`contains`, `imports` and `calls` at a record of a file belong to this pass: others are not to write them. Of the
rest (`derived_edges.GUESSED`) it has those marked best effort, and leaves a host's own in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from retrieval.ingest.changes import Linked
from retrieval.ingest.derived_edges import derive_edges, is_derived
from retrieval.ingest.link_scope import LARGEST_ID, changed_scope
from retrieval.ingest.link_tables import LinkTables
from retrieval.ingest.settings import LinkSettings
from retrieval.record import Edge, Record
from retrieval.store.interface import Snapshot, Store, WriteTransaction
from workingset.vocabulary import Generation, Namespace, TenantId

EDGES_READ = 1_000_000
"""No record has so many edges; reading stops there rather than never."""
_LINKED = "ingest.linked"
_UNSETTLED = "ingest.unsettled"
"""Whether some files may be linked as they were after the generation that the last whole pass saw."""
_YES, _NO = b"1", b"0"
_order = attrgetter("source", "relation", "target")


@dataclass(frozen=True, slots=True)
class _Edits:
    """Edges to write and to end."""

    begin: tuple[Edge, ...]
    end: tuple[Edge, ...]


def link_namespace(
    store: Store,
    tenant: TenantId,
    namespace: Namespace,
    settings: LinkSettings,
    report: Callable[[], None] = lambda: None,
    cancelled: Callable[[], bool] = lambda: False,
    written: Mapping[str, Sequence[Record]] | None = None,
) -> Linked | None:
    """Bring the namespace's derived edges up to date; `report()` is called after each batch.

    `written` are records, by path and in order of their lines, that were written just now and need not be read again.
    Returns None where it was cancelled: then it begins again at the next call.
    """
    tables = LinkTables(namespace, settings)
    tables.know_records(written or {})
    with store.snapshot(tenant) as snapshot:
        seen = snapshot.generation(namespace)
        linked_to = _linked_to(snapshot, namespace)
        settled = snapshot.mark(_UNSETTLED, namespace) == _NO
    if linked_to == seen:
        return Linked()
    scope = changed_scope(store, tenant, namespace, linked_to, tables, settled=settled)
    if linked_to == 0:
        tables.know_paths(scope.paths)
    if scope.paths and settled:
        store.write(tenant, lambda txn: txn.put_mark(_UNSETTLED, _YES, namespace))
    total = Linked()
    pending: list[_Edits] = []
    for at in range(0, len(scope.paths), settings.batch_files):
        if cancelled():
            return None
        batch = scope.paths[at : at + settings.batch_files]
        own = total.edges_written if linked_to == 0 else -1
        pending += _edits_of(store, tenant, namespace, batch, tables, own)
        *full, pending = _batches(pending, settings.batch_edges)
        for edits in full:
            total = total.plus(store.write(tenant, partial(_apply, edits=edits)))
        total = total.plus(Linked(files=len(batch)))
        report()
    if scope.changes:
        last = partial(_apply_last, edits=pending, namespace=namespace, seen=seen)
        total = total.plus(store.write(tenant, last))
    return total


def _apply_last(txn: WriteTransaction, edits: Sequence[_Edits], namespace: Namespace, seen: Generation) -> Linked:
    """Write the last edges, and with them that the pass is done."""
    linked = _apply(txn, edits)
    _finish(txn, namespace, seen)
    return linked


def _finish(txn: WriteTransaction, namespace: Namespace, seen: Generation) -> None:
    """Note how far the pass has come, and whether every edge is of what was there then and of nothing later."""
    txn.put_mark(_LINKED, str(seen).encode(), namespace)
    later = txn.changes_page(namespace, (seen, LARGEST_ID), 1)
    txn.put_mark(_UNSETTLED, _YES if later else _NO, namespace)


def _linked_to(snapshot: Snapshot, namespace: Namespace) -> Generation:
    """The generation that the last pass saw; 0 for none, or where the mark is of another store's future."""
    mark = snapshot.mark(_LINKED, namespace)
    generation = Generation(int(mark)) if mark and mark.isdigit() else Generation(0)
    return generation if generation <= snapshot.generation(namespace) else Generation(0)


def _edits_of(
    store: Store, tenant: TenantId, namespace: Namespace, paths: Sequence[str], tables: LinkTables, own_edges: int
) -> list[_Edits]:
    """What has to change at some files. `own_edges` are those that this pass has written so far, if it is the
    namespace's first: where there are no others, no file of these has any to compare with."""
    with store.snapshot(tenant) as snapshot:
        tables.read_from(snapshot)
        bare = snapshot.counts(namespace).edges == own_edges
        return [edit for path in paths for edit in _edits(snapshot, path, tables, bare)]


def _edits(snapshot: Snapshot, path: str, tables: LinkTables, bare: bool) -> Iterator[_Edits]:
    """What has to change at each record of a file; `bare` is True where none of them has an edge."""
    records = tables.records_at(path)
    tables.learn(path, records)
    wanted = derive_edges(records, tables)
    if bare:
        refs = dict.fromkeys(record.ref for record in records)
        yield from (_Edits(tuple(sorted(wanted[ref], key=_order)), ()) for ref in refs if ref in wanted)
        return
    for record in records:
        there = [found.edge for found in snapshot.edges_from(record.ref, limit=EDGES_READ)]
        stored = frozenset(edge for edge in there if is_derived(edge))
        stated = {(edge.relation, edge.target) for edge in there if not is_derived(edge)}
        derived = wanted.get(record.ref, frozenset())
        if stated:
            derived = frozenset(edge for edge in derived if (edge.relation, edge.target) not in stated)
        if stored != derived:
            yield _Edits(
                tuple(sorted(derived - stored, key=_order)),
                tuple(sorted(stored - derived, key=_order)),
            )


def _batches(edits: Sequence[_Edits], limit: int) -> Iterator[list[_Edits]]:
    """Cut into full batches and a last one that may be empty."""
    batch: list[_Edits] = []
    size = 0
    for edit in edits:
        batch.append(edit)
        size += len(edit.begin) + len(edit.end)
        if size >= limit:
            yield batch
            batch, size = [], 0
    yield batch


def _apply(txn: WriteTransaction, edits: Sequence[_Edits]) -> Linked:
    ended = sum(txn.remove_edge(edge.source, edge.relation, edge.target) for edit in edits for edge in edit.end)
    begun, gone = txn.put_edges([edge for edit in edits for edge in edit.begin])
    return Linked(edges_written=begun, edges_removed=ended, targets_gone=gone)
