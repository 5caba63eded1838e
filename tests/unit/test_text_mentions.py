"""What a goal mentions word for word."""

from __future__ import annotations

import time

from retrieval.text.tokens import PathMention, identifiers, path_mentions, quoted_strings


def test_identifiers_by_their_form() -> None:
    text = "Fix `frobnicate` in getFoo and os.path.join, call baz(1), see FooBar, HTTPServer, _private and snake_case."
    assert identifiers(text) == [
        "frobnicate",
        "getFoo",
        "os.path.join",
        "baz",
        "FooBar",
        "HTTPServer",
        "_private",
        "snake_case",
    ]


def test_words_are_no_identifiers() -> None:
    assert identifiers("The function(s) should e.g. return Nothing, i.e. fail. See http://x.y/a_b") == []


def test_a_file_name_is_a_path_and_no_identifier() -> None:
    assert identifiers("open tokens.py") == []
    assert path_mentions("open tokens.py") == [PathMention("tokens.py")]


def test_each_identifier_once_in_order_of_mention() -> None:
    assert identifiers("b_b a_a b_b a_a") == ["b_b", "a_a"]


def test_quoted_strings_in_many_marks() -> None:
    text = 'say "hello there" and \'it works\', don\'t `x y` “curly one” «angled» 「猫です」 ""'
    assert quoted_strings(text) == ["hello there", "it works", "x y", "curly one", "angled", "猫です"]


def test_paths_frames_and_lines() -> None:
    text = 'see a/b.py:12, ./x/y.go, src/ and "c\\d.txt"; File "/usr/lib/z.py", line 3, in f; ~/n/m/o ../up.c. Makefile'
    assert path_mentions(text) == [
        PathMention("a/b.py", 12),
        PathMention("x/y.go"),
        PathMention("src/"),
        PathMention("c/d.txt"),
        PathMention("/usr/lib/z.py", 3),
        PathMention("~/n/m/o"),
        PathMention("../up.c"),
        PathMention("Makefile"),
    ]


def test_what_only_looks_like_a_path() -> None:
    assert path_mentions("and/or TCP/IP asyncio.run 3.11 e.g. http://host/a/b.py 1/2 ... / //") == []


def test_hostile_texts_take_no_time() -> None:
    started = time.process_time()
    for piece in ("a.", "`a` ", '"', "a/", "a-", "'x ", "aB(", "://", 'File "', "_", "«", "“x "):
        text = piece * (200_000 // len(piece))
        identifiers(text)
        quoted_strings(text)
        path_mentions(text)
    assert time.process_time() - started < 20
