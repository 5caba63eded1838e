"""What a document becomes: sections by headings, chunks by paragraphs."""

from __future__ import annotations

import random
import unicodedata

import pytest
from markdown_it import MarkdownIt

from retrieval.ingest.markdown import markdown_headings
from tests.ingest_room import SETTINGS, assert_renderings, assert_tiles, by_kind, parsed

MARKDOWN = """---
title: x
---
Before.

# Guide #

Intro sentence. More.

```python
# not a heading
```

## Install

Run it.

Linux
-----

- item
---

Guide two
=========

Ende.
"""


def test_markdown_sections_have_heading_paths() -> None:
    file = parsed("docs/guide.md", MARKDOWN)
    assert_tiles(file, MARKDOWN)
    assert_renderings(file)
    assert by_kind(file) == [
        ("section", "guide.md", 1, 5),
        ("section", "Guide", 6, 13),
        ("section", "Guide > Install", 14, 17),
        ("section", "Guide > Linux", 18, 23),
        ("section", "Guide two", 24, 27),
    ]
    assert file.pieces[1].gist == "Guide — Intro sentence."
    assert file.pieces[1].symbols == ("Guide",)


RESTRUCTURED = """=====
Title
=====

Intro.

First
=====

Text one.

Deeper
------

Text two.

Second
======

- not
  ---
"""


def test_restructured_text_levels_follow_first_use() -> None:
    file = parsed("docs/index.rst", RESTRUCTURED)
    assert_tiles(file, RESTRUCTURED)
    assert by_kind(file) == [
        ("section", "Title", 1, 6),
        ("section", "Title > First", 7, 11),
        ("section", "Title > First > Deeper", 12, 16),
        ("section", "Title > Second", 17, 21),
    ]


def test_a_long_section_is_cut_at_paragraphs() -> None:
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n} " + "word " * 60 for n in range(80)) + "\n"
    file = parsed("a.md", text)
    assert_tiles(file, text)
    assert [piece.title for piece in file.pieces[:2]] == ["Long", "Long (part 2)"]
    assert {piece.kind for piece in file.pieces[1:]} == {"chunk"}
    assert all(piece.text.startswith("Paragraph") for piece in file.pieces[1:])


def test_plain_text_in_any_script_is_chunks() -> None:
    text = "\n\n".join("これは段落です。" * 40 + str(n) for n in range(20))
    file = parsed("notes.txt", text)
    assert_tiles(file, text)
    assert {piece.kind for piece in file.pieces} == {"chunk"}
    assert len(file.pieces) > 2
    assert file.pieces[0].gist.startswith("これは段落です。")


def test_crlf_and_no_last_line_end() -> None:
    text = "# A\r\n\r\ntext\r\n\r\nB\r\n---\r\nmore"
    file = parsed("a.md", text)
    assert_tiles(file, text)
    assert by_kind(file) == [("section", "A", 1, 4), ("section", "A > B", 5, 7)]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("````md\n```\n# no\n```\n# no\n````\n# Yes\n", ["Yes"]),
        ("~~~\n```\n# no\n~~~\n# Yes\n", ["Yes"]),
        ("``` a`b\n# Yes\n", ["Yes"]),
        ("- ```sh\n  # no\n  ```\n\n# Yes\n", ["Yes"]),
        ("1. step\n\n   ```\n   # no\n   ```\n# Yes\n", ["Yes"]),
        ("> ```\n> # no\n> ```\n# Yes\n", ["Yes"]),
        ("<!--\n# no\n-->\n# Yes\n", ["Yes"]),
        ("<pre>\n# no\n</pre>\n# Yes\n", ["Yes"]),
        ("+++\ntitle = 'x'\n+++\n# Yes\n", ["Yes"]),
        ("---\nnever closed\n\n# Yes\n", ["Yes"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n# Yes\n", ["Yes"]),
        ("text\n\n---\n\n# Yes\n", ["Yes"]),
        ("    # code\n\n# Yes\n", ["Yes"]),
        ("#no\n\\# no\n####### no\n# Yes\n", ["Yes"]),
        ("```\nnever closed\n# no\n", []),
        ("# A\r\n\r\n```\r\n# no\r\n```\r\n\r\nB\r\n===\r\n", ["A", "B"]),
        ("# 日本語\n\nثم\n---\n", ["日本語", "日本語 > ثم"]),
    ],
)
def test_markdown_headings_in_odd_places(text: str, headings: list[str]) -> None:
    file = parsed("a.md", text)
    assert_tiles(file, text)
    assert [piece.title for piece in file.pieces if piece.title != "a.md"] == headings


def test_markdown_headings_agree_with_a_full_parser() -> None:
    rows = ["# A", "B", "===", "C", "---", "```", "~~~", "", "- x", "> q", " ## D #", "<!-- c -->", "* * *"]
    chance = random.Random(3)
    for _ in range(300):
        text = "\n" + "\n".join(chance.choice(rows) for _ in range(12)) + "\n"
        tokens = MarkdownIt().parse(text)
        told = {
            (token.map[1] - 1 - (token.markup in {"=", "-"}), token.tag)
            for token in tokens
            if token.type == "heading_open" and token.level == 0 and token.map
        }
        ours = {(heading.row, f"h{heading.level}") for heading in markdown_headings(text.split("\n"))}
        assert ours == told, text


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Title\r\n=====\r\n\r\nText.\r\n", ["Title"]),
        ("Title\n=====\n\n::\n\n    No\n    ==\n\nNext\n====\n\nx\n", ["Title", "Next"]),
        ("=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n", ["a.rst"]),
        ("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n", ["a.rst"]),
        ("Text.\n\n-----\n\nMore.\n", ["a.rst"]),
        ("見出し\n======\n\n本文。\n", ["見出し"]),
    ],
)
def test_restructured_titles_in_odd_places(text: str, titles: list[str]) -> None:
    file = parsed("a.rst", text)
    assert_tiles(file, text)
    assert [piece.title for piece in file.pieces] == titles


@pytest.mark.parametrize(
    "sentence",
    [
        "これは段落です。文がつづきます。",
        "这是一个没有空格的句子。它继续下去。",
        "ภาษาไทยเขียนโดยไม่มีช่องว่างระหว่างคำ ",
        "هذه جملة عربية طويلة؟ وهذه جملة أخرى. ",
        "यह एक वाक्य है। यह दूसरा है। ",
        "A sentence of words. Another one follows! ",
        "x" * 40,
    ],
)
def test_one_endless_line_of_any_script_is_cut_at_sentences(sentence: str) -> None:
    text = sentence * (18_000 // len(sentence)) + "\n"
    file = parsed("notes.txt", text)
    assert "".join(piece.text for piece in file.pieces) == text
    assert_renderings(file)
    assert {(piece.lines.start, piece.lines.end) for piece in file.pieces} == {(1, 1)}
    assert max(len(piece.text) for piece in file.pieces) <= SETTINGS.pieces.chunk_characters
    if not sentence.startswith("x"):
        ends = {piece.text.rstrip()[-1] for piece in file.pieces[:-1]}
        assert ends <= set("。؟.!।") | ({"ำ"} if sentence.startswith("ภ") else set())
    assert all(unicodedata.category(piece.text[0])[0] != "M" for piece in file.pieces)


def test_pages_begin_chunks_and_paragraphs_without_blank_rows_are_kept_whole() -> None:
    pages = "".join(f"\fPage {n}\n" + "Words of the page go on and on.\n" * 30 for n in range(4))
    file = parsed("book.txt", pages)
    assert_tiles(file, pages)
    assert all(piece.text.startswith("\f") for piece in file.pieces)
    text = "".join(f"　段落{n}です。\n" + "つづきの行で文はおわらない\n" * 7 for n in range(30))
    file = parsed("novel.txt", text)
    assert_tiles(file, text)
    assert len(file.pieces) > 3
    assert all(piece.text.startswith("　") for piece in file.pieces)


def test_other_line_ends_and_odd_characters_do_not_lose_a_byte() -> None:
    text = "one\r\ntwo\rthree\x0b\x85four\u2028five\n\n\x00".replace("\x00", "") + "end"
    file = parsed("a.txt", text)
    assert_tiles(file, text)
