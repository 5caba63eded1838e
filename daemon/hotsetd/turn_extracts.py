"""Outline and gist of what was said and seen: extracts of an agent's own turns.

Words are extracted like prose. Of a long tool output the outline is its first lines, the lines that speak of errors,
and its last lines, with how many lie between: what a reader looks for in a log, at a twentieth of its length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hotsetd.calls import ObservationKind
from hotsetd.config import HistorySettings
from retrieval.text.renderings import RenderingSettings, clip, one_line, render_document, render_lines
from workingset.candidate import Renderings

_ERROR = re.compile(
    r"\b(?:error|exception|traceback|failed|failure|failures|fatal|panic|denied|refused|undefined)\b|(?:Error|Exception)\b",
    re.IGNORECASE,
)


def extracts(kind: ObservationKind, text: str, settings: HistorySettings, renderings: RenderingSettings) -> Renderings:
    """Return the renderings of one observation, each no longer than the one before."""
    if not text or text.isspace():
        return Renderings(text, text, "")
    if kind is ObservationKind.TOOL_OUTPUT:
        return _output(text, settings, renderings)
    if kind is ObservationKind.TOOL_CALL:
        return render_lines(text, renderings)
    return render_document(text, "", renderings)


def _output(text: str, settings: HistorySettings, renderings: RenderingSettings) -> Renderings:
    lines = text.splitlines()
    shown = _shown(lines, settings)
    room = min(renderings.outline_characters, len(text))
    outline = _outline(lines, shown, settings, room)
    if len(lines) <= len(shown) and len(text) <= renderings.outline_characters:
        outline = text
    gist = one_line(_first(lines, shown))
    return Renderings(text, outline, clip(gist, min(renderings.gist_characters, max(1, len(outline)))))


def _shown(lines: Sequence[str], settings: HistorySettings) -> list[int]:
    """The places of the lines that are shown, in order."""
    head = range(min(settings.outline_head_lines, len(lines)))
    tail = range(max(len(head), len(lines) - settings.outline_tail_lines), len(lines))
    errors: list[int] = []
    for at in range(len(head), tail.start):
        if len(errors) == settings.outline_error_lines:
            break
        if _ERROR.search(lines[at]):
            errors.append(at)
    return [*head, *errors, *tail]


def _outline(lines: Sequence[str], shown: Sequence[int], settings: HistorySettings, room: int) -> str:
    """The lines shown and how many lie between, the longest cut further until all of it fits."""
    characters = settings.outline_line_characters
    while True:
        rows: list[str] = []
        before = -1
        for at in shown:
            if at - before > 1:
                rows.append(f"… {at - before - 1} lines …")
            rows.append(clip(lines[at].rstrip(), characters))
            before = at
        outline = "\n".join(rows)
        if len(outline) <= room or characters <= 1:
            return clip(outline, room)
        characters //= 2


def _first(lines: Sequence[str], shown: Sequence[int]) -> str:
    """The line that tells most of an output in one: the first that speaks of an error, else the first with words."""
    candidates = [lines[at] for at in shown if lines[at].strip()]
    return next((line for line in candidates if _ERROR.search(line)), candidates[0] if candidates else "")
