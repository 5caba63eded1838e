"""What callers ask, as decoded and not yet checked. `hotsetd.wire` makes these; the use cases check them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Protocol

from workingset.entry import PinOwner
from workingset.transitions.touch import Action
from workingset.vocabulary import TenantId


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose data a call sees."""

    tenant: TenantId


class Repeatable(Protocol):
    """A call that may be sent again under its id, and is then answered again and not applied again."""

    @property
    def request_id(self) -> str:
        """Chosen by the caller; empty means that the call is never the same as an earlier one."""
        ...


@dataclass(frozen=True, slots=True)
class CommitCall:
    """One commit of the host's branch."""

    message: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HintsCall:
    """What the host knows besides the goal; `diff` is a unified diff."""

    changed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    diff: str = ""
    branch_commits: tuple[CommitCall, ...] = ()


NO_HINTS = HintsCall()


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusCall:
    """One turn. A budget or `top_k` of 0 takes the last or the default one."""

    agent: str
    goal: str
    budget_tokens: int = 0
    namespaces: tuple[str, ...] = ()
    top_k: int = 0
    profile: str = ""
    request_id: str = ""
    at_least_generation: int = 0
    received_turn: int = 0
    user_request: str = ""
    page_in: bool = True
    hints: HintsCall = NO_HINTS


@dataclass(frozen=True, slots=True)
class UseCall:
    """One use: a ref, or a path with or without lines; `namespace` may be empty where the path is unambiguous."""

    ref: str
    namespace: str
    path: str
    start_line: int
    end_line: int
    action: Action


@unique
class ObservationKind(Enum):
    """Whose words an observation holds."""

    USER = "user"
    AGENT = "agent"
    TOOL_CALL = "tool_call"
    TOOL_OUTPUT = "tool_output"


@dataclass(frozen=True, slots=True)
class ObservationCall:
    """Something the agent did or saw; `tool` names the tool of a call or an output."""

    kind: ObservationKind
    text: str
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchCall:
    """What the agent used, in order, and what it did and saw."""

    agent: str
    uses: tuple[UseCall, ...]
    request_id: str = ""
    observed: tuple[ObservationCall, ...] = ()
    keep_history: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PinCall:
    """A record by ref, or words."""

    agent: str
    ref: str
    text: str
    reason: str
    expires_turns: int
    owner: PinOwner
    request_id: str = ""
    expires_with_epoch: bool = False
    expires_seconds: int = 0
    follow_successor: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RefsCall:
    """Refs of an agent's set, for Unpin and Evict."""

    agent: str
    refs: tuple[str, ...]
    reason: str = ""
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetCall:
    """A new epoch, and why."""

    agent: str
    request_id: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """A call that names nothing but the agent: UndoRefocus and CloseRequest."""

    agent: str
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessorCall:
    """Fork and Handoff: `other` is the agent that gets the set."""

    agent: str
    other: str
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveCall:
    """Refs to read, at a cut or newest; `offset_bytes` continues the text of a single ref."""

    refs: tuple[str, ...]
    agent: str = ""
    cut: tuple[tuple[str, int], ...] = ()
    offset_bytes: int = 0
    max_bytes: int = 0
