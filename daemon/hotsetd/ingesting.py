"""Use case Ingest: one stream of batches or a tree into one namespace, each batch durable before it is acknowledged.

A batch carries its own idempotency key (request id and sequence), written in the batch's own transaction: sent again,
it is acknowledged again and not applied again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

import msgspec

from hotsetd import limits
from hotsetd.calls import Caller
from hotsetd.clock import Clock
from hotsetd.config import Home, Settings
from hotsetd.counting import ingest_and_count
from hotsetd.errors import Stopping
from hotsetd.filling import Filling
from hotsetd.repeats import answer_again, fingerprint, kept
from hotsetd.source_roots import readable_root
from retrieval.deadline import Deadline
from retrieval.errors import BadField
from retrieval.ingest.changes import Written
from retrieval.ingest.conversations import prepare_turns, write_turns
from retrieval.ingest.errors import IngestCancelled
from retrieval.ingest.linking import link_namespace
from retrieval.ingest.progress import Progress, Summary
from retrieval.ingest.sending import Document, ingest_documents
from retrieval.ingest.turn_records import TurnInput
from retrieval.ingest.typed_records import EdgeInput, RecordInput, prepare_records, write_records
from retrieval.sources import TREE_SOURCE
from retrieval.store.interface import Store, WriteTransaction
from workingset.vocabulary import AgentId, Generation, Namespace

_KEYS_KEPT = 10_000
"""Guess: acknowledged batches of a namespace that are remembered for repeated streams."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a stream begins with, as sent."""

    namespace: str
    request_id: str
    source: str


@dataclass(frozen=True, slots=True)
class Batch:
    """One transaction's worth, as sent."""

    documents: tuple[Document, ...]
    records: tuple[RecordInput, ...]
    edges: tuple[EdgeInput, ...]
    sequence: int
    completes_source: bool
    turns: tuple[TurnInput, ...] = ()


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A batch is durable at a generation; `replayed` where it was so before."""

    generation: Generation
    replayed: bool


@dataclass(slots=True)
class Sending:
    """One stream under way. Used by one step at a time."""

    caller: Caller
    namespace: Namespace
    request_id: str
    source: str
    started: float
    sent: set[str] = field(default_factory=set)
    summaries: list[Summary] = field(default_factory=list)
    linked: bool = True


class Ingesting:
    """Takes knowledge in. Streams of one daemon take turns; `stop` ends the one that runs at its next file."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        written: Callable[[], None],
        alone: Callable[[], AbstractContextManager[None]],
        filling: Filling,
        home: Home,
    ) -> None:
        """`written` is told of every commit; `alone` holds other heavy work back while a tree is read; `filling` keeps
        others out of the namespace meanwhile."""
        self._store = store
        self._settings = settings
        self._clock = clock
        self._written = written
        self._alone = alone
        self._filling = filling
        self._home = home
        self._stopping = threading.Event()

    def begin(self, caller: Caller, header: Header) -> Sending:
        """Check a header; nothing is written yet."""
        bounds = self._settings.limits
        namespace = limits.namespace_name("header.namespace", header.namespace, bounds)
        request = limits.request_id("header.request_id", header.request_id, bounds)
        source = limits.text("header.source", header.source)
        if source.startswith(TREE_SOURCE):
            raise BadField(
                "header.source", f"begins with {TREE_SOURCE!r}, which is kept for trees: leave it out for those"
            )
        return Sending(caller, namespace, request, source, self._clock.monotonic())

    def batch(self, sending: Sending, batch: Batch) -> Acknowledged:
        """Commit one batch; raises BadField naming what is wrong in it, and then nothing of it is written."""
        if batch.documents and not sending.source:
            raise BadField("header.source", "is needed with documents: name what they come from")
        agent = AgentId(f"!ingest/{sending.namespace}")
        key = f"{sending.request_id}/{batch.sequence}" if sending.request_id else ""
        mark = fingerprint(sending.source, batch) if key else b""
        if key and (generation := self._replayed(sending, agent, key, mark)) is not None:
            sending.sent.update(document.path for document in batch.documents)
            # The stream before may have ended between this batch and its links.
            sending.linked = sending.linked and not batch.documents
            return Acknowledged(generation, replayed=True)
        taken: list[Written] = []
        # Reading secrets and dates in words takes seconds a batch: the one writer is not to wait for them.
        records = prepare_records(sending.namespace, batch.records, batch.edges, sending.source, self._settings.ingest)
        turns = prepare_turns(sending.namespace, batch.turns, sending.source, self._settings.ingest)

        def also(txn: WriteTransaction) -> None:
            written, _ = write_records(txn, records)
            said, _ = write_turns(txn, turns)
            taken[:] = [written.plus(said)]
            if key:
                generation = msgspec.msgpack.encode(int(txn.generation(sending.namespace)))
                txn.put_answer(agent, key, kept(mark, generation), _KEYS_KEPT)

        summary = ingest_documents(
            self._store,
            sending.caller.tenant,
            sending.namespace,
            batch.documents,
            source=sending.source,
            sent=sending.sent,
            completes_source=batch.completes_source,
            link=False,
            settings=self._settings.ingest,
            also=also,
            clock=self._clock.monotonic,
        )
        sending.summaries.append(_with(summary, taken[0]))
        sending.linked = sending.linked and not (batch.documents or batch.completes_source)
        self._written()
        return Acknowledged(summary.generation, replayed=False)

    def tree(
        self, sending: Sending, root: str, force: bool, progress: Callable[[Progress], None], deadline: Deadline
    ) -> None:
        """Make the namespace hold a tree of this machine. What was committed stays where it is cut short."""
        path = readable_root("tree.root", root, self._home.path)

        def report(reached: Progress) -> None:
            self._written()
            progress(reached)

        def cancelled() -> bool:
            return self._stopping.is_set() or deadline.over()

        turn = self._filling.turn(sending.caller.tenant, sending.namespace, cancelled)
        try:
            with turn, self._alone():
                summary = ingest_and_count(
                    self._store,
                    sending.caller.tenant,
                    sending.namespace,
                    path,
                    source=sending.source or f"{TREE_SOURCE}{path}",
                    settings=self._settings.ingest,
                    force=force,
                    progress=report,
                    cancelled=cancelled,
                    clock=self._clock.monotonic,
                )
        except IngestCancelled as error:
            if self._stopping.is_set():
                raise Stopping(f"the daemon is shutting down; {error}") from error
            raise
        finally:
            self._written()
        sending.summaries.append(summary)

    def finish(self, sending: Sending, deadline: Deadline) -> Summary:
        """Resolve names across the stream's documents, and say what the stream did."""
        tenant, namespace = sending.caller.tenant, sending.namespace
        edges = 0
        if not sending.linked:
            links = self._settings.ingest.links
            with self._filling.turn(tenant, namespace, deadline.over):
                linked = link_namespace(self._store, tenant, namespace, links, cancelled=deadline.over)
            deadline.check()
            edges = linked.edges_written if linked else 0
            self._written()
        with self._store.snapshot(tenant) as txn:
            generation = txn.generation(namespace)
        elapsed = self._clock.monotonic() - sending.started
        return _joined(namespace, generation, sending.summaries, edges, elapsed, self._settings)

    def stop(self) -> None:
        """End the stream that runs at its next file; what it committed stays."""
        self._stopping.set()

    def _replayed(self, sending: Sending, agent: AgentId, key: str, mark: bytes) -> Generation | None:
        with self._store.snapshot(sending.caller.tenant) as txn:
            stored = txn.answered(agent, key)
        if stored is None:
            return None
        return Generation(msgspec.msgpack.decode(answer_again(stored, mark, "header.request_id"), type=int))


def _with(summary: Summary, written: Written) -> Summary:
    """The summary with what was written beside documents."""
    return replace(
        summary,
        records_written=summary.records_written + written.records_written,
        edges_written=summary.edges_written + written.edges_written,
        skipped=tuple(sorted((Counter(dict(summary.skipped)) + Counter(dict(written.reasons))).items())),
    )


def _joined(
    namespace: Namespace,
    generation: Generation,
    parts: list[Summary],
    edges: int,
    elapsed_seconds: float,
    settings: Settings,
) -> Summary:
    skipped: Counter[str] = Counter()
    stages: Counter[str] = Counter()  # adds seconds as well as counts
    for part in parts:
        skipped.update(dict(part.skipped))
        stages.update(dict(part.stages))
    problems = tuple(problem for part in parts for problem in part.problems)
    named = settings.ingest.guards.named_problems
    return Summary(
        namespace=namespace,
        generation=generation,
        files_taken=sum(part.files_taken for part in parts),
        files_unchanged=sum(part.files_unchanged for part in parts),
        files_removed=sum(part.files_removed for part in parts),
        records_written=sum(part.records_written for part in parts),
        records_removed=sum(part.records_removed for part in parts),
        edges_written=sum(part.edges_written for part in parts) + edges,
        edges_removed=sum(part.edges_removed for part in parts),
        skipped=tuple(sorted(skipped.items())),
        problems=problems[:named],
        problems_truncated=len(problems) > named or any(part.problems_truncated for part in parts),
        elapsed_seconds=elapsed_seconds,
        stages=tuple((stage, float(seconds)) for stage, seconds in stages.items()),
        bytes=sum(part.bytes for part in parts),
    )
