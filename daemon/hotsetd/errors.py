"""Errors of the daemon itself; `hotsetd.status` maps these and those of the other rooms to gRPC.

DaemonError
├── UnknownAgent       call Focus first
├── UnknownReceipt     name a turn that was a Focus
├── UnknownSource      name a source that is followed
├── NotRetained        what it was decided from is not kept
├── Overloaded         try again later
├── Stopping           the daemon is shutting down
├── BadConfiguration   mend the named key
└── AlreadyRunning     another daemon owns the home or the socket
"""

from __future__ import annotations


class DaemonError(Exception):
    """Base of all errors that the daemon raises on purpose."""


class UnknownAgent(DaemonError):
    """The agent has no working set."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"agent {agent!r} has no working set yet")
        self.agent = agent


class UnknownReceipt(DaemonError):
    """The agent has no receipt of that turn."""


class UnknownSource(DaemonError):
    """The namespace follows no such root."""


class NotRetained(DaemonError):
    """What a turn was decided from is not kept, or not any more."""


class Overloaded(DaemonError):
    """A queue is full."""


class Stopping(DaemonError):
    """No new work is taken."""


class BadConfiguration(DaemonError):
    """A key of the configuration cannot be accepted."""

    def __init__(self, key: str, what: str) -> None:
        super().__init__(f"{key}: {what}")
        self.key = key


class AlreadyRunning(DaemonError):
    """Another live process holds the lock."""
