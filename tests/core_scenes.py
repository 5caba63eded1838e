"""Records, projections and agents for tests of the core: what retrieval would offer, made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import quicktok
from xxhash import xxh3_128_hexdigest

from workingset.candidate import Candidate, GoalView, LaneOutcome, Projection, Renderings
from workingset.entry import Entry, PinOwner
from workingset.settings import WorkingSetSettings
from workingset.tier import Tier
from workingset.transitions.focus import FocusOrder, FocusOutcome, focus
from workingset.transitions.keeping import KeepOutcome, keep
from workingset.transitions.leaving import EvictOutcome, evict, reset_context
from workingset.transitions.own_words import CloseOutcome, close_request
from workingset.transitions.pins import PinOrder, PinOutcome, UnpinOutcome, pin, unpin
from workingset.transitions.touch import Action, TouchOutcome, Use, touch
from workingset.transitions.undoing import UndoOutcome, undo_refocus
from workingset.vocabulary import (
    AgentId,
    Cut,
    Digest,
    Freshness,
    Generation,
    Lines,
    Namespace,
    Ref,
    Relevance,
    Standing,
    SupportClosure,
    Tokens,
)
from workingset.working_set import WorkingSet

NS = Namespace("shop")
SETTINGS = WorkingSetSettings()
count = quicktok.get_encoding("o200k_base").count


def ref(name: str | int) -> Ref:
    return Ref(f"{NS}:{name}")


def text_of(name: str | int, lines: int = 20) -> str:
    return "".join(f"line {line} of {name} calls something_else({line})\n" for line in range(lines))


def record(
    name: str | int,
    relevance: float = 0.0,
    *,
    text: str | None = None,
    lines: int = 20,
    requires: Iterable[str | int] = (),
    closure: SupportClosure = SupportClosure.CLOSED,
    standing: Standing = Standing.CURRENT,
    successor: Ref | None = None,
    origin: str = "",
    title: str | None = None,
    path: str | None = None,
    generation: int = 1,
    score: float | None = None,
    kind: str = "function",
    freshness: Freshness = Freshness.UNKNOWN,
) -> Candidate:
    """A record whose renderings are extracts of its text, at a relevance."""
    full = text_of(name, lines) if text is None else text
    rows = full.split("\n")
    return Candidate(
        ref=ref(name),
        namespace=NS,
        kind=kind,
        title=f"function_{name}" if title is None else title,
        generation=Generation(generation),
        digest=Digest(xxh3_128_hexdigest(full.encode("utf-8", "surrogatepass"))),
        renderings=Renderings(full, "\n".join(rows[:2]), rows[0][:80]),
        path=f"src/{name}.py" if path is None else path,
        lines=Lines(1, max(1, len(rows) - 1)),
        relevance=Relevance(relevance),
        selection_score=relevance if score is None else score,
        requires=tuple(ref(need) for need in requires),
        closure=closure,
        standing=standing,
        successor=successor,
        origin=origin,
        freshness=freshness,
    )


@dataclass
class Corpus:
    """Records by ref, and projections over them as retrieval would make them."""

    records: dict[Ref, Candidate] = field(default_factory=dict)
    generation: int = 1
    closes: bool = True
    """Whether what a record needs is closed over, as retrieval does; without, each names its next needs alone."""

    @classmethod
    def of(cls, *records: Candidate) -> Corpus:
        return cls({record.ref: record for record in records})

    def put(self, *records: Candidate) -> None:
        self.records.update({record.ref: record for record in records})

    def projection(
        self,
        goal: str,
        relevance: Mapping[Ref, float] | None = None,
        known: Iterable[Ref] = (),
        *,
        lanes: Sequence[LaneOutcome] = (),
        near_misses: int = 0,
        overflow: int = 0,
        vector: tuple[float, ...] = (),
    ) -> Projection:
        """A projection that ranks what has a relevance for the goal; by default what the records say themselves."""
        weights = {r: c.relevance for r, c in self.records.items()} if relevance is None else relevance
        weighed = {
            r: replace(self._closed(c), relevance=Relevance(weights.get(r, 0.0)), selection_score=weights.get(r, 0.0))
            for r, c in self.records.items()
        }
        ranked = sorted(
            (c for c in weighed.values() if c.relevance > 0.0 and c.standing is Standing.CURRENT),
            key=lambda c: (-c.selection_score, c.ref),
        )
        names = {c.ref for c in ranked}
        held = [weighed[r] for r in sorted(set(known)) if r in weighed]
        needed = {need for c in (*ranked, *held) for need in c.requires} - names
        return Projection(
            goal=GoalView(goal, frozenset(goal.lower().split()), vector),
            cut=Cut.of({NS: Generation(self.generation)}),
            ranked=tuple(ranked),
            support=tuple(
                weighed[r] for r in sorted(needed) if r in weighed and weighed[r].standing is Standing.CURRENT
            ),
            known=tuple(held),
            lanes=tuple(lanes),
            near_misses=near_misses,
            overflow=overflow,
            records_in_scope=len(self.records),
        )

    def read(self, refs: Iterable[Ref]) -> list[Candidate]:
        """The records of the refs that are there, after what they need."""
        read = [self._closed(self.records[r]) for r in sorted(refs) if r in self.records]
        needed = sorted({need for candidate in read for need in candidate.requires} - set(refs))
        usable = [self.records[need] for need in needed if need in self.records]
        return [*(self._closed(c) for c in usable if c.standing is Standing.CURRENT), *read]

    def _closed(self, candidate: Candidate) -> Candidate:
        if not self.closes or not candidate.requires:
            return candidate
        found, unmet = [candidate.ref], set[Ref]()
        for node in found:  # grows while it is walked
            for need in self.records[node].requires:
                usable = need in self.records and self.records[need].standing is Standing.CURRENT
                found += [need] if usable and need not in found else []
                unmet |= set() if usable else {need}
        closure = SupportClosure.PARTIAL if unmet else candidate.closure
        return replace(candidate, requires=tuple(found[1:]), closure=closure, unmet=len(unmet))


@dataclass
class Agent:
    """An agent over a corpus: each call moves its state on and checks the invariants."""

    corpus: Corpus
    budget: int = 4_000
    top_k: int = 20
    settings: WorkingSetSettings = SETTINGS
    state: WorkingSet = field(default_factory=lambda: WorkingSet(AgentId("dev")))

    def focus(
        self,
        goal: str,
        relevance: Mapping[Ref, float] | None = None,
        *,
        projection: Projection | None = None,
        budget: int | None = None,
        top_k: int | None = None,
        request: str = "",
        page_in: bool = True,
        now: int = 0,
    ) -> FocusOutcome:
        """One turn; `request` is what the user asked, `now` the Unix time in seconds."""
        made = projection or self.corpus.projection(goal, relevance, self.known())
        order = FocusOrder(
            Tokens(budget or self.budget),
            top_k or self.top_k,
            (NS,),
            user_request=request,
            page_in=page_in,
            now_seconds=now,
        )
        outcome = focus(self.state, made, order, self.settings, count)
        self._keep(outcome.state)
        return outcome

    def touch(self, *names: str | int, action: Action = Action.READ, lines: Lines | None = None) -> TouchOutcome:
        """One use of each of the named records, one after another."""
        uses = [Use(tuple(self.corpus.read([ref(name)])[-1:]), action, lines) for name in names]
        outcome = touch(self.state, uses, self.settings, count)
        self._keep(outcome.state)
        return outcome

    def pin(
        self,
        name: str | int = "",
        *,
        text: str = "",
        owner: PinOwner = PinOwner.HOST,
        reason: str = "a rule",
        expires: int = 0,
        budget: int | None = None,
        epoch: bool = False,
        until: int = 0,
        follow: bool = False,
    ) -> PinOutcome:
        """Pin a record or words; it may end with the `epoch`, or at `until` seconds, or `follow` to its successor."""
        wanted = ref(name) if not text else note_ref(text)
        order = PinOrder(wanted, owner, reason, expires, text, epoch, until, follow)
        pinned = {p.ref for p in self.state.pins if not p.has_words} | ({ref(name)} if not text else set())
        records = self.corpus.read(pinned)
        outcome = pin(self.state, order, records, Tokens(budget or self.budget), self.settings, count)
        self._keep(outcome.state)
        return outcome

    def unpin(self, name: str | int = "", *, text: str = "") -> UnpinOutcome:
        outcome = unpin(self.state, note_ref(text) if text else ref(name), self.settings)
        self._keep(outcome.state)
        return outcome

    def evict(self, *names: str | int) -> EvictOutcome:
        outcome = evict(self.state, [ref(name) for name in names], self.settings)
        self._keep(outcome.state)
        return outcome

    def reset(self) -> None:
        self._keep(reset_context(self.state))

    def keep(self, *records: Candidate, turns: int = 3) -> KeepOutcome:
        """Keep records as history, protected for so many turns."""
        self.corpus.put(*records)
        outcome = keep(self.state, records, turns, self.settings, count)
        self._keep(outcome.state)
        return outcome

    def undo(self) -> UndoOutcome:
        """Take the refocus of the last turn back."""
        outcome = undo_refocus(self.state, self.settings, count)
        self._keep(outcome.state)
        return outcome

    def close(self) -> CloseOutcome:
        """Say that the user's request is done."""
        outcome = close_request(self.state, self.settings)
        self._keep(outcome.state)
        return outcome

    def entry(self, name: str | int) -> Entry:
        """The entry of a record that must be there."""
        held = self.state.entry(ref(name))
        assert held is not None, f"{name} is not in the set"
        return held

    def tier(self, name: str | int) -> Tier:
        """The tier of a record; EVICTED where it has no entry."""
        held = self.state.entry(ref(name))
        return held.tier if held else Tier.EVICTED

    def known(self) -> list[Ref]:
        """The refs that retrieval is asked for whatever their relevance."""
        own = {p.ref for p in self.state.pins if p.has_words}
        held = [entry.ref for entry in self.state.entries if entry.ref not in own]
        return [*held, *(successor for wanted in held for successor in self._successors(wanted))]

    def _successors(self, wanted: Ref) -> list[Ref]:
        """What supersedes a record, over all steps, as retrieval reads it for a pin that follows."""
        steps = [wanted]
        for step in steps:  # grows while it is walked
            read = self.corpus.records.get(step)
            if read is not None and read.successor is not None and read.successor not in steps:
                steps.append(read.successor)
        return steps[1:]

    def _keep(self, state: WorkingSet) -> None:
        assert state.check() == []
        self.state = state


def note_ref(text: str) -> Ref:
    return Ref(f"agent.dev:{xxh3_128_hexdigest(text.encode())[:12]}")
