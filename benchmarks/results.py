"""What a benchmark prints for programs: one line `RESULT key=value …` for each row of its table."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

Value = str | int | float


def result_line(measure: str, values: Mapping[str, Value]) -> str:
    """Return one RESULT line: keys in the order given, numbers to six digits, `nan` for what was not measured.

    Raises ValueError for a text that would not be read back as one value.
    """
    return " ".join(("RESULT", f"measure={measure}", *(f"{key}={_shown(key, value)}" for key, value in values.items())))


def percent(rate: float, digits: int = 1) -> str:
    """Return a rate in per cent, as tables show it."""
    return f"{100 * rate:.{digits}f}"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return rows under their head, columns aligned: the first to the left, the others to the right."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = (
        "  ".join(
            cell.ljust(w) if at == 0 else cell.rjust(w) for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *rows)
    )
    return "\n".join(line.rstrip() for line in lines)


def _shown(key: str, value: Value) -> str:
    if isinstance(value, float):
        return "nan" if isnan(value) else f"{value:.6g}"
    text = str(value)
    if not text or any(character.isspace() or character == "=" for character in text):
        raise ValueError(f"{key}: {text!r} holds a blank or an equals sign, or nothing at all")
    return text
