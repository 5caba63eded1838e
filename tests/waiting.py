"""Waits for a condition with a deadline, for what happens in other threads and processes."""

from __future__ import annotations

import time
from collections.abc import Callable

_STEP_SECONDS = 0.005


def until(condition: Callable[[], object], seconds: float = 20.0, what: Callable[[], object] = lambda: "") -> None:
    """Return once the condition holds; fails when the deadline comes, with what `what` says then."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not so after {seconds} s: {what()}"
        time.sleep(_STEP_SECONDS)
