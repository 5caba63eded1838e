"""The one place where concrete classes meet: settings and a home become the parts of a daemon."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from hotsetd.agents import Agents
from hotsetd.calls import Caller
from hotsetd.changing import Changes
from hotsetd.clock import Clock
from hotsetd.collecting_job import CollectingJob
from hotsetd.collection import Collection
from hotsetd.config import Home, Settings
from hotsetd.corpus import Corpus
from hotsetd.errors import BadConfiguration
from hotsetd.filling import Filling
from hotsetd.freshness import Freshness
from hotsetd.host_hints import HostHints
from hotsetd.hosting import Hosting
from hotsetd.ingesting import Ingesting
from hotsetd.jobs import Jobs
from hotsetd.listening import FileListener
from hotsetd.reading import Reading
from hotsetd.receipts import Receipts
from hotsetd.retaining import Retaining
from hotsetd.sources import Sources
from hotsetd.succession import Succession
from hotsetd.telemetry import Log
from hotsetd.turns import Turns
from retrieval.errors import BadField
from retrieval.history.reading import Histories
from retrieval.index.follower import IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.sensor import Embedder
from retrieval.index.vector import VectorIndex
from retrieval.project import Retrieval
from retrieval.sources import FileSources
from retrieval.store.interface import Store
from retrieval.store.lmdb import open_store
from retrieval.store.purging import finish_all_purges
from retrieval.text.embedding import MiniLmEmbedder
from retrieval.text.token_count import MemoisedCounter, TokenCounter, counter_named
from workingset.eviction.registry import POLICIES
from workingset.vocabulary import TenantId


@dataclass(frozen=True, slots=True)
class Engines:
    """The indexes and the model themselves, for what measures them."""

    lexical: LexicalIndex
    vector: VectorIndex
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Parts:
    """What a running daemon is made of. `close` lets go of files in order: indexes, then the store."""

    settings: Settings
    store: Store
    follower: IndexFollower
    jobs: Jobs
    turns: Turns
    hosting: Hosting
    succession: Succession
    reading: Reading
    receipts: Receipts
    collection: Collection
    collecting: CollectingJob
    corpus: Corpus
    ingesting: Ingesting
    sources: Sources
    host_hints: HostHints
    counter: TokenCounter
    embedding_model: str
    engines: Engines
    caller: Caller

    def close(self) -> None:
        """Stop following sources and background work, save the indexes, close the store."""
        self.sources.stop()
        self.host_hints.close()
        self.collecting.stop()
        self.jobs.stop()
        try:
            self.follower.close()
        finally:
            self.store.close()


def build(
    home: Home,
    settings: Settings,
    clock: Clock,
    log: Log,
    *,
    read_only: bool = False,
    embedder: Embedder | None = None,
) -> Parts:
    """Open the store and its indexes and put the daemon together; starts no thread.

    Raises BadConfiguration, and what opening the store raises. `embedder` replaces the packaged model.
    """
    _check(settings)
    store = open_store(home.store, settings.store, read_only=read_only)
    try:
        if not read_only:
            finish_all_purges(store)
        return _assembled(home, settings, clock, log, store, embedder or MiniLmEmbedder(settings.embedding))
    except BaseException:
        store.close()
        raise


def _assembled(home: Home, settings: Settings, clock: Clock, log: Log, store: Store, embedder: Embedder) -> Parts:
    lexical = LexicalIndex(home.indexes / "lexical", settings.lexical, read_only=store.read_only)
    vector = VectorIndex(home.indexes / "vector", embedder.fingerprint, embedder.dimensions, settings.vector)
    follower = IndexFollower(store, lexical, vector, embedder, settings.follower)
    jobs = Jobs(follower, settings.jobs, clock, log)
    counter = MemoisedCounter(counter_named(settings.tokenizer))
    histories = Histories(settings.ingest.git_history.counting)
    retrieval = Retrieval(
        lexical,
        vector,
        embedder,
        follower,
        follower.embed_now,
        settings.retrieval,
        prefer=follower.prefer,
        sources=FileSources(settings.retrieval.sources),
        histories=histories,
    )
    host_hints = HostHints(store, histories, clock, log, settings.repository, settings.ingest.git_history)
    agents = Agents(settings.cache.hot_agents, settings.cache.hot_bytes)
    changes = Changes(store, agents, settings.limits, follower.hold, settings.replay.kept_turns)
    collection = Collection(store, clock)
    retaining = Retaining(settings.working_set, counter.name)
    filling = Filling()
    listen = partial(FileListener, poll_seconds=settings.watch.poll_seconds, now=clock.monotonic)
    sources = Sources(store, settings, clock, log, home, listen, filling, jobs.wake, jobs.holding)
    freshness = Freshness(store, follower, settings.jobs, sources.settle)
    return Parts(
        settings=settings,
        store=store,
        follower=follower,
        jobs=jobs,
        turns=Turns(
            store, retrieval, agents, changes, counter.count, clock, settings, freshness.settle, host_hints, retaining
        ),
        hosting=Hosting(retrieval, changes, counter.count, clock, settings),
        succession=Succession(store, agents, changes, follower, settings.limits),
        reading=Reading(store, agents, settings.limits),
        receipts=Receipts(store, agents, retaining, counter.count, settings),
        collection=collection,
        collecting=CollectingJob(store, collection, settings.collection, clock, log),
        corpus=Corpus(store, follower, settings.limits, settings.ingest.conversations, jobs.wake),
        ingesting=Ingesting(store, settings, clock, jobs.wake, jobs.holding, filling, home),
        sources=sources,
        host_hints=host_hints,
        counter=counter,
        embedding_model=embedder.fingerprint,
        engines=Engines(lexical, vector, embedder),
        caller=Caller(TenantId(settings.server.tenant)),
    )


def _check(settings: Settings) -> None:
    policy = settings.working_set.eviction.policy
    if policy not in POLICIES:
        raise BadConfiguration("working_set.eviction.policy", f"{policy!r} is none of {', '.join(sorted(POLICIES))}")
    window, closed = settings.working_set.packing.top_k_limit_results, settings.retrieval.closure.candidates
    if closed < window:
        what = f"is {closed}, less than working_set.packing.top_k_limit_results, {window}: results past it cannot enter"
        raise BadConfiguration("retrieval.closure.candidates", what)
    try:
        counter_named(settings.tokenizer)
    except BadField as error:
        raise BadConfiguration("tokenizer", error.what) from error
