"""Errors of the client, grouped by what the caller can do.

HotsetError
├── BadRequest              mend the request; `field` names what is wrong
│   └── BadAddress          the address, home or agent's settings of this client
├── NotFound                ask for something else
│   ├── UnknownRef
│   ├── UnknownNamespace
│   └── UnknownAgent
├── Conflict                somebody else's change came first: read again, then retry
│   ├── CutExpired          read at a newer cut
│   └── StaleCursor         begin the list anew
├── OverLimits              ask for less, or later
│   └── StorageFull         an operator must free space; reads go on
├── NotAuthorised           ask the host or the operator
├── Unavailable             try later; `what_to_do` says what may help
│   ├── DaemonNotRunning    start one: `hotset serve`, or autostart=True
│   └── AutostartFailed     the daemon did not come up; the message says why
├── VersionMismatch         upgrade the client or the daemon
├── DeadlineExceeded        allow more time, or ask for less
├── Cancelled               the call was cancelled
└── DaemonFault             a fault of the daemon: report it

Over-budget pins are no error: `FocusAnswer.answer` and `PinAnswer.answer` say OVER_BUDGET.
"""

from __future__ import annotations


class HotsetError(Exception):
    """Base of all errors that this package raises on purpose.

    `reason` is the stable upper-snake word for programs, `field` the request's field at fault in dotted form, and
    `what_to_do` the advice; each is empty where there is none. `status` is the gRPC status name, empty where the error
    was found before anything was sent.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        field: str = "",
        what_to_do: str = "",
        request_id: str = "",
        status: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.field = field
        self.what_to_do = what_to_do
        self.request_id = request_id
        self.status = status


class BadRequest(HotsetError):
    """The request cannot be accepted as it is."""


class BadAddress(BadRequest):
    """The address is not of a form that this client can reach."""


class NotFound(HotsetError):
    """What was asked for does not exist in the caller's sight."""


class UnknownRef(NotFound):
    """No record of that ref is visible."""


class UnknownNamespace(NotFound):
    """No namespace of that name is visible."""


class UnknownAgent(NotFound):
    """The agent has no working set."""


class Conflict(HotsetError):
    """Somebody else's change came first."""


class CutExpired(Conflict):
    """The history that the cut needs has been collected."""


class StaleCursor(Conflict):
    """The list changed since the page before."""


class OverLimits(HotsetError):
    """A quota, a size or a queue is exhausted."""


class StorageFull(OverLimits):
    """The daemon has no space left to write."""


class NotAuthorised(HotsetError):
    """The caller may not do that."""


class Unavailable(HotsetError):
    """The daemon cannot answer now."""


class DaemonNotRunning(Unavailable):
    """Nothing answers at the address. The request was not sent."""


class AutostartFailed(Unavailable):
    """A daemon was to be started and did not come up."""


class VersionMismatch(HotsetError):
    """The daemon speaks another version of the protocol."""


class DeadlineExceeded(HotsetError):
    """The deadline ran out before the answer came; a write may have been done."""


class Cancelled(HotsetError):
    """The call was cancelled."""


class DaemonFault(HotsetError):
    """The daemon failed in a way that is its own fault."""


__all__ = [
    "AutostartFailed",
    "BadAddress",
    "BadRequest",
    "Cancelled",
    "Conflict",
    "CutExpired",
    "DaemonFault",
    "DaemonNotRunning",
    "DeadlineExceeded",
    "HotsetError",
    "NotAuthorised",
    "NotFound",
    "OverLimits",
    "StaleCursor",
    "StorageFull",
    "Unavailable",
    "UnknownAgent",
    "UnknownNamespace",
    "UnknownRef",
    "VersionMismatch",
]
