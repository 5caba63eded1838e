"""What a code file becomes: kinds, titles, names, outlines, for each language."""

from __future__ import annotations

from tests.ingest_room import assert_tiles, by_kind, parsed

PYTHON = '''"""Queues. More."""

from __future__ import annotations

import heapq as h
from .errors import Empty

LIMIT = 3


# How many there are
# in all.
@cached
def size(queue: Queue, *, deep: bool = False) -> int:
    """Count. Then more. And more."""

    def inner(x):
        return x

    return inner(h.heappush(queue, LIMIT))


class Queue(Base):
    """A queue."""

    kind = "fifo"

    def put(self, item):
        raise Empty(self._check(item))

    total = 0
    other = 1

    async def get(self): return self.put(1)

    class Nested:
        def deep(self): pass

if __name__ == "__main__":
    size(None)
    Queue().put(1)
    print("x")
'''


def test_python_declarations_become_records() -> None:
    file = parsed("pkg/queue.py", PYTHON)
    assert_tiles(file, PYTHON)
    assert by_kind(file) == [
        ("file", "queue.py", 1, 10),
        ("function", "size", 11, 22),
        ("class", "Queue", 23, 27),
        ("function", "Queue.put", 28, 30),
        ("chunk", "Queue.total, Queue.other", 31, 33),
        ("function", "Queue.get", 34, 35),
        ("class", "Queue.Nested", 36, 36),
        ("function", "Queue.Nested.deep", 37, 38),
        ("chunk", 'if __name__ == "__main__":', 39, 42),
    ]


def test_python_names_say_what_is_defined_used_and_imported() -> None:
    pieces = {piece.title: piece for piece in parsed("pkg/queue.py", PYTHON).pieces}
    assert pieces["queue.py"].imports == ("heapq", "pkg.errors", "pkg.errors.Empty")
    assert pieces["queue.py"].symbols == ("pkg.queue", "queue", "LIMIT")
    assert pieces["size"].symbols == ("size", "queue.size")
    assert set(pieces["size"].uses) == {"inner", "heappush@=heapq"}
    assert set(pieces["size"].refers) == {"cached", "Queue"}
    assert pieces["Queue"].uses == ()
    assert pieces["Queue"].refers == pieces["Queue"].bases == ("Base",)
    assert pieces["Queue"].symbols[:2] == ("Queue", "queue.Queue")
    assert "Queue.kind" in pieces["Queue"].symbols
    assert pieces["Queue.put"].symbols == ("Queue.put", "put", "queue.Queue.put")
    assert pieces["Queue.put"].uses == ("Empty@=pkg.errors", "_check@self")
    assert pieces["Queue.put"].refers == ()


def test_python_outlines_and_gists_are_extracts() -> None:
    pieces = {piece.title: piece for piece in parsed("pkg/queue.py", PYTHON).pieces}
    assert pieces["size"].gist == "def size(queue: Queue, *, deep: bool = False) -> int: Count."
    assert pieces["size"].outline.split("\n") == [
        "def size(queue: Queue, *, deep: bool = False) -> int:",
        "Count. Then more.",
        "def inner(x):",
    ]
    assert pieces["queue.py"].outline.split("\n")[:3] == ["queue.py", "Queues. More.", pieces["size"].outline[:53]]


def test_ten_symbols_of_one_name_stay_ten_records() -> None:
    text = "\n".join(f"def same():\n    return {n}\n" for n in range(10))
    file = parsed("a.py", text)
    assert_tiles(file, text)
    assert [piece.title for piece in file.pieces] == ["same"] * 10


def test_bad_syntax_is_cut_as_far_as_it_is_understood() -> None:
    text = "import os\n\ndef good():\n    pass\n\ndef broken(:\n    x = (\n\nclass After:\n    def m(self): pass\n"
    file = parsed("a.py", text)
    assert_tiles(file, text)
    assert "good" in [piece.title for piece in file.pieces]


def test_code_in_other_scripts_keeps_its_places() -> None:
    text = "名前 = '値'\n\n\ndef 関数(引数):\n    '''説明。続き。'''\n    return '🎉' + 助け(引数)\n"
    file = parsed("a.py", text)
    assert_tiles(file, text)
    assert by_kind(file) == [("file", "a.py", 1, 3), ("function", "関数", 4, 6)]
    assert file.pieces[1].gist == "def 関数(引数): 説明。"
    assert file.pieces[1].uses == ("助け",)


GO = """// Package store keeps things.
package store

import (
\t"fmt"
\talias "example.org/mod/deep/codec"
)

const Limit, Other = 3, 4

// Store keeps.
type Store[T any] struct {
\tinner *codec.Codec
}

// Put puts. More.
func (s *Store[T]) Put(item T) error {
\tfunc() { helper() }()
\treturn s.inner.Encode(item)
}

func New() *Store[int] { return &Store[int]{} }
"""


def test_go_types_methods_and_functions_become_records() -> None:
    file = parsed("deep/store.go", GO)
    assert_tiles(file, GO)
    assert by_kind(file) == [
        ("file", "store.go", 1, 10),
        ("class", "Store", 11, 15),
        ("function", "Store.Put", 16, 21),
        ("function", "New", 22, 22),
    ]
    head, store, put, _ = file.pieces
    assert head.imports == ("fmt", "example.org/mod/deep/codec")
    assert head.symbols == ("Limit", "Other")
    assert head.gist == "store.go — Package store keeps things."
    assert store.symbols == ("Store",)
    assert put.symbols == ("Store.Put", "Put")
    assert put.uses == ("helper", "Encode@")
    assert put.refers == ("T",)
    assert put.outline == "func (s *Store[T]) Put(item T) error\nPut puts. More."


TYPESCRIPT = """import { a } from "./lib/a";
import React from 'react';
export * from "../outside";

export const LIMIT = 3;

/**
 * Adds. More.
 */
export const add = async (x: number): Promise<Foo> => {
  return a(x) + this.b();
};

export interface Shape { area(): number }

@decorated
export class Circle extends Base implements Shape {
  private r = 1;
  onClick = () => { this.area(); };
  area(): number {
    return new Calculator().run(this.r);
  }
}

export default function () { return add(1); }
"""


def test_typescript_declarations_become_records() -> None:
    file = parsed("src/app.ts", TYPESCRIPT)
    assert_tiles(file, TYPESCRIPT)
    assert by_kind(file) == [
        ("file", "app.ts", 1, 6),
        ("function", "add", 7, 13),
        ("class", "Shape", 14, 15),
        ("class", "Circle", 16, 18),
        ("function", "Circle.onClick", 19, 19),
        ("function", "Circle.area", 20, 24),
        ("function", "default", 25, 25),
    ]
    pieces = {piece.title: piece for piece in file.pieces}
    assert pieces["app.ts"].imports == ("./src/lib/a", "react", "./outside")
    assert pieces["app.ts"].symbols == ("LIMIT",)
    assert pieces["add"].gist == "export const add = async (x: number): Promise<Foo> — Adds."
    assert pieces["add"].uses == ("a", "b@self")
    assert set(pieces["Circle"].refers) >= {"Base", "Shape"}
    assert pieces["Circle"].bases == ("Base", "Shape")
    assert pieces["Circle.area"].uses == ("Calculator", "run@")


def test_javascript_and_tsx_are_read() -> None:
    text = "const u = require('../u');\nexports.run = function (a) {\n  return u.go(a);\n};\n"
    text += "class X extends Y {\n  m() {}\n}\n"
    file = parsed("lib/a.js", text)
    assert_tiles(file, text)
    assert by_kind(file) == [
        ("file", "a.js", 1, 1),
        ("function", "run", 2, 4),
        ("class", "X", 5, 5),
        ("function", "X.m", 6, 7),
    ]
    assert file.pieces[0].imports == ("./u",)
    view = parsed("lib/a.tsx", "import {B} from './b';\n\nexport function View(p: P) {\n  return <B x={p}/>;\n}\n")
    assert (view.pieces[1].uses, view.pieces[1].refers) == (("B",), ("P",))


def test_a_file_without_a_grammar_is_head_and_chunks() -> None:
    text = "\n\n".join("\n".join(f"key{n}_{m} = 1" for m in range(20)) for n in range(6)) + "\n"
    file = parsed("conf/app.toml", text)
    assert_tiles(file, text)
    assert [piece.kind for piece in file.pieces] == ["file", "chunk", "chunk"]
    assert file.pieces[0].title == "app.toml"
    assert file.pieces[1].title.startswith("key2_0")


def test_names_beyond_the_bound_are_counted() -> None:
    calls = "\n".join(f"    call_{n}()" for n in range(100))
    file = parsed("a.py", f"import os\n\n\ndef f():\n{calls}\n")
    assert len(file.pieces[1].uses) == 48
    assert dict(file.cuts) == {"uses_cut": 52}


def test_a_program_without_extension_is_known_by_its_first_line() -> None:
    assert parsed("bin/tool", "#!/usr/bin/env python3\nimport os\n\ndef main(): pass\n").language == "python"
    assert parsed("bin/tool", "#!/usr/local/bin/node\nfoo()\n").language == "javascript"
    assert parsed("bin/tool", "#!/bin/sh\necho\n").language == "bash"
    assert parsed("bin/tool", "#!/usr/bin/env -S ruby -w\nputs 1\n").language == "ruby"
    assert parsed("bin/tool", "#!/usr/bin/awk -f\n{ print }\n").language == ""
