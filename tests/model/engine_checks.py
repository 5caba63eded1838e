"""What must hold of sets, moves and blocks in the engine's model test, whatever was asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from xxhash import xxh3_128_hexdigest

from hotsetd.answers import FocusAnswer
from hotsetd.codec import WORKING_SETS
from retrieval.record import Record
from tests.model.engine_agents import OWN_WORDS, PARTS, Shown
from workingset.candidate import Renderings
from workingset.entry import GOAL_NAMESPACE, Entry
from workingset.receipt import Node
from workingset.rendering import Block, Segment, one_line, segment
from workingset.tier import Cause, Move, Tier
from workingset.vocabulary import Digest, Fidelity, Ref, Standing, SupportClosure
from workingset.working_set import WorkingSet

Count = Callable[[str], int]
_WHOLE = (Tier.PINNED, Tier.MANDATORY)
_RECORD_WENT = (Cause.REMOVED, Cause.OUT_OF_SCOPE, Cause.SUPERSEDED)


def is_own(ref: Ref) -> bool:
    """True for a goal or a request."""
    return ref.partition(":")[0] in OWN_WORDS


def tiers_of(state: WorkingSet) -> dict[Ref, Tier]:
    """Every entry's tier."""
    return {entry.ref: entry.tier for entry in state.entries}


def sound(state: WorkingSet, ghosts_limit: int) -> None:
    """A set by itself: its own invariants, tiers, needs, ghosts, and its bytes."""
    assert state.check() == []
    entries = {entry.ref: entry for entry in state.entries}
    assert len({pin.ref for pin in state.pins}) == len(state.pins)
    assert not {ghost.ref for ghost in state.ghosts} & set(entries)
    assert len({ghost.ref for ghost in state.ghosts}) == len(state.ghosts) <= ghosts_limit
    assert not [ghost for ghost in state.ghosts if is_own(ghost.ref)]
    for entry in state.entries:
        needing = {e.ref for e in state.entries if entry.ref in e.requires and e.ref != entry.ref}
        needing -= {ref for ref in needing if entries[ref].tier is Tier.FRONTIER_ONLY}
        assert set(entry.required_by) == needing, entry.ref
        assert (entry.tier is not Tier.MANDATORY) or needing, f"{entry.ref} is mandatory for nothing"
        assert (entry.tier is not Tier.RESIDENT) or not needing, f"{entry.ref} is needed and not mandatory"
        assert entry.tier is not Tier.FRONTIER_ONLY or entry.fidelity is Fidelity.REFERENCE, entry.ref
        if entry.closure is SupportClosure.CLOSED and entry.tier is not Tier.FRONTIER_ONLY:
            assert {need for need in entry.requires if not _is_whole(entries.get(need))} == set(), entry.ref
    encoded = WORKING_SETS.encode(state)
    decoded = WORKING_SETS.decode(encoded)
    assert decoded == state
    assert WORKING_SETS.encode(decoded) == encoded


def _is_whole(entry: Entry | None) -> bool:
    return (
        entry is not None
        and entry.tier in _WHOLE
        and entry.fidelity is Fidelity.FULL
        and entry.standing is Standing.CURRENT
    )


def add_up(before: WorkingSet, moves: Sequence[Move], after: WorkingSet) -> None:
    """Old tiers and moves make the new tiers; what is needed leaves after what needs it, or that is partial then."""
    now = tiers_of(before)
    for move in moves:
        assert now.get(move.ref, Tier.EVICTED) is move.origin, move
        now[move.ref] = move.target
    assert {ref: tier for ref, tier in now.items() if tier is not Tier.EVICTED} == tiers_of(after)
    for at, move in enumerate(moves):
        if move.origin is Tier.MANDATORY and move.target is Tier.EVICTED and move.cause not in _RECORD_WENT:
            _leaves_after_its_dependents(before, moves, after, at)


def _leaves_after_its_dependents(before: WorkingSet, moves: Sequence[Move], after: WorkingSet, at: int) -> None:
    ref = moves[at].ref
    held = before.entry(ref)
    for dependent in held.required_by if held else ():
        was, stays = before.entry(dependent), after.entry(dependent)
        if stays is not None and stays.needs(ref) and after.entry(ref) is None:
            assert stays.closure is not SupportClosure.CLOSED, (ref, dependent)
        leaves = [i for i, move in enumerate(moves) if move.ref == dependent and PARTS[move.target] > 1]
        in_a_cycle = held is not None and dependent in held.requires
        if leaves and was is not None and was.tier is not Tier.PINNED and not in_a_cycle:
            assert leaves[0] < at, (ref, dependent)


def within_budget(state: WorkingSet) -> None:
    """After a use or an undo no set is larger than its budget, unless nothing is left that may go."""
    total = sum(entry.tokens for entry in state.entries)
    if state.budget and total > state.budget:
        may_go = [e.ref for e in state.entries if e.tier in (Tier.RESIDENT, Tier.FRONTIER_ONLY)]
        assert may_go == [], (total, state.budget)


def sized(state: WorkingSet, record_of: Callable[[Ref], Record | None], count: Count) -> None:
    """What an entry is said to take is what its segment takes, wherever its record is as it was read."""
    for entry in state.entries:
        record = None if is_own(entry.ref) else record_of(entry.ref)
        if record is None or record.removed or record.digest != entry.digest or entry.path != record.path:
            continue
        text = segment(entry, Renderings(record.text, record.outline, record.gist)).text
        assert entry.tokens == count(text), (entry.ref, entry.tier, entry.fidelity)


def block_is_true(answer: FocusAnswer, budget: int, count: Count) -> None:
    """The block is its segments, counted as a whole, within the budget, in order, and only what is in the set."""
    outcome, block = answer.outcome, answer.outcome.block
    assert block.tokens == count(block.text) == outcome.ledger.used <= budget == outcome.ledger.ceiling
    assert block.text == "".join(piece.text for piece in block.segments)
    assert outcome.ignored.count == sum(number for _, number in outcome.ignored.reasons)
    assert answer.coverage.model_calls == 0
    if outcome.over_budget is not None:
        assert (block.text, block.segments, outcome.delta) == ("", (), ())
        assert {move.cause for move in outcome.moves} <= {Cause.NEW_REQUEST}
        return
    state = outcome.state
    assert {piece.ref for piece in block.segments} == {entry.ref for entry in state.entries}
    assert state.block_tokens == block.tokens
    shown = {entry.ref for entry in state.entries if entry.has_text}
    of_records = [ref for ref in shown if not is_own(ref)]
    assert outcome.ignored.count >= answer.coverage.ranked - len(of_records)
    assert not shown & {left_out.ref for left_out in outcome.ignored.best}
    for piece in block.segments:
        entry = state.entry(piece.ref)
        assert entry is not None
        assert (piece.tier, piece.fidelity) == (entry.tier, entry.fidelity)
        assert entry.tokens == count(piece.text), piece.ref
        assert piece.digest == xxh3_128_hexdigest(piece.text.encode())


def verbatim(piece: Segment, record: Record) -> None:
    """A segment says what the record says, at its fidelity, and nothing else."""
    if piece.fidelity is Fidelity.FULL:
        assert f"~\n{record.text}" in piece.text, piece.ref
    elif piece.fidelity is Fidelity.OUTLINE:
        assert f"~\n{record.outline}" in piece.text, piece.ref
    elif piece.fidelity is Fidelity.GIST:
        assert piece.text.endswith(f": {one_line(record.gist)}\n"), piece.ref
    else:
        assert piece.text.startswith(f"- {piece.ref}"), piece.ref


def shown_in(block: Block) -> Shown:
    """Which parts of the block hold what."""
    parts: dict[int, list[Ref]] = {0: [], 1: [], 2: [], 3: []}
    laid_out = [(3 if is_own(piece.ref) else PARTS[piece.tier], piece.ref) for piece in block.segments]
    assert [part for part, _ in laid_out] == sorted(part for part, _ in laid_out)
    for part, ref in laid_out:
        parts[part].append(ref)
    assert len(parts[3]) in (1, 2)
    assert parts[3][-1].startswith(f"{GOAL_NAMESPACE}:")
    return Shown(parts, tuple((piece.digest, len(piece.text.encode())) for piece in block.segments))


def only_appended(before: Shown, now: Shown, moved: Collection[Ref]) -> None:
    """Within an epoch what stays in its part of the block keeps its order there, and all else comes after it."""
    for part in (0, 1, 2):
        stayed = [ref for ref in before.parts.get(part, ()) if ref in now.parts[part] and ref not in moved]
        assert now.parts[part][: len(stayed)] == stayed, part


def stable_share(before: Sequence[tuple[Digest, int]], now: Sequence[tuple[Digest, int]]) -> float:
    """The share of the earlier block's bytes in segments that the later one begins with."""
    same = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        same += old[1]
    return same / total if (total := sum(size for _, size in before)) else 0.0


def over_budget_is_true(held: Collection[Ref], answer: FocusAnswer, budget: int) -> None:
    """It names pins and what they need, all of them, and what they take; for one that would follow, its successor."""
    over = answer.outcome.over_budget
    assert over is not None
    assert over.needed > budget
    named = {offender.ref for offender in over.offenders}
    assert all(offender.tier in _WHOLE and offender.tokens > 0 for offender in over.offenders)
    to = {report.ref: report.successor for report in answer.outcome.pin_reports}
    assert all(ref in named or to.get(ref) in named for ref in held)
    assert not [report for report in answer.outcome.pin_reports if report.replaced_by]
    total = sum(offender.tokens for offender in over.offenders)
    assert abs(total - over.needed) <= 2 * len(over.offenders)


def part_of(receipt: Node, what: str) -> Node:
    """One statement of a receipt."""
    return next(part for part in receipt.parts if part.what == what)


def receipt_is_true(receipt: Node, between: Sequence[Move], in_all: int, moves: Sequence[Move], ceiling: int) -> None:
    """The receipt accounts for every move since the one before it, and names the last of those between turns."""
    for what, made, number in (("moves between turns", between, in_all), ("moves", moves, len(moves))):
        node = part_of(receipt, what)
        assert node.value == number
        assert [part.what for part in node.parts] == [move.ref for move in made]
    assert part_of(receipt, "budget").value == ceiling


def same_answers(first: Mapping[str, object], again: Mapping[str, object]) -> None:
    """Equal inputs gave equal outputs, field by field, so that a failure says which differ."""
    assert {key for key in first if first[key] != again[key]} == set()
