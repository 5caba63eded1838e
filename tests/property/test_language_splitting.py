"""Long functions are cut at statements, in every language: never within a line, and never within a statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.ingest.settings import IngestSettings, PieceSettings
from tests.ingest_room import assert_renderings, assert_tiles, parsed

SMALL = IngestSettings(pieces=PieceSettings(long_lines=12, part_lines=8))


@dataclass(frozen=True)
class Shape:
    """How a language writes a function: what opens and closes it, and statements of one and of several rows."""

    path: str
    head: tuple[str, ...]
    tail: tuple[str, ...]
    indent: str
    simple: Callable[[int], str]
    wide: Callable[[int], tuple[str, ...]]


def _call(end: str) -> Callable[[int], tuple[str, ...]]:
    return lambda n: (f"call_{n}(", f"    名{n},", f"    {n}){end}")


SHAPES = (
    Shape("a.py", ("def f():",), (), "    ", lambda n: f"x{n} = {n}", _call("")),
    Shape("a.go", ("package p", "", "func f() {"), ("}",), "\t", lambda n: f"x{n} := {n}", _call("")),
    Shape("a.js", ("function f() {",), ("}",), "  ", lambda n: f"let x{n} = {n};", _call(";")),
    Shape("a.ts", ("function f(): void {",), ("}",), "  ", lambda n: f"let x{n}: number = {n};", _call(";")),
    Shape("a.tsx", ("export function F() {",), ("}",), "  ", lambda n: f"let x{n} = {n};", _call(";")),
    Shape("a.rs", ("fn f() {",), ("}",), "    ", lambda n: f"let x{n} = {n};", _call(";")),
    Shape("A.java", ("class A {", "  void f()", "  {"), ("  }", "}"), "    ", lambda n: f"int x{n} = {n};", _call(";")),
    Shape("a.c", ("int", "f(void)", "{"), ("}",), "\t", lambda n: f"int x{n} = {n};", _call(";")),
    Shape("a.cpp", ("int A::f() {",), ("}",), "  ", lambda n: f"auto x{n} = {n};", _call(";")),
    Shape(
        "A.cs", ("class A", "{", "  void F()", "  {"), ("  }", "}"), "    ", lambda n: f"int x{n} = {n};", _call(";")
    ),
    Shape("a.rb", ("def f",), ("end",), "  ", lambda n: f"x{n} = {n}", _call("")),
    Shape(
        "a.sh", ("f() {",), ("}",), "  ", lambda n: f"x{n}={n}", lambda n: (f"call_{n} \\", f"    名{n} \\", f"    {n}")
    ),
)


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.path for shape in SHAPES])
@settings(max_examples=25, deadline=None)
@given(wide=st.lists(st.booleans(), min_size=15, max_size=60), end=st.sampled_from(["\n", "\r\n"]), mark=st.booleans())
def test_parts_begin_at_statements(shape: Shape, wide: list[bool], end: str, mark: bool) -> None:
    rows, inside = list(shape.head), set[int]()
    for number, is_wide in enumerate(wide):
        statement = shape.wide(number) if is_wide else (shape.simple(number),)
        inside.update(range(len(rows) + 1, len(rows) + len(statement)))
        rows.extend(shape.indent + row for row in statement)
    rows.extend(shape.tail)
    text = end.join(rows) + end
    if shape.path == "a.sh" and end == "\r\n":
        return  # a carriage return after a backslash is no continuation: these are other statements
    file = parsed(shape.path, ("\ufeff" if mark else "") + text, SMALL)
    assert_tiles(file, text)
    assert_renderings(file)
    begins = [piece.lines.start - 1 for piece in file.pieces]
    assert len(begins) > 1
    assert not inside.intersection(begins), [rows[row] for row in inside.intersection(begins)]


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.path for shape in SHAPES])
def test_what_a_parser_may_not_like_is_tiled(shape: Shape) -> None:
    whole = [*shape.head, *(shape.indent + shape.simple(n) for n in range(10_000)), *shape.tail]
    deep = [*shape.head, *["(" * 60] * 100, *["{[" * 30] * 100, *shape.tail]
    broken = [*shape.head[::-1], *shape.tail, "\x0c", "}}}", "名前", "\t\t", "'", '"', *shape.head]
    for rows in (whole, deep, broken, ["x"], [shape.head[0]]):
        text = "\n".join(rows) + "\n"
        file = parsed(shape.path, text)
        assert_tiles(file, text)
        assert_renderings(file)
    assert len(parsed(shape.path, "\n".join(whole) + "\n").pieces) > 100
