"""Answers as plain dictionaries and lists, for JSON: the keys are the fields of `hotset.types`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def as_plain(value: object) -> Any:
    """Return `value` made of dictionaries, lists, texts, numbers, booleans and None; bytes are read as UTF-8."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: as_plain(getattr(value, each.name)) for each in fields(value)}
    match value:
        case Enum():
            return value.value
        case Mapping():
            return {str(key): as_plain(each) for key, each in value.items()}  # pyright: ignore[reportUnknownMemberType]
        case tuple() | list():
            return [as_plain(each) for each in value]
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case _:
            return value


def as_json(value: object, *, indent: int | None = 2) -> str:
    """Return an answer as JSON in ASCII; equal answers give equal text."""
    return json.dumps(as_plain(value), indent=indent, allow_nan=False)
