"""What a document becomes: sections by headings, chunks by paragraphs."""

from __future__ import annotations

from tests.ingest_room import assert_renderings, assert_tiles, by_kind, parsed

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
