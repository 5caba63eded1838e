"""Structured logs: how events are written, and the names of them. No text of a record or goal is ever written.

One event a call, with what it did in numbers; one an unexpected error, with its trace.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Protocol

import structlog

from hotsetd.config import LogSettings
from hotsetd.errors import BadConfiguration

STARTED = "started"
STOPPING = "stopping"
STOPPED = "stopped"
CALL = "call"
DEFECT = "defect"
JOB_FAILED = "job_failed"
SOURCE = "source"
COLLECTED = "collected"

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Log(Protocol):
    """What the daemon may do with a logger: one event with named values."""

    def debug(self, event: str, **values: object) -> object: ...

    def info(self, event: str, **values: object) -> object: ...

    def warning(self, event: str, **values: object) -> object: ...

    def error(self, event: str, **values: object) -> object: ...


def configure(settings: LogSettings) -> Log:
    """Set logs up once for the process and return the daemon's logger; raises BadConfiguration."""
    if settings.level not in _LEVELS:
        raise BadConfiguration("log.level", f"{settings.level!r} is none of {', '.join(_LEVELS)}")
    renderer: Any = (
        structlog.processors.JSONRenderer(sort_keys=True)
        if settings.json_lines
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _without_text,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    log: Log = structlog.get_logger("hotsetd")
    return log


def _without_text(logger: Any, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    del logger, name
    for key in ("goal", "text", "block", "content"):
        if key in event:
            event[key] = f"<{len(str(event[key]))} characters>"
    return event
