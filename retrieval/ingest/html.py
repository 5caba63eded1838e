"""HTML as readable text by headings and paragraphs. Broken markup is read as far as `lxml` mends it.

The text is an extract: a paragraph, an item or a table's row is a line, entities are characters, preformatted text
keeps its lines, images give their description. Scripts, styles, navigation and what is marked hidden are left out and
counted. A piece's lines are the range of the source that its text was taken from, so that they can be cited and
touched; where much stands on one line, pieces share it. (libxml2 counts 65,535 lines: what lies beyond is known by the
range from there to the end.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from retrieval.ingest.guards import Reason
from retrieval.ingest.headings import Heading, sections
from retrieval.ingest.pieces import ParsedFile, SourceLines
from retrieval.ingest.settings import IngestSettings
from retrieval.text.renderings import one_line
from workingset.vocabulary import Digest, Lines

HTML_EXTENSIONS = (".html", ".htm", ".xhtml")

_DROPPED = {
    **dict.fromkeys(("script", "noscript", "template", "iframe", "object", "svg", "canvas"), Reason.SCRIPTS_DROPPED),
    **dict.fromkeys(("style", "link"), Reason.STYLES_DROPPED),
    "nav": Reason.NAVIGATION_DROPPED,
}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LINES = frozenset(("li", "dt", "dd", "tr", "caption", "option"))
_BLOCK_NAMES = """
    address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre search section summary table tbody tfoot
    thead tr ul caption option
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_CELLS = frozenset(("td", "th"))
_BLANKS = re.compile(r"\s+")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def parse_html(path: str, text: str, digest: Digest, size_bytes: int, settings: IngestSettings) -> ParsedFile:
    """Cut a page into sections of its readable text; one without any gives no pieces but its title, if it has one."""
    etree = _library()
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(text.encode(), parser)
    page = _Page()
    if root is not None:
        page.read(root)
    if any("depth" in entry.message for entry in parser.error_log):
        page.dropped[Reason.NESTED_TOO_DEEP] += 1
    rows = page.rows or [(page.title or path.rpartition("/")[2], 1)]
    count = text.count("\n") + (not text.endswith("\n"))
    first_lines = [line for _, line in rows]

    def lines_of(first: int, last: int) -> Lines:
        begin = 1 if first == 0 else min(first_lines[first], count)
        following = first_lines[last + 1] - 1 if last + 1 < len(rows) else count
        return Lines(begin, max(begin, min(following, count)))

    lines = SourceLines("".join(f"{row}\n" for row, _ in rows))
    pieces = sections(lines, page.headings, page.title or path.rpartition("/")[2], settings, lines_of)
    cuts = tuple(sorted((reason.value, times) for reason, times in page.dropped.items()))
    return ParsedFile(path, "html", digest, size_bytes, pieces, cuts)


class _Page:
    """Reads a tree once, in document order, into rows, each with the line of the source that it begins on."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, int]] = []
        self.headings: list[Heading] = []
        self.dropped: Counter[Reason] = Counter()
        self.title = ""
        self._parts: list[str] = []
        self._line = 1
        self._text_line = 0
        self._spaced = False
        self._preformatted = 0
        self._skipped: Any = None

    def read(self, root: Any) -> None:
        """Take in the whole tree."""
        for event, element in _library().iterwalk(root, events=("start", "end")):
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                self._start(element)
            else:
                self._end(element)
        self._flush(False)

    def _start(self, element: Any) -> None:
        if self._skipped is not None:
            return
        self._line = max(self._line, element.sourceline or 1)
        tag = element.tag.lower()
        reason = _DROPPED.get(tag) or _by_attributes(element)
        if reason is not None:
            self.dropped[reason] += 1
        if reason is not None or tag == "title":
            self._skipped = element
            if tag == "title" and not self.title:
                self.title = one_line("".join(element.itertext()))
            return
        if tag in _BLOCKS:
            self._flush(tag not in _LINES)
        elif tag == "br":
            self._flush(False)
        elif tag in _CELLS and self._text_line:
            self._parts.append(" | " if _tag(element.getparent()) == "tr" else " ")
        elif tag == "img" and element.get("alt"):
            self._add(f" {element.get('alt')} ")
        self._preformatted += tag in {"pre", "textarea"}
        if tag == "li":
            self._parts.append("- ")
        self._add(element.text)

    def _end(self, element: Any) -> None:
        if self._skipped is not None:
            if self._skipped is element:
                self._skipped = None
                self._add(element.tail)
            return
        tag = element.tag.lower()
        self._preformatted -= tag in {"pre", "textarea"}
        if tag in _HEADINGS:
            self._heading(_HEADINGS[tag])
        elif tag in _BLOCKS:
            self._flush(tag not in _LINES)
        self._add(element.tail)

    def _heading(self, level: int) -> None:
        text = one_line("".join(self._parts))
        before = len(self.rows)
        self._flush(True)
        if text and len(self.rows) > before:
            row = len(self.rows) - 1
            self.headings.append(Heading(row, level, text))

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if not text.isspace() and not self._text_line:
            lead = len(text) - len(text.lstrip())
            self._text_line = self._line + text.count("\n", 0, lead)
        self._line += text.count("\n")
        self._parts.append(text if self._preformatted else _BLANKS.sub(" ", text))

    def _flush(self, spaced: bool) -> None:
        """End the row under way. A blank row comes before the next where this or it is a block of its own."""
        whole = "".join(self._parts)
        rows = whole.strip("\n").split("\n") if "\n" in whole else [_BLANKS.sub(" ", whole).strip()]
        kept = bool(self._text_line) and whole.strip(" \t\r\n-|") != ""
        if kept:
            if self._spaced and self.rows:
                self.rows.append(("", self._text_line))
            self.rows.extend(_numbered(rows, self._text_line))
        self._spaced = spaced or (self._spaced and not kept)
        self._parts = []
        self._text_line = 0


@cache
def _library() -> Any:
    """Loaded at the first page; it ships no types."""
    return import_module("lxml.etree")


def _tag(element: Any) -> str:
    return element.tag.lower() if element is not None and isinstance(element.tag, str) else ""


def _by_attributes(element: Any) -> Reason | None:
    if element.get("role") == "navigation":
        return Reason.NAVIGATION_DROPPED
    hidden = element.get("hidden") is not None or element.get("aria-hidden") == "true"
    return Reason.HIDDEN_DROPPED if hidden or _HIDDEN.search(element.get("style") or "") else None


def _numbered(rows: list[str], line: int) -> Iterator[tuple[str, int]]:
    """Preformatted rows, each on its line."""
    return ((row.rstrip("\r"), line + at) for at, row in enumerate(rows))
