"""A session of 200 turns whose host compacts three times: nothing that was said is lost, and the budget always holds.

The agent works on a small tree, subject after subject; its words, calls and their outputs are kept. Shown: whatever
is not in the block resolves by its ref, byte for byte, also after the host compacted and the daemon was restarted; the
newest turns are there, older ones fall in fidelity and leave; one comes back when the goal returns to it; the whole
session can be walked by `follows`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hotsetd.answers import FocusAnswer, TouchAnswer
from hotsetd.calls import ObservationCall, ObservationKind, ResetCall, ResolveCall, TouchCall
from hotsetd.history import FOLLOWS, MENTIONS
from hotsetd.ingesting import Header
from tests.daemon_room import Room, opened
from workingset.tier import Tier
from workingset.transitions.touch import Action
from workingset.vocabulary import Fidelity, Ref

BUDGET = 4_000
TURNS = 200
RESTART_AFTER = 100
COMPACTIONS = (50, 110, 170)
SUBJECTS = ("cart", "invoice", "refund", "shipping", "stock", "tax", "voucher", "login")
TURNS_A_SUBJECT = TURNS // len(SUBJECTS)
DECISION = "We round half to even in the ledger, because the auditor Marrow asked for it."
RETURN = "Why do we round half to even in the ledger? What did the auditor Marrow ask for?"


def source(subject: str) -> str:
    """A module of four functions."""
    return "".join(
        f"def {subject}_{verb}(order, amount):\n"
        f'    """{verb.capitalize()} the {subject} of an order."""\n'
        + "".join(f"    {subject}_{verb}_{line} = amount + {line}\n" for line in range(8))
        + f"    return {subject}_{verb}_0\n\n\n"
        for verb in ("create", "change", "check", "close")
    )


def make_tree(root: Path) -> None:
    for subject in SUBJECTS:
        (root / f"{subject}.py").parent.mkdir(parents=True, exist_ok=True)
        (root / f"{subject}.py").write_text(source(subject), encoding="utf-8")


@dataclass(frozen=True)
class Script:
    """What happens in one turn: the goal of its Focus, and what is said and seen after it."""

    goal: str
    observed: tuple[ObservationCall, ...]


def script(turn: int, root: Path) -> Script:
    """Turn 1 to 200; what is said in one turn is said in no other."""
    subject = SUBJECTS[(turn - 1) // TURNS_A_SUBJECT]
    verb = ("create", "change", "check", "close")[turn % 4]
    goal = f"Make {subject}_{verb} of the {subject} right, try {turn}"
    observed: list[ObservationCall] = []
    if turn % TURNS_A_SUBJECT == 1:
        observed.append(ObservationCall(ObservationKind.USER, f"Now the {subject}. Please go on with {turn}.\n"))
    if turn == 30:
        observed.append(ObservationCall(ObservationKind.USER, DECISION))
    path = root / f"{subject}.py"
    first = 1 + 13 * (turn % 4)
    lines = path.read_text(encoding="utf-8").split("\n")[first - 1 : first + 10]
    read = {"file_path": str(path), "offset": first, "limit": 11}
    observed += [
        ObservationCall(ObservationKind.AGENT, f"I look at `{subject}_{verb}` for the {turn}th time: naïve — été."),
        ObservationCall(ObservationKind.TOOL_CALL, json.dumps(read), "Read"),
        ObservationCall(ObservationKind.TOOL_OUTPUT, "\n".join(lines), "Read"),
    ]
    if turn % 7 == 0:
        log = "".join(
            f"tests/test_{subject}.py::test_{n} PASSED ✓ in run {turn}\n" for n in range(200 * (turn % 5 + 1))
        )
        observed += [
            ObservationCall(ObservationKind.TOOL_CALL, json.dumps({"command": "pytest -v"}), "Bash"),
            ObservationCall(ObservationKind.TOOL_OUTPUT, f"{log}1 failed: AssertionError in run {turn}\n", "Bash"),
        ]
    return Script(RETURN if turn == TURNS else goal, tuple(observed))


@dataclass
class Session:
    """What the host knows: what was said, as it was said, and the refs that it was told for it."""

    said: list[ObservationCall] = field(default_factory=list)
    kept: list[list[Ref]] = field(default_factory=list)
    kept_in: dict[Ref, int] = field(default_factory=dict)
    fidelities: dict[Ref, list[Fidelity | None]] = field(default_factory=dict)
    largest_block: int = 0
    faults: int = 0
    reads: int = 0

    @property
    def heads(self) -> list[Ref]:
        return [refs[0] for refs in self.kept]


def text_of(room: Room, ref: Ref, max_bytes: int = 16_384) -> str:
    """The text of a record, resolved in pieces."""
    pieces: list[str] = []
    offset = 0
    while True:
        call = ResolveCall(refs=(ref,), agent="dev", offset_bytes=offset, max_bytes=max_bytes)
        (piece,) = room.parts.reading.resolve(room.parts.caller, call).records
        pieces.append(piece.text)
        offset = piece.next_offset_bytes
        if not offset:
            return "".join(pieces)


def run_turn(room: Room, session: Session, turn: int, root: Path) -> FocusAnswer:
    """One turn of the host: Focus, then what the agent did is reported and kept."""
    step = script(turn, root)
    focused = room.focus(step.goal, budget_tokens=BUDGET)
    outcome = focused.outcome
    assert outcome.over_budget is None
    assert outcome.block.tokens <= BUDGET
    assert room.parts.counter.count(outcome.block.text) == outcome.block.tokens
    session.largest_block = max(session.largest_block, outcome.block.tokens)
    recent = [ref for ref in session.heads[-4:] if session.kept_in[ref] == turn - 1]
    held = {entry.ref for entry in outcome.state.entries}
    assert set(recent) <= held, f"turn {turn} has lost what was said just before"
    for ref in session.heads:
        entry = outcome.state.entry(ref)
        session.fidelities.setdefault(ref, []).append(None if entry is None else entry.fidelity)
    call = TouchCall(agent="dev", uses=(), observed=step.observed, keep_history=True, request_id=f"t{turn}")
    answer, replayed = room.parts.turns.touch(room.parts.caller, call)
    assert not replayed
    remember(room, session, step, answer, turn)
    assert room.parts.turns.touch(room.parts.caller, call) == (answer, True)
    return focused


def remember(room: Room, session: Session, step: Script, answer: TouchAnswer, turn: int) -> None:
    """Note what was kept: the records of an observation are those of its position."""
    assert dict(answer.passed_over) == {}
    with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
        positions = [int(dict(record.attributes)["position"]) for r in answer.kept if (record := txn.record(r))]
    first = len(session.said) + 1
    assert sorted(set(positions)) == list(range(first, first + len(step.observed)))
    for place, said in enumerate(step.observed):
        refs = [ref for ref, position in zip(answer.kept, positions, strict=True) if position == first + place]
        session.said.append(said)
        session.kept.append(refs)
        session.kept_in[refs[0]] = turn
    reads = [use for use in answer.observed if use.action is Action.READ]
    assert len(reads) == 1, "each turn reads one file once"
    assert all(use.matched.endswith(".py") for use in reads)
    session.reads += 1
    session.faults += reads[0].touched.fault


def walk(room: Room, last: Ref) -> Iterator[Ref]:
    """The session from its last record to its first."""
    with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
        ref: Ref | None = last
        while ref is not None:
            yield ref
            before = [stored.edge.target for stored in txn.edges_from(ref) if stored.edge.relation == FOLLOWS]
            assert len(before) <= 1
            ref = before[0] if before else None


def assert_nothing_is_lost(room: Room, session: Session, every: int = 1) -> None:
    """Each observation, or every so many, newest first, resolves byte for byte by the refs that were told."""
    for refs, said in list(zip(session.kept, session.said, strict=True))[::-every]:
        assert "".join(text_of(room, ref) for ref in refs).encode() == said.text.encode()


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Room, Session, Path, FocusAnswer]]:
    """The whole session, with a restart in the middle; the room is that of after the restart."""
    home, root = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("tree")
    make_tree(root)
    session = Session()
    with opened(home) as room:
        sending = room.parts.ingesting.begin(room.parts.caller, Header("shop", "", ""))
        room.parts.ingesting.tree(sending, str(root), force=False, progress=lambda _: None, deadline=room.deadline)
        room.catch_up()
        live(room, session, range(1, RESTART_AFTER + 1), root)
    with opened(home) as room:
        last = live(room, session, range(RESTART_AFTER + 1, TURNS + 1), root)
        yield room, session, root, last


def live(room: Room, session: Session, turns: range, root: Path) -> FocusAnswer:
    """Turns in order, and what the host does between them."""
    answer: FocusAnswer | None = None
    for turn in turns:
        if turn % 10 == 0:
            room.catch_up()
        answer = run_turn(room, session, turn, root)
        if turn in COMPACTIONS:
            epoch = room.state().epoch
            reset, _ = room.parts.hosting.reset_context(room.parts.caller, ResetCall(agent="dev", reason="compacted"))
            assert reset.epoch == epoch + 1
            assert room.state().delivered == ()
            assert_nothing_is_lost(room, session, every=5)
    assert answer is not None
    return answer


Lived = tuple[Room, Session, Path, FocusAnswer]


def test_everything_that_was_said_resolves_byte_for_byte(lived: Lived) -> None:
    room, session, _, _ = lived
    assert len(session.said) > 3 * TURNS
    assert max(len(said.text.encode()) for said in session.said) > 40_000
    assert_nothing_is_lost(room, session)


def test_the_session_is_walked_from_its_end_to_its_beginning(lived: Lived) -> None:
    room, session, _, _ = lived
    last = room.state().history_last
    assert last is not None
    assert list(walk(room, last))[::-1] == [ref for refs in session.kept for ref in refs]
    assert room.state().history_count == len(session.said)


def test_the_block_never_exceeds_the_budget_though_the_session_is_many_times_as_long(lived: Lived) -> None:
    room, session, _, _ = lived
    said = sum(room.parts.counter.count(said.text) for said in session.said)
    assert session.largest_block <= BUDGET
    assert said > 20 * BUDGET


def test_old_turns_fall_in_fidelity_and_leave(lived: Lived) -> None:
    room, session, _, _ = lived
    state = room.state()
    held = {entry.ref for entry in state.entries}
    old = [ref for ref in session.heads if session.kept_in[ref] <= TURNS - 50]
    assert sum(ref not in held for ref in old) > 0.9 * len(old)
    ranks = [[fidelity.rank for fidelity in seen if fidelity is not None] for seen in session.fidelities.values()]
    assert any(len(set(seen)) > 1 and seen == sorted(seen) for seen in ranks), "none fell in fidelity"


def test_an_old_turn_comes_back_when_the_goal_returns_to_it(lived: Lived) -> None:
    _, session, _, last = lived
    place = next(at for at, said in enumerate(session.said) if said.text == DECISION)
    ref = session.heads[place]
    assert session.fidelities[ref][-2] is None, "it was still there, so it cannot come back"
    entry = last.outcome.state.entry(ref)
    assert entry is not None
    assert entry.tier is Tier.RESIDENT
    assert DECISION in last.outcome.block.text


def test_what_was_read_is_seen_and_a_second_read_is_mostly_no_fault(lived: Lived) -> None:
    room, session, _, _ = lived
    with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
        calls = [ref for ref, said in zip(session.heads, session.said, strict=True) if said.tool == "Read"]
        mentioned = [stored.edge.target for stored in txn.edges_from(calls[0]) if stored.edge.relation == MENTIONS]
        (title,) = [record.title for ref in mentioned if (record := txn.record(ref))]
    assert title == "cart_change"
    assert session.reads == TURNS
    assert session.faults < session.reads / 2


def test_after_a_compaction_everything_is_delivered_anew(lived: Lived) -> None:
    room, _, root, _ = lived
    room.parts.hosting.reset_context(room.parts.caller, ResetCall(agent="dev", reason="cleared"))
    outcome = room.focus(script(TURNS - 1, root).goal, budget_tokens=BUDGET).outcome
    assert {entry.change.value for entry in outcome.delta} == {"new"}
    assert "".join(entry.text for entry in outcome.delta) == outcome.block.text
