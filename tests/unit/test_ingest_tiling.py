"""Pieces tile their file: each line in exactly one, in order, whole lines, whatever the source looks like."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.ingest.guards import Refusal
from retrieval.ingest.parsing import parse_file
from retrieval.ingest.settings import GuardSettings, IngestSettings, PieceSettings
from tests.ingest_room import assert_renderings, assert_tiles, by_kind, parsed

SMALL = IngestSettings(pieces=PieceSettings(long_lines=6, part_lines=4, part_characters=60, chunk_lines=3))
CODE = ("a.py", "a.go", "a.js", "a.ts", "a.tsx", "a.rs", "a.java", "a.c", "a.h", "a.cs", "a.rb", "a.sh")
PATHS = (*CODE, "a.md", "a.rst", "a.txt", "a.toml", "noextension")

LINES = st.sampled_from(
    [
        *("", "  ", "\t", "x = 1", "X: int = 2", "import os", "from . import a", "# comment", "#!/usr/bin/env python3"),
        *("def f():", "    def g(self):", "    return f()", "        pass", "class A:", "class B(A): pass", "@dec"),
        *(
            "    @property",
            "if x:",
            "else:",
            '"""doc',
            '"""',
            "async def h(): await g()",
            "    x = 1",
            "lambda: (",
            ")",
        ),
        *("function f() {", "}", "  return 1;", "export class A {", "  m() {}", "const k = () => {", "};", "/** doc"),
        *(
            " */",
            "// c",
            "interface I { a: b }",
            "import x from './y'",
            "<A b={c}/>",
            "`tpl ${",
            "}`",
            "export default {",
        ),
        *("package p", "func F() {", "func (a *A) M() {", "type A struct {", "type (", "var x = 1", "const ("),
        *(
            "fn f<T>() {",
            "impl<T> A for B<T> {",
            "mod tests {",
            "#[test]",
            "/// doc",
            "use crate::a::{b, c};",
            "match x {",
        ),
        *('#include "a.h"', "#define M(x) \\", "#ifdef X", "#endif", "int f(void)", "{", "template <class T>", "};"),
        *(
            "namespace N {",
            "public int P { get; set; }",
            "[Attr]",
            "using A.B;",
            "import a.b.*;",
            "@Override",
            "enum E {",
        ),
        *(
            "module M",
            "class K < L",
            "  def m!(x)",
            "  end",
            "end",
            "require_relative '../x'",
            "x = <<~T",
            "T",
            "do |x|",
        ),
        *("f() {", "if x; then", "fi", "case x in", "esac", "cat <<EOF", "EOF", ". ./x.sh", "$(", "`"),
        *("# Title", "## Sub", "===", "---", "Title", "```", "~~~", "* item", "| a | b |", "    code", "====", "text."),
        *(
            "日本語の文。次。",
            "🎉 emoji 👩‍👩‍👧",
            "é" * 30,
            "\x0c",
            "a\x0bb",
            "a\u2028b",
            "\ufeff",
            "line\r",
            "\r",
            "\x01",
        ),
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    path=st.sampled_from(PATHS),
    lines=st.lists(LINES, max_size=40),
    end=st.sampled_from(["\n", "\r\n"]),
    final=st.booleans(),
    small=st.booleans(),
)
def test_generated_sources_are_tiled(path: str, lines: list[str], end: str, final: bool, small: bool) -> None:
    text = end.join(lines) + (end if final else "")
    check(path, text, small)


@settings(max_examples=80, deadline=None)
@given(path=st.sampled_from(PATHS), text=st.text(max_size=200), small=st.booleans())
def test_any_text_is_tiled(path: str, text: str, small: bool) -> None:
    check(path, text, small)


def check(path: str, text: str, small: bool) -> None:
    outcome = parse_file(path, text.encode(), SMALL if small else IngestSettings())
    if isinstance(outcome, Refusal):
        assert outcome.reason.value in {"empty", "binary", "generated"}
        return
    assert_tiles(outcome, text.removeprefix("\ufeff"))
    assert_renderings(outcome)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_long_function_is_cut_between_lines(path: str, end: str) -> None:
    text = end.join(["def f():", *(f"    x{n} = [{n}," + end + "        1]" for n in range(200)), "", "def g(): pass"])
    file = parsed(path, text)
    assert_tiles(file, text)
    assert max(piece.lines.count for piece in file.pieces) <= 150


def test_parts_begin_at_statements_and_say_which_they_are() -> None:
    statements = "".join(f"    x{n} = [\n        {n},\n    ]\n" for n in range(100))
    file = parsed("a.py", f"import os\n\n\ndef f():\n{statements}")
    titles = [(piece.kind, piece.title) for piece in file.pieces]
    assert titles[:3] == [("file", "a.py"), ("function", "f"), ("chunk", "f (part 2)")]
    assert all(piece.text.startswith("    x") for piece in file.pieces[2:])
    assert file.pieces[1].symbols[0] == "f"
    assert file.pieces[2].symbols == ()


def test_a_line_longer_than_a_part_stays_whole() -> None:
    text = "\n".join("word " * 2_000 for _ in range(5))
    patient = replace(SMALL, guards=GuardSettings(minified_line_characters=20_000))
    for path in (*CODE, "a.toml", "noextension"):
        file = parsed(path, text, patient)
        assert_tiles(file, text)
        assert len(file.pieces) == 5


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_line_ends_do_not_change_where_records_are(end: str, final: bool) -> None:
    text = (
        end.join(["import os", "", "def f():", "    return 1", "", "class A:", "    def m(self): pass"]) + end * final
    )
    assert by_kind(parsed("a.py", text)) == [
        ("file", "a.py", 1, 2),
        ("function", "f", 3, 5),
        ("class", "A", 6, 6),
        ("function", "A.m", 7, 7),
    ]
