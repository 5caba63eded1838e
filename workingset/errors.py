"""Errors of the core, grouped by what the caller can do.

WorkingSetError
├── IllegalMove      a move the tier table does not allow: a fault of ours
├── NotInSet         name an entry that is in the working set
├── PinnedEntry      unpin it first
└── PinRefused       ask for a pin that the owner may have
"""

from __future__ import annotations

from workingset.vocabulary import Ref


class WorkingSetError(Exception):
    """Base of all errors that the core raises on purpose."""


class IllegalMove(WorkingSetError):
    """The tier table does not allow the move; reaching this is a defect."""


class NotInSet(WorkingSetError):
    """The working set holds no entry of that ref."""

    def __init__(self, ref: Ref) -> None:
        super().__init__(f"{ref!r} is not in the working set: Status lists what is")
        self.ref = ref


class PinnedEntry(WorkingSetError):
    """A pinned entry leaves only by unpin or expiry."""

    def __init__(self, ref: Ref) -> None:
        super().__init__(f"{ref!r} is pinned and never leaves by pressure or Evict: call Unpin first")
        self.ref = ref


class PinRefused(WorkingSetError):
    """The owner may not have this pin."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(f"{field}: {what}")
        self.field = field
        self.what = what
