"""The block as text: what of the working set goes into the agent's context, and exactly how many tokens it is.

Each entry is one segment: a header line with its ref and place, then its text between fences that are longer than any
run of tildes in the text, so that stored text cannot end its own segment and pass for ours. A gist or a reference is
one line. Brackets behind a place are ours: the outline, what became of the record, whether it is stale. Segments end in
a line break; the user's open request and then the goal are last. Nothing else is in a block, so bytes depend on entries
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from xxhash import xxh3_128_hexdigest

from workingset.candidate import Renderings
from workingset.entry import GOAL_NAMESPACE, REQUEST_NAMESPACE, Entry
from workingset.tier import Tier
from workingset.vocabulary import Digest, Fidelity, Freshness, Lines, Ref, Standing, Tokens

CountTokens = Callable[[str], int]
"""Counts the tokens of a text with the configured tokenizer."""

_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    r"\uffa0\ufff9-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e007f]+"
)
"""What ends a line, is not seen, or turns the direction of what follows, letters without a glyph among them."""
_OWN_WORDS = {GOAL_NAMESPACE: "# Goal", REQUEST_NAMESPACE: "# Request"}
_TILDES = re.compile(r"~{3,}")


@dataclass(frozen=True, slots=True)
class Segment:
    """One entry's piece of the block."""

    ref: Ref
    tier: Tier
    fidelity: Fidelity
    text: str
    digest: Digest


@dataclass(frozen=True, slots=True)
class Block:
    """The whole rendered text, its pieces in order and its exact token count."""

    text: str
    segments: tuple[Segment, ...]
    tokens: Tokens


def one_line(text: str) -> str:
    """Return the text with line breaks, control, invisible and bidirectional characters as single blanks."""
    return text.strip() if text.isascii() and text.isprintable() else _UNPRINTABLE.sub(" ", text).strip()


def first_words(text: str, characters: int = 48) -> str:
    """Return the beginning of a text as one line of at most so many characters, to call it by."""
    line = one_line(text)
    return line if len(line) <= characters else f"{line[: characters - 1].rstrip()}…"


def place_of(entry: Entry) -> str:
    """Return the one line that says what the entry is: its ref, where it stands in its file, and its title."""
    where = f" {one_line(entry.path)}{_span(entry.lines)}" if entry.path else ""
    title = one_line(entry.title)
    return f"{one_line(entry.ref)}{where}" + (f" {title}" if title and title != entry.path else "")


def segment_text(entry: Entry, renderings: Renderings, fidelity: Fidelity, place: str) -> str:
    """Return the entry's piece of the block at a fidelity; `place` is its `place_of`."""
    if entry.namespace in _OWN_WORDS:
        return f"{_OWN_WORDS[entry.namespace]}\n{renderings.full}\n"
    head = f"{_unmarked(place)}{_mark(entry, fidelity)}"
    if fidelity is Fidelity.REFERENCE:
        return f"- {head}\n"
    if fidelity is Fidelity.GIST:
        return f"- {head}: {one_line(renderings.gist)}\n"
    body = renderings.full if fidelity is Fidelity.FULL else renderings.outline
    return f"## {head}\n{_fenced(body)}"


def segment(entry: Entry, renderings: Renderings) -> Segment:
    """Return the entry's piece of the block at its own fidelity."""
    text = segment_text(entry, renderings, entry.fidelity, place_of(entry))
    digest = Digest(xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass")))
    return Segment(entry.ref, entry.tier, entry.fidelity, text, digest)


def layout(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries in the order of the block: pins, the rest by admission, frontier lines, the request, the goal."""
    return sorted(entries, key=_layout_key)


def render(entries: Sequence[Entry], texts: Callable[[Ref], Renderings], count: CountTokens) -> Block:
    """Render entries in block order and count the whole of it."""
    pieces = tuple(segment(entry, texts(entry.ref)) for entry in layout(entries))
    text = "".join(piece.text for piece in pieces)
    return Block(text, pieces, Tokens(count(text)))


def _layout_key(entry: Entry) -> tuple[int, int, str]:
    if entry.namespace in _OWN_WORDS:
        return (4 if entry.namespace == GOAL_NAMESPACE else 3, entry.order, entry.ref)
    if entry.tier is Tier.PINNED:
        return (0, entry.order, entry.ref)
    return (2 if entry.tier is Tier.FRONTIER_ONLY else 1, entry.order, entry.ref)


def _span(lines: Lines | None) -> str:
    return f":{lines.start}-{lines.end}" if lines else ""


def _unmarked(place: str) -> str:
    """The place with a full stop behind a last bracket: behind a place those are our marks alone."""
    return f"{place}." if place.endswith("]") else place


def _mark(entry: Entry, fidelity: Fidelity) -> str:
    marks = [fidelity.value] if fidelity is Fidelity.OUTLINE else []
    if entry.standing is not Standing.CURRENT:
        by = f" by {one_line(entry.successor)}" if entry.successor else ""
        marks.append(f"{entry.standing.value}{by}")
    elif entry.freshness is Freshness.STALE:
        marks.append(entry.freshness.value)
    return f" [{', '.join(marks)}]" if marks else ""


def _fenced(text: str) -> str:
    longest = max((len(run) for run in _TILDES.findall(text)), default=2) if "~~~" in text else 2
    fence = "~" * (longest + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}\n{text}{end}{fence}\n"
