"""What an agent reports, and the answers to Touch, Resolve and the calls by which a host steers a set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hotset.types.evaluation import OverBudget
from hotset.types.shared import Cut, Lines, ReasonCount, Versions
from hotset.types.words import Answer, ObservationKind, Standing, UseAction
from hotset.types.working_set import Faults, Move, Pin


@dataclass(frozen=True, slots=True)
class Use:
    """One use by the agent: a ref, or a path (with lines, or the whole file) in a namespace."""

    ref: str = ""
    namespace: str = ""
    path: str = ""
    lines: Lines | None = None
    action: UseAction = UseAction.READ


@dataclass(frozen=True, slots=True)
class Observation:
    """Something the agent did or saw, whole; `tool` names the tool of a call or an output.

    Refs, paths, symbols and line ranges in the text are matched against the working set.
    """

    kind: ObservationKind
    text: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class BranchCommit:
    """A commit of the host's branch since its base: its message and the paths that it changed."""

    message: str
    paths: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Hints:
    """What the host knows besides the goal: files that were changed, are open, or were just read, the working tree's
    unified diff, and the branch's commits. Paths are absolute or as records have them. All of it is data: no word of a
    diff or a message is searched for or obeyed."""

    changed: Sequence[str] = ()
    open: Sequence[str] = ()
    read: Sequence[str] = ()
    diff: str = ""
    branch_commits: Sequence[BranchCommit] = ()


@dataclass(frozen=True, slots=True)
class Touched:
    """What one use met: `use` is its place in the request; `fault` says not all of it was in the block at full.

    Of what was missing, `paged_in` has its place whole now, and `no_place` has none or shows less than all of it.
    """

    use: int
    refs: tuple[str, ...]
    fault: bool
    paged_in: tuple[str, ...]
    no_place: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedUse:
    """A use that was found in an observation, by its place in the request; `matched` are the words that named it."""

    observation: int
    refs: tuple[str, ...]
    action: UseAction
    matched: str
    fault: bool
    paged_in: tuple[str, ...]
    no_place: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TouchAnswer:
    """Which uses were hits and which were faults; `unmatched` are the places of uses that match no record.

    `observed` are the uses found in observations. `kept` are the refs of the records that the observations are kept
    as, in their order, where that was asked for. `passed_over` counts what was observed and not taken, by reason.
    """

    agent: str
    turn: int
    touched: tuple[Touched, ...]
    unmatched: tuple[int, ...]
    moves: tuple[Move, ...]
    faults: Faults
    versions: Versions
    model_calls: int
    replayed: bool
    observed: tuple[ObservedUse, ...]
    kept: tuple[str, ...]
    passed_over: tuple[ReasonCount, ...]


@dataclass(frozen=True, slots=True)
class ResolvedRecord:
    """A record's text as read by ref. `next_offset_bytes` is 0 where the text is whole from the offset on.

    `successor` names what superseded it, if anything did.
    """

    ref: str
    namespace: str
    kind: str
    title: str
    path: str
    lines: Lines | None
    text: str
    generation: int
    digest: str
    standing: Standing
    total_bytes: int
    next_offset_bytes: int
    outline: str
    gist: str
    attributes: Mapping[str, str] = field(hash=False)
    successor: str
    retrieved_seconds: int
    verified_seconds: int
    validator: str


@dataclass(frozen=True, slots=True)
class ResolvePage:
    """One reply to Resolve; `remaining` are the refs to ask for again because the reply was full."""

    records: tuple[ResolvedRecord, ...]
    remaining: tuple[str, ...]
    cut: Cut
    versions: Versions
    model_calls: int


@dataclass(frozen=True, slots=True)
class ResolveAnswer:
    """All records asked for, whole, in the order they were asked for, each namespace read at one generation."""

    records: tuple[ResolvedRecord, ...]
    cut: Cut
    versions: Versions


@dataclass(frozen=True, slots=True)
class PinAnswer:
    """The pin as taken, or OVER_BUDGET with what would have been needed, and then `pin` is None."""

    agent: str
    answer: Answer
    pin: Pin | None
    over_budget: OverBudget | None
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class UnpinAnswer:
    """What unpinning moved."""

    agent: str
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class EvictAnswer:
    """What evicting moved."""

    agent: str
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class ResetAnswer:
    """The new epoch, in which nothing counts as delivered."""

    agent: str
    epoch: int
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class UndoAnswer:
    """What taking the last refocus back moved."""

    agent: str
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool


@dataclass(frozen=True, slots=True)
class CloseAnswer:
    """The user's request that was open and is done, and what closing it moved."""

    agent: str
    user_request: str
    moves: tuple[Move, ...]
    versions: Versions
    replayed: bool
