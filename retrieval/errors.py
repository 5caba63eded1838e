"""Errors of retrieval and its store, grouped by what the caller can do.

RetrievalError
├── BadField            the request is wrong: mend the named field
├── NotThere            ask for something else
│   ├── UnknownRef
│   └── UnknownNamespace
├── Conflict            read again, then retry
│   ├── ClaimLost       the working set moved on under another claim
│   ├── CutExpired      the history of that cut has been collected
│   └── StaleCursor     the list changed since the page before
├── StoreUnavailable    an operator must act
│   ├── StorageFull
│   ├── ReadOnlyStore
│   ├── StoreBusy       another process has the store open
│   ├── ForeignStore    not a store of ours, or of a newer format
│   └── StoreCorrupt
├── IndexUnavailable    a sensor is down; answers go on without it
└── DeadlinePassed      the caller's deadline ran out
"""

from __future__ import annotations


class RetrievalError(Exception):
    """Base of all errors that retrieval raises on purpose."""


class BadField(RetrievalError):
    """A field of the request cannot be accepted."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(f"{field}: {what}")
        self.field = field
        self.what = what


class NotThere(RetrievalError):
    """What was asked for does not exist in the caller's sight."""


class UnknownRef(NotThere):
    """No record of that ref is visible at the cut."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"no record {ref!r} is visible here")
        self.ref = ref


class UnknownNamespace(NotThere):
    """The namespace holds nothing that the caller may see."""

    def __init__(self, namespace: str) -> None:
        super().__init__(f"no namespace {namespace!r} is visible here: ingest something into it first")
        self.namespace = namespace


class Conflict(RetrievalError):
    """Somebody else's change came first."""


class ClaimLost(Conflict):
    """The working set is no longer at the epoch and turn that the claim names."""


class CutExpired(Conflict):
    """The history that the cut needs has been collected."""


class StaleCursor(Conflict):
    """The cursor belongs to another generation of the list."""


class StoreUnavailable(RetrievalError):
    """The store cannot do what was asked until an operator acts."""


class StorageFull(StoreUnavailable):
    """No space is left for the write; reads go on."""


class ReadOnlyStore(StoreUnavailable):
    """The store was opened for reading only."""


class StoreBusy(StoreUnavailable):
    """Another process holds the store."""


class ForeignStore(StoreUnavailable):
    """The files are not a store of ours or of a format this version cannot read."""


class StoreCorrupt(StoreUnavailable):
    """Stored bytes do not decode."""


class IndexUnavailable(RetrievalError):
    """An index cannot answer; the store is unharmed."""


class DeadlinePassed(RetrievalError):
    """The deadline ran out before the work was done."""
