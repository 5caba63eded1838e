"""The one table from errors to gRPC status. Every error class of every room is in it, by itself or by its base.

The most derived class that is listed wins; an error that is not listed is a defect of ours and answers INTERNAL without
its message, which may hold anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from grpc import StatusCode

from hotsetd import errors as daemon
from retrieval import errors as retrieval
from retrieval.ingest.errors import IngestCancelled
from workingset import errors as core


@dataclass(frozen=True, slots=True)
class Answer:
    """A status with its machine-readable reason and what the caller can do."""

    code: StatusCode
    reason: str
    what_to_do: str


TABLE: dict[type[Exception], Answer] = {
    retrieval.BadField: Answer(StatusCode.INVALID_ARGUMENT, "BAD_FIELD", "mend the named field and send it again"),
    retrieval.NotThere: Answer(StatusCode.NOT_FOUND, "NOT_FOUND", "ask for something that exists"),
    retrieval.UnknownRef: Answer(
        StatusCode.NOT_FOUND, "UNKNOWN_REF", "take refs from replies; List names what there is"
    ),
    retrieval.UnknownNamespace: Answer(StatusCode.NOT_FOUND, "UNKNOWN_NAMESPACE", "ingest into it first"),
    retrieval.Conflict: Answer(StatusCode.ABORTED, "CONFLICT", "read again, then retry"),
    retrieval.ClaimLost: Answer(StatusCode.ABORTED, "CLAIM_LOST", "send one call at a time for an agent, and retry"),
    retrieval.CutExpired: Answer(StatusCode.FAILED_PRECONDITION, "CUT_EXPIRED", "ask without a cut for the newest"),
    retrieval.StaleCursor: Answer(StatusCode.ABORTED, "STALE_CURSOR", "start the listing again without a cursor"),
    retrieval.StoreUnavailable: Answer(StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE", "see the daemon's log"),
    retrieval.StorageFull: Answer(StatusCode.RESOURCE_EXHAUSTED, "STORAGE_FULL", "free space on the store's disk"),
    retrieval.ReadOnlyStore: Answer(StatusCode.FAILED_PRECONDITION, "READ_ONLY", "this daemon serves reads only"),
    retrieval.StoreBusy: Answer(StatusCode.UNAVAILABLE, "STORE_BUSY", "stop the other process that has the store open"),
    retrieval.ForeignStore: Answer(StatusCode.FAILED_PRECONDITION, "FOREIGN_STORE", "use the version that wrote it"),
    retrieval.StoreCorrupt: Answer(StatusCode.DATA_LOSS, "STORE_CORRUPT", "restore a backup; see the daemon's log"),
    retrieval.IndexUnavailable: Answer(StatusCode.UNAVAILABLE, "INDEX_UNAVAILABLE", "try again: indexes are rebuilt"),
    retrieval.DeadlinePassed: Answer(StatusCode.DEADLINE_EXCEEDED, "DEADLINE", "give the call more time"),
    IngestCancelled: Answer(StatusCode.CANCELLED, "CANCELLED", "ingest again: it goes on from what was committed"),
    core.NotInSet: Answer(StatusCode.NOT_FOUND, "NOT_IN_SET", "Status lists what is in the set"),
    core.PinnedEntry: Answer(StatusCode.FAILED_PRECONDITION, "PINNED", "call Unpin first"),
    core.PinRefused: Answer(StatusCode.INVALID_ARGUMENT, "PIN_REFUSED", "ask for a pin that the owner may have"),
    core.NothingToUndo: Answer(
        StatusCode.FAILED_PRECONDITION, "NOTHING_TO_UNDO", "call UndoRefocus after a refocus, before the next Focus"
    ),
    core.NoRequest: Answer(StatusCode.FAILED_PRECONDITION, "NO_REQUEST", "open one with Focus.user_request"),
    core.SetExists: Answer(StatusCode.ALREADY_EXISTS, "SET_EXISTS", "name an agent that has no set, or Forget it"),
    core.IllegalMove: Answer(StatusCode.INTERNAL, "ILLEGAL_MOVE", "this is a defect: report it with the log"),
    daemon.UnknownAgent: Answer(StatusCode.NOT_FOUND, "UNKNOWN_AGENT", "call Focus first"),
    daemon.UnknownReceipt: Answer(
        StatusCode.NOT_FOUND, "UNKNOWN_RECEIPT", "name a turn that a Focus made, as its reply does in `receipt`"
    ),
    daemon.UnknownSource: Answer(StatusCode.NOT_FOUND, "UNKNOWN_SOURCE", "ListSources names those there are"),
    daemon.NotRetained: Answer(
        StatusCode.FAILED_PRECONDITION, "NOT_RETAINED", "replay one of the turns that are kept; raise replay.kept_turns"
    ),
    daemon.Overloaded: Answer(StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", "send one call at a time for an agent"),
    daemon.Stopping: Answer(StatusCode.UNAVAILABLE, "STOPPING", "connect again once the daemon is back"),
    daemon.BadConfiguration: Answer(StatusCode.FAILED_PRECONDITION, "BAD_CONFIGURATION", "mend the named key"),
    daemon.AlreadyRunning: Answer(StatusCode.ALREADY_EXISTS, "ALREADY_RUNNING", "use the daemon that runs"),
}
DEFECT = Answer(StatusCode.INTERNAL, "DEFECT", "report it with the request id; the daemon's log has the details")


def answer_for(error: BaseException) -> Answer:
    """Return the table's line for the most derived listed class of the error."""
    for kind in type(error).__mro__:
        if kind in TABLE:
            return TABLE[kind]
    return DEFECT


def field_of(error: BaseException) -> str:
    """Return the field of the request that the error names, or nothing."""
    field = getattr(error, "field", "")
    return field if isinstance(field, str) else ""
