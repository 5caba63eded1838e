"""Checks of request fields before anything is sent: what protobuf could not carry is a BadRequest that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hotset.errors import BadRequest


def text(field: str, value: str) -> str:
    """Return `value` if it can be written as UTF-8."""
    if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers without a type checker
        raise _bad(field, f"must be text, not {type(value).__name__}", "pass a str")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _bad(
            field,
            f"character {error.start} is half of a surrogate pair or a byte that is not UTF-8",
            "decode the text as UTF-8, or replace what cannot be decoded, before passing it",
        ) from None
    return value


def texts(field: str, values: Iterable[str]) -> list[str]:
    """Return each of `values`, checked; a single string is refused, for it would be taken apart into letters."""
    if isinstance(values, str):
        raise _bad(field, "must be a list of texts, not one text", f"pass [{field}]")
    return [text(f"{field}[{place}]", value) for place, value in enumerate(values)]


def text_map(field: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return a checked mapping of text to text."""
    return {text(f"{field} key", key): text(f"{field}.{key}", value) for key, value in values.items()}


def whole(field: str, value: int, least: int, most: int) -> int:
    """Return `value` if it is a whole number that the field can carry."""
    if not isinstance(value, int) or isinstance(value, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _bad(field, f"must be a whole number, not {type(value).__name__}", "pass an int")
    if not least <= value <= most:
        raise _bad(field, f"{value} is not between {least} and {most}", "pass a number within that range")
    return value


def flag(field: str, value: bool) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers without a type checker
        raise _bad(field, f"must be True or False, not {type(value).__name__}", "pass a bool")
    return value


def signed(field: str, value: int, bits: int = 64) -> int:
    """Return `value` if a signed field of so many bits can carry it; whether it makes sense, the daemon says."""
    return whole(field, value, -(1 << bits - 1), (1 << bits - 1) - 1)


def unsigned(field: str, value: int, bits: int = 64) -> int:
    """Return `value` if an unsigned field of so many bits can carry it."""
    return whole(field, value, 0, (1 << bits) - 1)


def _bad(field: str, what: str, what_to_do: str) -> BadRequest:
    return BadRequest(f"{field}: {what}", reason="BAD_FIELD", field=field, what_to_do=what_to_do)
