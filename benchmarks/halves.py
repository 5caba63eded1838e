"""Rows in two halves, the same in every run: what is chosen on one is reported on the other."""

from __future__ import annotations

from hashlib import sha256


def half_of(identifier: str) -> str:
    """A or B, by the row's own id."""
    return "AB"[int(sha256(f"half:{identifier}".encode()).hexdigest()[:8], 16) % 2]
