"""Errors of the core, grouped by what the caller can do.

WorkingSetError
├── IllegalMove      a move the tier table does not allow: a fault of ours
├── NotInSet         name an entry that is in the working set
├── PinnedEntry      unpin it first
├── PinRefused       ask for a pin that the owner may have
├── NothingToUndo    undo in the turn of the refocus, before the next Focus
├── NoRequest        no request of the user is open: there is nothing to close
└── SetExists        name an agent that has no working set yet
"""

from __future__ import annotations

from workingset.vocabulary import AgentId, Ref


class WorkingSetError(Exception):
    """Base of all errors that the core raises on purpose."""


class IllegalMove(WorkingSetError):
    """The tier table does not allow the move; reaching this is a defect."""


class NotInSet(WorkingSetError):
    """The working set holds no entry of that ref."""

    def __init__(self, ref: Ref) -> None:
        super().__init__(f"{ref!r} is not in the working set")
        self.ref = ref


class PinnedEntry(WorkingSetError):
    """A pinned entry leaves only by unpin or expiry."""

    def __init__(self, ref: Ref) -> None:
        super().__init__(f"{ref!r} is pinned, and leaves neither under pressure nor by being evicted")
        self.ref = ref


class PinRefused(WorkingSetError):
    """The owner may not have this pin."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(f"{field}: {what}")
        self.field = field
        self.what = what


class NothingToUndo(WorkingSetError):
    """The last turn was no refocus, or it was taken back already."""

    def __init__(self, agent: AgentId) -> None:
        super().__init__(f"the last turn of {agent!r} has no refocus to take back: it is offered until the next focus")


class NoRequest(WorkingSetError):
    """No request of the user is open."""

    def __init__(self, agent: AgentId) -> None:
        super().__init__(f"{agent!r} has no open request")


class SetExists(WorkingSetError):
    """A set is given only to an agent that has none, so that none is written over."""

    def __init__(self, agent: AgentId, field: str) -> None:
        super().__init__(f"{field}: {agent!r} has a working set already")
        self.field = field
