"""Texts, numbers and bars for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from hotset.types import Lines, ReasonCount, Tier

_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str, *, one_line: bool = True) -> str:
    """Return stored text made safe for a terminal: controls and direction marks are shown as escapes, not obeyed."""
    if one_line:
        text = " ".join(text.split())
    return "".join(letter if _is_plain(letter) else _escaped(letter) for letter in text)


def _is_plain(letter: str) -> bool:
    return letter in "\n\t\u200d" or unicodedata.category(letter) not in _UNSEEN


def _escaped(letter: str) -> str:
    number = ord(letter)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def count(number: int) -> str:
    """Return a count with thousands marked."""
    return f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """Return a share of 1 as a percentage; only all is 100%, and only nothing 0%."""
    shown = f"{share:.0%}"
    if shown == "100%" and share < 1:
        return "over 99%"
    return "under 1%" if shown == "0%" and share > 0 else shown


def spaced(word: str) -> str:
    """Return a machine word for people."""
    return visible(word.replace("_", " "))


def place(path: str, lines: Lines | None) -> str:
    """Return a path with its lines as `hotset touch` takes it."""
    return visible(f"{path}:{lines.start}-{lines.end}" if lines and path else path)


def moment(unix_seconds: int) -> str:
    """Return a time to the minute; a number that no calendar holds stays a number."""
    try:
        return datetime.fromtimestamp(unix_seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return f"{unix_seconds} s"


def tier_word(tier: Tier) -> str:
    """Return a tier's name, short enough for a column."""
    return "frontier" if tier is Tier.FRONTIER_ONLY else tier.value


def reasons(counts: Iterable[ReasonCount]) -> str:
    """Return counts by reason on one line."""
    return ", ".join(f"{spaced(each.reason)} {count(each.count)}" for each in counts)


def add_row(table: Table, *cells: RenderableType) -> None:
    """Add a row in which texts are taken as they are: brackets in stored text are no markup."""
    table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))


@dataclass(frozen=True, slots=True)
class Tail:
    """One line of text whose end matters most, such as a path with lines: it is cut at its beginning."""

    text: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown, width = self.text, cell_len(self.text)
        mark = ".." if options.ascii_only else "…"
        while shown and width > options.max_width:
            shown = shown[1:]
            width = cell_len(shown) + len(mark)
        yield Segment(shown if shown == self.text else mark + shown)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, max(1, cell_len(self.text)))


@dataclass(frozen=True, slots=True)
class Uncut:
    """A table whose column of refs is whole, so that they can be copied into other commands. Where the terminal is too
    narrow for that the table is wider than it: `cells` is what the table needs at least."""

    table: Table
    cells: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.table.width = max(options.max_width, self.cells)
        yield from console.render(self.table, options.update(width=self.table.width))


def widest(texts: Iterable[str]) -> int:
    """Return how many cells the widest of the texts takes."""
    return max((cell_len(text) for text in texts), default=0)


@dataclass(frozen=True, slots=True)
class Bar:
    """Shares of a whole as a bar of `cells` characters; parts are (share, style), and what is left is drawn faint."""

    parts: tuple[tuple[float, str], ...]
    cells: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        full, rest = ("#", ".") if options.ascii_only else ("█", "░")
        drawn = 0
        total = 0.0
        for share, style in self.parts:
            total += share
            until = min(self.cells, round(total * self.cells))
            if share > 0 and until == drawn < self.cells:
                until = drawn + 1  # what is there is seen, however small
            yield Segment(full * (until - drawn), Style.parse(style))
            drawn = max(drawn, until)
        yield Segment(rest * (self.cells - drawn), Style.parse("dim"))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(self.cells, self.cells)
