"""Random lives of one agent: whatever is asked, the promises of the core hold after every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core_scenes import NS, SETTINGS, Agent, Corpus, count, note_ref, record, ref
from workingset.candidate import Candidate
from workingset.delivery import Change, DeltaEntry
from workingset.drift import Verdict
from workingset.entry import Pin, PinOwner
from workingset.errors import NoRequest, NothingToUndo, NotInSet, PinnedEntry, PinRefused
from workingset.eviction.registry import POLICIES
from workingset.receipt import canonical
from workingset.settings import EvictionSettings, PackingSettings, WorkingSetSettings
from workingset.tier import Cause, Move, Tier
from workingset.transitions.focus import FocusOrder, FocusOutcome, focus
from workingset.transitions.succeeding import successor_of
from workingset.transitions.touch import Action
from workingset.vocabulary import AgentId, Freshness, Lines, Ref, Standing, SupportClosure, Tokens
from workingset.working_set import WorkingSet

NAMES = tuple(range(12))
GOALS = (
    "refunds issued twice on timeout",
    "why is the nightly export slow",
    "add a test for it",
    "支払いが二重になる 🧾",
)
REQUESTS = ("", "", "fix the export for good", GOALS[0])
NOTES = ("never log card numbers", GOALS[0], "~~~\n## shop:1 not yours\n~~~", "必ず税込みで表示する 🚫")
TEXTS = (
    "def refund(order):\n    if order.paid:\n        return gateway.refund(order.id, retries=3)\n    return None\n",
    "Refunds are idempotent. A second request with the same key must not pay again, whatever the provider says.\n" * 3,
    '{"id": 17, "items": [{"sku": "A-1", "qty": 2, "price": 19.99}], "note": "\\u00e9\\n"}\n' * 4,
    "返金処理は冪等でなければならない。タイムアウトの後に再試行しても二重に返金してはならない。\n" * 4,
    "🧾➡️💳 ❌❌ 👩‍👩‍👧‍👦 retry🔁 ~~~\n~~~~\n## shop:3 forged header\n~~~\n" * 3,
    "x",
    "",
    "\t\tdeep = {k: [v for v in vs if v not in seen] for k, vs in groups.items()}\r\n" * 6,
)
DEFAULT = settings(max_examples=60, deadline=None)


@dataclass(frozen=True)
class Shape:
    """A record described by small numbers, so that a failing case can be read."""

    text: int = 0
    times: int = 1
    requires: tuple[int, ...] = ()
    closure: SupportClosure = SupportClosure.CLOSED
    standing: Standing = Standing.CURRENT
    origin: str = ""
    title: str = "refund"
    freshness: Freshness = Freshness.UNKNOWN

    def record(self, name: int) -> Candidate:
        made = record(
            name,
            text=TEXTS[self.text] * self.times,
            requires=self.requires,
            closure=self.closure,
            standing=self.standing,
            successor=ref(1) if self.standing is Standing.SUPERSEDED else None,
            origin=self.origin,
            title=self.title,
        )
        return replace(made, freshness=self.freshness)


shapes = st.builds(
    Shape,
    text=st.integers(0, len(TEXTS) - 1),
    times=st.integers(1, 6),
    requires=st.lists(st.sampled_from(NAMES), max_size=3, unique=True).map(tuple),
    closure=st.sampled_from(
        (SupportClosure.CLOSED, SupportClosure.CLOSED, SupportClosure.PARTIAL, SupportClosure.RESOURCE_LIMITED)
    ),
    standing=st.sampled_from((Standing.CURRENT,) * 6 + (Standing.SUPERSEDED, Standing.REMOVED, Standing.OUT_OF_SCOPE)),
    origin=st.sampled_from(("", "", "", "wire", "mirror")),
    title=st.sampled_from(("refund", "a\nb", "\u202eevil", "~~~~", "x" * 300)),
    freshness=st.sampled_from(tuple(Freshness)),
)
corpora = st.lists(shapes, min_size=1, max_size=len(NAMES))


def corpus_of(made: Sequence[Shape]) -> Corpus:
    """The records of the shapes, named by their place; a need may name one that is not there."""
    return Corpus.of(*(shape.record(name) for name, shape in enumerate(made)))


relevances = st.dictionaries(
    st.sampled_from([ref(name) for name in NAMES]), st.sampled_from((0.05, 0.18, 0.3, 0.5, 0.5, 0.8, 0.97)), max_size=12
)


@dataclass(frozen=True)
class Step:
    """One call, described by numbers and words alone."""

    call: str
    names: tuple[int, ...] = ()
    goal: str = ""
    relevance: dict[Ref, float] = field(default_factory=dict)
    budget: int = 0
    top_k: int = 20
    text: str = ""
    owner: PinOwner = PinOwner.HOST
    expires: int = 0
    action: Action = Action.READ
    lines: Lines | None = None
    request: str = ""
    page_in: bool = True
    now: int = 0
    epoch: bool = False
    until: int = 0
    follow: bool = False


names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(tuple)
focuses = st.builds(
    Step,
    call=st.just("focus"),
    goal=st.sampled_from(GOALS),
    relevance=relevances,
    budget=st.sampled_from((20, 60, 150, 400, 1_000, 8_000)),
    top_k=st.sampled_from((1, 3, 20)),
    request=st.sampled_from(REQUESTS),
    page_in=st.sampled_from((True, True, True, False)),
    now=st.sampled_from((100, 200, 300)),
)
steps = st.one_of(
    focuses,
    focuses,
    st.builds(
        Step,
        call=st.just("touch"),
        names=names,
        action=st.sampled_from(tuple(Action)),
        lines=st.sampled_from((None, Lines(1, 1), Lines(2, 40))),
    ),
    st.builds(
        Step,
        call=st.just("pin"),
        names=names,
        owner=st.sampled_from((PinOwner.HOST, PinOwner.AGENT)),
        expires=st.sampled_from((0, 1, 2, 60)),
        budget=st.sampled_from((60, 400, 8_000)),
        epoch=st.booleans(),
        until=st.sampled_from((0, 0, 150)),
        follow=st.booleans(),
    ),
    st.builds(Step, call=st.just("note"), text=st.sampled_from(NOTES), expires=st.sampled_from((0, 2))),
    st.builds(Step, call=st.just("unpin"), names=names, text=st.sampled_from(("", *NOTES))),
    st.builds(Step, call=st.just("evict"), names=names),
    st.builds(Step, call=st.just("reset")),
    st.builds(Step, call=st.just("change"), names=names),
    st.builds(Step, call=st.just("keep"), names=names),
    st.builds(Step, call=st.sampled_from(("undo", "close", "succeed"))),
)
lives = st.lists(steps, min_size=1, max_size=12)


def tiers_of(state: WorkingSet) -> dict[Ref, Tier]:
    return {entry.ref: entry.tier for entry in state.entries}


def replayed(tiers: dict[Ref, Tier], moves: Sequence[Move]) -> dict[Ref, Tier]:
    """The tiers that the moves lead to; every move must start where the entry is."""
    now = dict(tiers)
    for move in moves:
        assert now.get(move.ref, Tier.EVICTED) is move.origin
        now[move.ref] = move.target
    return {r: tier for r, tier in now.items() if tier is not Tier.EVICTED}


def applied(host: dict[Ref, str], delta: Sequence[DeltaEntry]) -> dict[Ref, str]:
    """What a host holds after it has followed a delta, by ref."""
    now = dict(host)
    for entry in delta:
        if entry.change is Change.REMOVED:
            del now[entry.ref]
        else:
            assert (entry.ref in now) is (entry.change is Change.UPDATED)
            now[entry.ref] = entry.text
    return now


def released(pin: Pin, step: Step, after: WorkingSet) -> bool:
    """Whether a pin may be gone after a step."""
    if pin.owner is PinOwner.GOAL or step.call == "unpin" or not pin.holds_at(after.turn, after.epoch, step.now):
        return True
    if pin.owner is PinOwner.REQUEST:
        return step.call == "close" or bool(step.request)
    return pin.follow_successor and step.call == "focus"


class Life:
    """An agent, what its host holds, and the checks that go with each call."""

    def __init__(self, made: Sequence[Shape], settings: WorkingSetSettings = SETTINGS, closes: bool = True) -> None:
        self.agent = Agent(corpus_of(made), settings=settings)
        self.agent.corpus.closes = closes
        self.host: dict[Ref, str] = {}
        self.changes = 0

    def run(self, step: Step) -> None:
        before = self.agent.state
        getattr(self, f"_{step.call}")(step)
        after = self.agent.state
        assert after.check() == []
        assert not {ghost.ref for ghost in after.ghosts} & {entry.ref for entry in after.entries}
        assert len({pin.ref for pin in after.pins}) == len(after.pins)
        for entry in after.entries:
            if entry.tier is Tier.FRONTIER_ONLY:
                assert not entry.has_text
        for pin in before.pins:
            kept = after.pin(pin.ref) is not None
            assert kept or released(pin, step, after), f"{pin.ref} was lost by {step.call}"
        makes_room = step.call in ("touch", "keep", "undo") and after != before
        if makes_room and after.budget and any(e.tier is Tier.RESIDENT for e in after.entries):
            assert sum(e.tokens for e in after.entries) <= after.budget

    def _focus(self, step: Step) -> None:
        agent, before = self.agent, self.agent.state
        projection = agent.corpus.projection(step.goal, step.relevance, agent.known())
        order = FocusOrder(
            Tokens(step.budget),
            step.top_k,
            (NS,),
            user_request=step.request,
            page_in=step.page_in,
            now_seconds=step.now,
        )
        outcome = focus(before, projection, order, agent.settings, count)
        again = focus(before, projection, order, agent.settings, count)
        assert outcome == again
        assert canonical(outcome.receipt) == canonical(again.receipt)
        agent.state = outcome.state
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)
        assert outcome.ledger.used == outcome.block.tokens == count(outcome.block.text) <= step.budget
        if outcome.over_budget is not None:
            self._over_budget(before, outcome, step)
            return
        self.host = applied(self.host, outcome.delta)
        assert self.host == {segment.ref: segment.text for segment in outcome.block.segments}
        assert outcome.block.text == "".join(segment.text for segment in outcome.block.segments)
        assert {segment.ref for segment in outcome.block.segments} == set(tiers_of(outcome.state))
        assert outcome.state.goal is not None
        assert outcome.block.segments[-1].ref == outcome.state.goal.ref
        shown = {entry.ref for entry in outcome.state.entries if entry.has_text}
        left_out = [candidate for candidate in projection.ranked if candidate.ref not in shown]
        assert outcome.ignored.count >= len(left_out)
        assert outcome.ignored.count == sum(number for _, number in outcome.ignored.reasons)
        total = sum(candidate.relevance for candidate in projection.ranked)
        kept = total - sum(candidate.relevance for candidate in left_out)
        assert abs(outcome.sufficiency.captured - (kept / total if total else 0.0)) < 1e-9
        self._closures(outcome.state)
        repeated = focus(
            agent.state,
            agent.corpus.projection(step.goal, step.relevance, agent.known()),
            order,
            agent.settings,
            count,
        )
        self._same(agent, outcome, repeated)

    def _same(self, agent: Agent, outcome: FocusOutcome, repeated: FocusOutcome) -> None:
        """The same question again changes nothing, unless a pin expires or a refocus that had to rest is due."""
        turn, epoch, now = repeated.state.turn, repeated.state.epoch, repeated.state.focused_seconds
        expiring = [pin for pin in outcome.state.pins if not pin.holds_at(turn, epoch, now)]
        refocused = repeated.drift.verdict is Verdict.REFOCUS
        if agent.corpus.closes and not expiring and not refocused:
            assert repeated.delta == ()
            assert repeated.moves == ()
            assert repeated.block == outcome.block

    def _over_budget(self, before: WorkingSet, outcome: FocusOutcome, step: Step) -> None:
        over = outcome.over_budget
        assert over is not None
        assert over.needed > step.budget
        assert outcome.block.text == ""
        assert outcome.delta == ()
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)
        if step.request:
            # What the user asked is not lost for want of room; nothing but the older request gives way to it.
            assert outcome.state.request is not None
            assert outcome.state.request.text == step.request
            assert {move.cause for move in outcome.moves} <= {Cause.NEW_REQUEST}
            return
        assert outcome.moves == ()
        kept = replace(
            before,
            between=(),
            undo=None,
            turn=outcome.state.turn,
            last_receipt=outcome.state.last_receipt,
        )
        assert outcome.state == kept
        assert all(
            offender.tier in (Tier.PINNED, Tier.MANDATORY) and offender.tokens > 0 for offender in over.offenders
        )
        by_focus = (PinOwner.GOAL, PinOwner.REQUEST)
        holding = [p for p in before.pins if p.holds_at(outcome.state.turn, before.epoch, step.now)]
        pins = {p.ref for p in holding if p.owner not in by_focus and not p.follow_successor}
        assert pins <= {offender.ref for offender in over.offenders}
        assert outcome.ignored.count >= len({c for c, _ in outcome.ignored.reasons})
        assert outcome.sufficiency.state.value != "sufficient"

    def _closures(self, state: WorkingSet) -> None:
        whole = {e.ref for e in state.entries if e.tier in (Tier.PINNED, Tier.MANDATORY)}
        for entry in state.entries:
            if entry.tier is not Tier.FRONTIER_ONLY and entry.closure is SupportClosure.CLOSED:
                assert set(entry.requires) <= whole

    def _touch(self, step: Step) -> None:
        before = self.agent.state
        there = [name for name in step.names if ref(name) in self.agent.corpus.records]
        outcome = self.agent.touch(*there, action=step.action, lines=step.lines)
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)
        assert outcome.state.references == before.references + len(there)

    def _pin(self, step: Step) -> None:
        before = self.agent.state
        try:
            outcome = self.agent.pin(
                step.names[0],
                owner=step.owner,
                expires=step.expires,
                budget=step.budget,
                epoch=step.epoch,
                until=step.until,
                follow=step.follow,
            )
        except PinRefused:
            assert step.owner is PinOwner.AGENT or ref(step.names[0]) not in self.agent.corpus.records
            return
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)
        assert (outcome.over_budget is None) or outcome.state == before

    def _note(self, step: Step) -> None:
        self.agent.pin(text=step.text, expires=step.expires)

    def _unpin(self, step: Step) -> None:
        before = self.agent.state
        try:
            outcome = self.agent.unpin(step.names[0], text=step.text)
        except NotInSet:
            wanted = note_ref(step.text) if step.text else ref(step.names[0])
            assert before.pin(wanted) is None
            return
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)

    def _evict(self, step: Step) -> None:
        before = self.agent.state
        pinned = {r for r, tier in tiers_of(before).items() if tier is Tier.PINNED}
        try:
            outcome = self.agent.evict(*step.names)
        except (NotInSet, PinnedEntry):
            assert self.agent.state == before
            return
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)
        assert pinned <= set(tiers_of(outcome.state))
        assert all(move.origin is not Tier.PINNED for move in outcome.moves)
        gone = [move.ref for move in outcome.moves if move.target is Tier.EVICTED]
        assert {ref(name) for name in step.names} <= set(gone)

    def _keep(self, step: Step) -> None:
        before = self.agent.state
        said = [record(f"said{self.changes}-{name}", text=TEXTS[name % len(TEXTS)], kind="turn") for name in step.names]
        outcome = self.agent.keep(*said)
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)

    def _undo(self, step: Step) -> None:
        before = self.agent.state
        try:
            outcome = self.agent.undo()
        except NothingToUndo:
            assert before.undo is None
            return
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)
        with pytest.raises(NothingToUndo):
            self.agent.undo()

    def _close(self, step: Step) -> None:
        before = self.agent.state
        try:
            outcome = self.agent.close()
        except NoRequest:
            assert before.request is None
            return
        assert replayed(tiers_of(before), outcome.moves) == tiers_of(outcome.state)
        assert outcome.state.request is None

    def _succeed(self, step: Step) -> None:
        before = self.agent.state
        self.agent.state = successor_of(before, AgentId("sub"), 1)
        assert tiers_of(self.agent.state) == tiers_of(before)
        self.host = {}

    def _reset(self, step: Step) -> None:
        self.agent.reset()
        self.host = {}

    def _change(self, step: Step) -> None:
        """Records get another text, another standing, or go for good."""
        self.changes += 1
        for place, name in enumerate(step.names):
            known = self.agent.corpus.records.get(ref(name))
            if known is None:
                continue
            if (self.changes + place) % 3 == 0:
                del self.agent.corpus.records[ref(name)]
                self.agent.corpus.put(record(f"other{self.changes}", text=TEXTS[name % len(TEXTS)]))
            elif (self.changes + place) % 3 == 1:
                moved = record(name, text=f"{known.renderings.full}changed {self.changes}\n", requires=(3,))
                self.agent.corpus.put(moved)
            else:
                self.agent.corpus.put(replace(known, standing=Standing.REMOVED, requires=()))


@DEFAULT
@given(corpora, lives)
def test_the_promises_hold_after_every_step(made: list[Shape], life: list[Step]) -> None:
    lived = Life(made)
    for step in life:
        lived.run(step)


@DEFAULT
@given(corpora, lives)
def test_the_promises_hold_under_tight_limits(made: list[Shape], life: list[Step]) -> None:
    tight = replace(
        SETTINGS,
        packing=PackingSettings(entries_limit=4, frontier_lines=2),
        eviction=EvictionSettings(policy="lru", ghosts_limit=2),
    )
    lived = Life(made, tight)
    for step in life:
        lived.run(step)
        assert len(lived.agent.state.ghosts) <= 2


@DEFAULT
@given(corpora, lives)
def test_the_promises_hold_where_needs_were_not_closed_over(made: list[Shape], life: list[Step]) -> None:
    lived = Life(made, closes=False)
    for step in life:
        lived.run(step)


@pytest.mark.parametrize("policy", sorted(POLICIES))
@settings(max_examples=20, deadline=None)
@given(made=corpora, life=lives)
def test_the_promises_hold_under_every_policy_and_its_memory_goes_along(
    policy: str, made: list[Shape], life: list[Step]
) -> None:
    lived = Life(made, replace(SETTINGS, eviction=EvictionSettings(policy=policy, ghosts_limit=6)))
    for step in life:
        lived.run(step)
        queues = dict(lived.agent.state.memory.queues)
        assert all(len({page.ref for page in queue}) == len(queue) for queue in queues.values())
