"""Outline and gist of a text: extracts, made without a model.

An extract holds only words of the text (runs of blanks become one; `…` and the dash between a signature and its
description are ours). Neither is ever longer than the text itself, so a lower fidelity never costs more. The gist is
one line without control characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workingset.candidate import Renderings

_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
_LETTER = re.compile(r"\w")
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class RenderingSettings:
    """How long extracts may be, in characters or counted as the name says."""

    gist_characters: int = 160
    """Guess: a signature and one sentence; some 40 tokens."""
    outline_characters: int = 1_600
    """Guess: a screen of signatures; some 400 tokens."""
    outline_sentences: int = 2
    """Guess: what a docstring says first is what the thing is for."""
    outline_lines: int = 6
    """Guess: the first lines of code that declares nothing."""
    signature_characters: int = 240
    """Guess: longer signatures are cut; they are mostly types and defaults."""
    sentence_characters: int = 240
    """Guess: so much of a paragraph's first sentence says what it is about."""


def render_code(
    text: str, signature: str, description: str, members: Sequence[str], settings: RenderingSettings
) -> Renderings:
    """Return the renderings of code that declares something.

    `description` is its docstring or comment; `members` are the signatures of what lies inside it or, for a file,
    under it. As many members are listed as there is room for; the rest is counted in the last line.
    """
    head = one_line(signature)
    about = sentences(description, settings.outline_sentences)
    lines = [line for line in (clip(head, settings.signature_characters), about) if line]
    room = min(settings.outline_characters, len(text))
    outline = _listing(lines, [clip(one_line(m), settings.signature_characters) for m in members], room)
    first = sentences(description, 1)
    gist = f"{head}{' ' if head.endswith(':') else ' — '}{first}" if head and first else head or first
    return _bounded(text, outline, gist, settings)


def render_document(text: str, heading: str, settings: RenderingSettings) -> Renderings:
    """Return the renderings of prose: its heading and the first sentence of each paragraph.

    Lines without a letter or digit (underlines, fences, rules) say nothing and are left out.
    """
    body = text
    found = text.find(heading) if heading else -1
    if found >= 0:
        body = text[found + len(heading) :]
    body = "\n".join(line for line in body.split("\n") if not line.strip() or _LETTER.search(line))
    firsts = [sentences(paragraph, 1) for paragraph in _PARAGRAPH_END.split(body)]
    firsts = [clip(first, settings.sentence_characters) for first in firsts if first]
    room = min(settings.outline_characters, len(text))
    outline = _listing([one_line(heading)] if heading else [], firsts, room)
    gist = f"{one_line(heading)} — {firsts[0]}" if heading and firsts else one_line(heading) or "".join(firsts[:1])
    return _bounded(text, outline, gist, settings)


def render_lines(text: str, settings: RenderingSettings) -> Renderings:
    """Return the renderings of anything else: its first lines."""
    kept: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            kept.append(clip(line.rstrip(), settings.signature_characters))
            if len(kept) == settings.outline_lines:
                break
    outline = "\n".join(kept)
    first = next((line for line in kept if _LETTER.search(line)), kept[0] if kept else "")
    return _bounded(text, outline, one_line(first), settings)


def one_line(text: str) -> str:
    """Return the text on one line: runs of blanks, control, zero-width and bidirectional characters become a blank."""
    if text.isascii() and text.isprintable() and "  " not in text:  # most signatures: nothing to be replaced
        return text.strip()
    return _UNPRINTABLE.sub(" ", text).strip()


def clip(text: str, characters: int) -> str:
    """Return the text, or its beginning and an ellipsis, in at most that many characters."""
    return text if len(text) <= characters else text[: max(0, characters - 1)].rstrip() + _ELLIPSIS


def sentences(text: str, count: int) -> str:
    """Return the first sentences of the first paragraph that has a letter, on one line."""
    for paragraph in _PARAGRAPH_END.split(text):
        if _LETTER.search(paragraph):
            return " ".join(_SENTENCE_END.split(one_line(paragraph))[:count]).strip()
    return ""


def _listing(head: Iterable[str], items: Sequence[str], room: int) -> str:
    """Join head and items, a line each, within the room; what does not fit is counted in a last line."""
    lines = list(head)
    used = sum(len(line) + 1 for line in lines)
    for at, item in enumerate(items):
        more = f"{_ELLIPSIS} {len(items) - at} more"
        is_last = at == len(items) - 1
        if used + len(item) + (0 if is_last else 1 + len(more)) > room:
            if used + len(more) <= room:
                lines.append(more)
            break
        lines.append(item)
        used += len(item) + 1
    return "\n".join(lines)


def _bounded(text: str, outline: str, gist: str, settings: RenderingSettings) -> Renderings:
    outline = outline.strip("\n")
    if not outline or len(outline) >= len(text):
        outline = text
    if len(outline) > settings.outline_characters:
        outline = clip(outline, settings.outline_characters)
    short = clip(gist or one_line(text) or _ELLIPSIS, settings.gist_characters)
    if len(short) > len(outline):
        short = clip(one_line(outline) or _ELLIPSIS, min(settings.gist_characters, len(outline)))
    return Renderings(text, outline, short)
