"""Every number that steers the client, with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """Exponential back-off with jitter. Only calls that are safe to repeat are repeated, within their deadline."""

    attempts: int = 7
    """In all, the first included: pauses of up to 2.5 s together. Measured: a daemon restarts in 1 to 2.6 s."""
    first_pause_seconds: float = 0.05
    """Guess: ten times a local round trip."""
    growth: float = 2.0
    """Customary doubling."""
    longest_pause_seconds: float = 1.0
    """Guess."""
    jitter_share: float = 0.5
    """A pause is cut by up to this share at random, so that clients do not come back together. Guess."""


@dataclass(frozen=True, slots=True)
class StartSettings:
    """Starting a local daemon."""

    first_poll_seconds: float = 0.02
    """Guess: far below the time a daemon needs to open its store."""
    longest_poll_seconds: float = 0.2
    """Guess."""
    health_timeout_seconds: float = 2.0
    """Of one health call while waiting. Guess."""
    grace_seconds: float = 5.0
    """How long to go on waiting where another client's daemon holds the home: it may be coming up. Guess."""
    log_bytes: int = 1 << 20
    """A start log larger than this is put aside once. Guess."""
    log_tail_lines: int = 5
    """Lines of the log that an error quotes. Guess."""


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What a client does unless a call says otherwise."""

    timeout_seconds: float = 30.0
    """Deadline of a call. Guess: a Focus that waits for an index."""
    ingest_timeout_seconds: float = 3600.0
    """Deadline of an ingest stream. Guess: a million small files."""
    message_bytes: int = 16 << 20
    """Largest message, both ways. Guess: room for a 10 MiB goal, so that the daemon can say what is wrong with it."""
    batch_bytes: int = 1 << 20
    """A batch of documents or records is sent once it holds this much text. Guess."""
    batch_entries: int = 256
    """A batch is sent once it holds this many documents, records or edges. Guess."""
    resolve_refs: int = 200
    """Refs of one Resolve call; more are asked for in several. Guess, below what a daemon takes at once."""
    reconnect_first_milliseconds: int = 50
    """Guess: the daemon is local, so trying again is cheap."""
    reconnect_longest_milliseconds: int = 200
    """Guess: bounds what a restart of the daemon costs its clients."""
    connect_milliseconds: int = 2_000
    """Guess: how long one attempt to connect may take; 200 were too few beside eight busy processes on two cores."""
    retry: RetrySettings = field(default_factory=RetrySettings)
    start: StartSettings = field(default_factory=StartSettings)
