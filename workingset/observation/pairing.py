"""Which call a tool's output answers, going by order and by the tool's name."""

from __future__ import annotations

from collections.abc import Sequence

from workingset.observation.seen import Observation, Speaker


def answered_calls(observations: Sequence[Observation]) -> tuple[int | None, ...]:
    """Return for each observation the place of the call that it answers; None where it answers none of these.

    Outputs answer calls in order: the oldest open one of the same tool, or the oldest of all where none has its name.
    """
    answered: list[int | None] = []
    waiting: list[int] = []
    for place, observation in enumerate(observations):
        call = None
        if observation.speaker is Speaker.TOOL_CALL:
            waiting.append(place)
        elif observation.speaker is Speaker.USER:
            waiting.clear()
        elif observation.speaker is Speaker.TOOL_OUTPUT and waiting:
            same = (at for at in waiting if observation.tool and observations[at].tool == observation.tool)
            call = next(same, waiting[0])
            waiting.remove(call)
        answered.append(call)
    return tuple(answered)
