"""Writes the documented example of the configuration: every setting, its default, and what its docstring says."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import textwrap
from typing import Any

from hotsetd.config import Settings

_HEAD = """\
# Every setting of hotsetd with its default. Leave out what you do not change.
# Written by `hotsetd --print-config`; lines that begin with ## say what a setting means and where its number is from.
"""


def example() -> str:
    """Return the example as TOML; all values are commented out, so that it means the defaults."""
    return _HEAD + "".join(_table(Settings(), ""))


def _table(value: Any, name: str) -> list[str]:
    docs = attribute_docs(type(value))
    plain = [part for part in dataclasses.fields(value) if not dataclasses.is_dataclass(getattr(value, part.name))]
    nested = [part for part in dataclasses.fields(value) if dataclasses.is_dataclass(getattr(value, part.name))]
    lines = [f"\n[{name}]\n"] if name and plain else []
    for part in plain:
        lines.extend(f"## {line}\n" for line in textwrap.wrap(docs.get(part.name, ""), 116))
        written = _toml(getattr(value, part.name))
        lines.append(f"# {part.name} = {written}\n" if written else f"# {part.name} is not set\n")
    for part in nested:
        lines.extend(_table(getattr(value, part.name), f"{name}.{part.name}" if name else part.name))
    return lines


def attribute_docs(kind: type) -> dict[str, str]:
    """Return the string below each annotated attribute of a class, by name."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    docs: dict[str, str] = {}
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for before, after in itertools.pairwise(statements):
        if not isinstance(before, ast.AnnAssign) or not isinstance(before.target, ast.Name):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            docs[before.target.id] = " ".join(str(after.value.value).split())
    return docs


def _toml(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, frozenset):
        return _toml(tuple(sorted(value)))
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return repr(value)
