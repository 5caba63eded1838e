"""Use cases Explain and Replay: the receipt of a turn, and the turn decided again from what it was decided from.

Both move nothing. A replay runs the core over what was retained, with the texts of that cut, and compares digests;
where the core has other settings or other code now, it says so and compares nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from itertools import zip_longest

from xxhash import xxh3_128_hexdigest

from hotsetd import limits
from hotsetd.agents import Agents
from hotsetd.calls import Caller
from hotsetd.codec import RECEIPTS, WORKING_SETS
from hotsetd.config import Settings
from hotsetd.errors import NotRetained, UnknownAgent, UnknownReceipt
from hotsetd.retaining import Decided, Retained, Retaining, projection_of, retained_of
from retrieval.errors import BadField
from retrieval.store.interface import Snapshot, Store
from workingset.receipt import Node, canonical, receipt_digest
from workingset.rendering import CountTokens
from workingset.transitions.focus import focus
from workingset.vocabulary import AgentId, Cut, Digest, Turn
from workingset.working_set import WorkingSet

_DIFFERENCES = 8
"""So many lines that differ are named; the first is what matters."""


@unique
class Verdict(Enum):
    """What a replay came to."""

    EQUAL = "equal"
    DIFFERENT = "different"
    OTHER_SETTINGS = "other_settings"
    OTHER_CODE = "other_code"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCall:
    """Which receipt: by its name, or by agent and turn; without either the agent's last."""

    agent: str = ""
    turn: int = 0
    receipt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A turn's receipt; `retained` says whether the turn can be replayed."""

    agent: AgentId
    turn: Turn
    root: Node
    digest: Digest
    retained: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a turn decided then and now. Digests of now are empty, and nothing differs, where nothing was compared.

    `differences` are lines of the two receipts, what was then behind `-` and what is now behind `+`.
    """

    agent: AgentId
    turn: Turn
    verdict: Verdict
    cut: Cut
    receipt_then: Digest
    state_then: Digest
    receipt_now: Digest = Digest("")
    state_now: Digest = Digest("")
    differences: tuple[str, ...] = ()


class Receipts:
    """Reads receipts. Safe from any thread."""

    def __init__(
        self, store: Store, agents: Agents, retaining: Retaining, count: CountTokens, settings: Settings
    ) -> None:
        self._store = store
        self._agents = agents
        self._retaining = retaining
        self._count = count
        self._settings = settings

    def explain(self, caller: Caller, call: ReceiptCall) -> Explained:
        """Return the receipt tree of a turn; raises UnknownReceipt, UnknownAgent or BadField."""
        with self._store.snapshot(caller.tenant) as txn:
            agent, turn = self._named(txn, call)
            root = _receipt(txn, agent, turn)
            retained = turn in txn.retained_turns(agent)
        return Explained(agent=agent, turn=turn, root=root, digest=receipt_digest(root), retained=retained)

    def replay(self, caller: Caller, call: ReceiptCall) -> Replayed:
        """Decide a turn again; raises UnknownReceipt, NotRetained, and CutExpired where its history was collected."""
        with self._store.snapshot(caller.tenant) as txn:
            agent, turn = self._named(txn, call)
            root = _receipt(txn, agent, turn)
            retained = self._retained(txn, agent, turn)
            other = self._other(retained.decided)
            if other is not None:
                return _replayed(agent, turn, other, retained)
            inputs = self._retaining.decode(retained.decided)
            projection = projection_of(txn, inputs)
        before = WORKING_SETS.decode(retained.before) if retained.before else WorkingSet(agent)
        outcome = focus(before, projection, inputs.order, self._settings.working_set, self._count)
        now = receipt_digest(outcome.receipt), Digest(xxh3_128_hexdigest(WORKING_SETS.encode(outcome.state)))
        equal = now == (retained.decided.receipt_digest, retained.state_digest)
        verdict = Verdict.EQUAL if equal else Verdict.DIFFERENT
        return _replayed(agent, turn, verdict, retained, now, _differences(root, outcome.receipt))

    def _named(self, txn: Snapshot, call: ReceiptCall) -> tuple[AgentId, Turn]:
        """The agent and the turn that a call means."""
        name, turn = call.agent, call.turn
        if call.receipt:
            owner, slash, number = call.receipt.rpartition("/")
            if not slash or not (number.isascii() and number.isdigit() and len(number) < 19):
                raise BadField("receipt", f"{call.receipt!r} is not of the form agent/turn: take it from a reply")
            if (name and name != owner) or (turn and turn != int(number)):
                raise BadField("receipt", f"{call.receipt!r} is of another agent or turn than named beside it")
            name, turn = owner, int(number)
        agent = limits.agent_id(name, self._settings.limits)
        if turn:
            return agent, Turn(turn)
        _, state = self._agents.load(txn, agent)
        if state == WorkingSet(agent):
            raise UnknownAgent(agent)
        if not state.last_receipt:
            raise UnknownReceipt(f"agent {agent!r} has no receipt yet: only a Focus makes one")
        return agent, Turn(int(state.last_receipt.rpartition("/")[2]))

    def _retained(self, txn: Snapshot, agent: AgentId, turn: Turn) -> Retained:
        row = txn.retained(agent, turn)
        if row is not None:
            return retained_of(row)
        kept = txn.retained_turns(agent)
        held = f"those of turns {', '.join(map(str, kept))} are" if kept else "nor are those of any other turn"
        raise NotRetained(f"the inputs of turn {turn} of {agent!r} are not kept; {held}")

    def _other(self, decided: Decided) -> Verdict | None:
        if decided.code != self._retaining.code:
            return Verdict.OTHER_CODE
        return Verdict.OTHER_SETTINGS if decided.settings != self._retaining.settings else None


def _receipt(txn: Snapshot, agent: AgentId, turn: Turn) -> Node:
    encoded = txn.receipt(agent, turn)
    if encoded is None:
        raise UnknownReceipt(f"agent {agent!r} has no receipt of turn {turn}: only a Focus makes one")
    return RECEIPTS.decode(encoded)


def _replayed(
    agent: AgentId,
    turn: Turn,
    verdict: Verdict,
    retained: Retained,
    now: tuple[Digest, Digest] = (Digest(""), Digest("")),
    differences: tuple[str, ...] = (),
) -> Replayed:
    return Replayed(
        agent=agent,
        turn=turn,
        verdict=verdict,
        cut=retained.decided.cut,
        receipt_then=retained.decided.receipt_digest,
        state_then=retained.state_digest,
        receipt_now=now[0],
        state_now=now[1],
        differences=differences,
    )


def _differences(then: Node, now: Node) -> tuple[str, ...]:
    lines = zip_longest(*(canonical(node).decode("utf-8", "replace").splitlines() for node in (then, now)))
    unequal = [(old, new) for old, new in lines if old != new][:_DIFFERENCES]
    return tuple(
        f"{sign} {line}" for pair in unequal for sign, line in zip("-+", pair, strict=True) if line is not None
    )
