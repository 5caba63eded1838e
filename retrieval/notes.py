"""What is to be said of an outcome, joined in one way everywhere."""

from __future__ import annotations


def joined(*notes: str) -> str:
    """The notes that say anything, each once, in order."""
    return "; ".join(dict.fromkeys(note for note in notes if note))
