"""Use case Touch: what the agent used, by its own report or as seen in what it did, and its turns kept as records."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hotsetd.answers import ObservedUse, TouchAnswer
from hotsetd.calls import TouchCall
from hotsetd.changing import Change
from hotsetd.clock import Clock
from hotsetd.config import Settings
from hotsetd.history import History, Kept, Place
from hotsetd.notes import note_namespace
from hotsetd.observing import Observed, Observer, checked
from hotsetd.pages import UseReader
from hotsetd.scopes import scope_of
from retrieval.errors import BadField
from retrieval.project import Retrieval
from retrieval.record import Record
from retrieval.store.interface import Snapshot
from workingset.candidate import Candidate, Renderings
from workingset.entry import TURN_KIND
from workingset.rendering import CountTokens
from workingset.tier import Move
from workingset.transitions.keeping import keep
from workingset.transitions.touch import TouchOutcome, touch
from workingset.vocabulary import AgentId, SupportClosure
from workingset.working_set import WorkingSet

UNLINKED = "unlinked_mentions"
WITHHELD = "withheld_for_secrets"


class Touching:
    """Decides Touch calls at a snapshot. Holds no state."""

    def __init__(self, retrieval: Retrieval, count: CountTokens, clock: Clock, settings: Settings) -> None:
        self._retrieval = retrieval
        self._count = count
        self._clock = clock
        self._settings = settings
        self._history = History(
            settings.history,
            settings.ingest.renderings,
            settings.ingest.guards,
            settings.working_set.observation,
            settings.ingest.secrets,
        )

    def check(self, call: TouchCall) -> None:
        """Raise BadField where the call reports nothing, or more than it may."""
        if not call.uses and not call.observed:
            raise BadField("uses", "is empty, and so is observed: report at least one use or observation")
        if len(call.uses) > self._settings.limits.uses:
            raise BadField("uses", f"{len(call.uses)} are more than {self._settings.limits.uses}: send several calls")
        if call.keep_history and not call.observed:
            raise BadField("keep_history", "keeps what was observed: send it in observed")
        checked(call.observed, self._settings.limits)

    def decide(self, txn: Snapshot, state: WorkingSet, call: TouchCall) -> tuple[TouchAnswer, Change]:
        """Return the answer and what is to be saved: reported uses first, then observed ones, then history."""
        # A namespace that was purged since the last Focus is not asked for here: it is simply not there.
        there = set(txn.namespaces())
        last = [namespace for namespace in state.namespaces if namespace in there]
        scope, now = scope_of(txn, last, state), self._clock.now_seconds()
        uses, unmatched = UseReader(txn, self._retrieval, scope, now).read(call.uses)
        observer = Observer(txn, self._retrieval, scope, now, self._settings.working_set.observation)
        observed = observer.observe(call.observed, state)
        wanted = [use for _, use in uses] + [seen.use for seen in observed.uses]
        outcome = touch(state, wanted, self._settings.working_set, self._count)
        kept = self._kept(txn, state, call, observed) if call.keep_history else None
        after, moves = outcome.state, outcome.moves
        if kept is not None:
            after, later = self._with(kept, outcome)
            moves += later
        answer = TouchAnswer(
            state=after,
            touched=tuple((place, outcome.touched[at]) for at, (place, _) in enumerate(uses)),
            unmatched=unmatched,
            moves=moves,
            observed=tuple(
                ObservedUse(seen.observation, seen.use.action, seen.matched, outcome.touched[len(uses) + at])
                for at, seen in enumerate(observed.uses)
            ),
            kept=kept.refs if kept else (),
            passed_over=_passed_over(observed, kept),
        )
        return answer, Change(after, records=kept.records if kept else (), edges=kept.edges if kept else ())

    def _kept(self, txn: Snapshot, state: WorkingSet, call: TouchCall, observed: Observed) -> Kept:
        place = Place(state.history_count or _said_before(txn, state.agent), state.history_last)
        previous = txn.record(place.last) if place.last is not None else None
        mentions = observed.mentions(len(call.observed))
        reads = observed.reads(len(call.observed))
        return self._history.keep(state.agent, state.turn, place, call.observed, mentions, previous, reads)

    def _with(self, kept: Kept, outcome: TouchOutcome) -> tuple[WorkingSet, tuple[Move, ...]]:
        heads = frozenset(kept.heads)
        records = [_candidate(record) for record in kept.records if record.ref in heads]
        turns = self._settings.history.protected_turns
        kept_outcome = keep(outcome.state, records, turns, self._settings.working_set, self._count)
        after = replace(kept_outcome.state, history_count=kept.place.count, history_last=kept.place.last)
        return after, kept_outcome.moves


def _passed_over(observed: Observed, kept: Kept | None) -> tuple[tuple[str, int], ...]:
    counts = Counter(dict(observed.skipped))
    if kept is not None:
        counts.update({UNLINKED: kept.unlinked, WITHHELD: kept.withheld, **dict(kept.redacted)})
    return tuple(sorted((+counts).items()))


def _candidate(record: Record) -> Candidate:
    return Candidate(
        ref=record.ref,
        namespace=record.namespace,
        kind=record.kind,
        title=record.title,
        generation=record.generation,
        digest=record.digest,
        renderings=Renderings(record.text, record.outline, record.gist),
        closure=SupportClosure.CLOSED,
        origin=record.origin,
    )


def _said_before(txn: Snapshot, agent: AgentId) -> int:
    """How many places a set that begins a history anew leaves to those that its namespace holds already."""
    namespace = note_namespace(agent)
    return dict(txn.counts(namespace).kinds).get(TURN_KIND, 0) if namespace in txn.namespaces() else 0
