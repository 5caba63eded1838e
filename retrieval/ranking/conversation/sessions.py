"""What the turns of one session say of one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import nlargest

Session = tuple[str, ...]


def session_means(values: Mapping[int, float], sessions: Mapping[int, Session], best: int) -> Mapping[int, float]:
    """By turn, the sum of the `best` largest values of its session over `best`; 0 where its session is not known."""
    held: dict[Session, list[float]] = {}
    for record_id, session in sessions.items():
        if session:
            held.setdefault(session, []).append(values.get(record_id, 0.0))
    means = {session: sum(nlargest(best, found)) / best for session, found in held.items()}
    return {record_id: means.get(session, 0.0) for record_id, session in sessions.items()}


def spread(
    scores: Mapping[int, float], sessions: Mapping[int, Session], order: Collection[int], penalty: float
) -> dict[int, float]:
    """Scores less `penalty` for every turn of the same session that comes before. `order` is by score, best first.

    Taking the best again and again while each taken costs its session as much gives the same order.
    """
    taken: dict[Session, int] = {}
    found: dict[int, float] = {}
    for record_id in order:
        session = sessions[record_id]
        before = taken.get(session, 0) if session else 0
        found[record_id] = scores[record_id] - penalty * before
        taken[session] = before + 1
    return found
