"""What is observed, and what is found in it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from workingset.transitions.touch import Action
from workingset.vocabulary import Lines, Ref


@unique
class Speaker(Enum):
    """Whose words an observation holds."""

    USER = "user"
    AGENT = "agent"
    TOOL_CALL = "tool_call"
    TOOL_OUTPUT = "tool_output"


@dataclass(frozen=True, slots=True)
class Observation:
    """Something the agent did or saw; `tool` names the tool of a call or an output and is empty else."""

    speaker: Speaker
    text: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """One use, found in the observation at this place: of a ref, or of a path.

    `matched` holds the words that gave it away. `lines` are the ranges that were named, merged, in order; none means
    all of it, unless `tail_lines` (so many from the end) or `quotes` says less: then it is of the pages that hold what
    was quoted, as an edit quotes what it replaces. A quote is a choice of texts, of which the first that is there
    counts: what stood there before, then what was put in its place.
    """

    observation: int
    action: Action
    matched: str
    ref: Ref | None = None
    path: str = ""
    lines: tuple[Lines, ...] = ()
    quotes: tuple[tuple[str, ...], ...] = ()
    tail_lines: int = 0


@dataclass(frozen=True, slots=True)
class Findings:
    """Uses in the order of the observations, and how often something was passed over, by reason, sorted."""

    found: tuple[Found, ...]
    skipped: tuple[tuple[str, int], ...] = ()


def action_rank(action: Action) -> int:
    """Return 0 for the action that says most of a use, rising: an edit, a read, a citation."""
    return _RANK[action]


def merged(ranges: list[Lines]) -> tuple[Lines, ...]:
    """Return ranges in order, those that overlap or touch as one."""
    result: list[Lines] = []
    for lines in sorted(ranges, key=lambda lines: (lines.start, lines.end)):
        if result and lines.start <= result[-1].end + 1:
            result[-1] = Lines(result[-1].start, max(result[-1].end, lines.end))
        else:
            result.append(lines)
    return tuple(result)


_RANK = {Action.EDIT: 0, Action.READ: 1, Action.CITE: 2}
