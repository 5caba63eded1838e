"""What a page of HTML becomes: readable sections that know their lines, whatever state the markup is in."""

from __future__ import annotations

import pytest

from retrieval.ingest.guards import DecodedFile, admit
from retrieval.ingest.settings import GuardSettings
from tests.ingest_room import SETTINGS, assert_renderings, by_kind, parsed

PAGE = """<!doctype html>
<html><head><title>My  page</title><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav>
<p>Intro &amp; caf&eacute;
continued <b>bold</b> text<br>after a break
<h1>Guide <i>to</i> it</h1>
<p>First para.</p><p>Second para.
<ul><li>one<li>two</ul>
<table><tr><th>a<th>b<tr><td>1<td>2</table>
<pre>
def f():
    return 1
</pre>
<div hidden>do what I say</div><script>if (a<b) { "<h1>no</h1>" }</script>
<h2>Install</h2>
Run it. <img src=x alt="a diagram">
</body>
"""


def test_a_page_becomes_sections_with_the_lines_they_came_from() -> None:
    file = parsed("docs/guide.html", PAGE)
    assert_renderings(file)
    assert by_kind(file) == [
        ("section", "My page", 1, 5),
        ("section", "Guide to it", 6, 14),
        ("section", "Guide to it > Install", 15, 17),
    ]
    assert [piece.text.strip() for piece in file.pieces] == [
        "Intro & café continued bold text\nafter a break",
        "Guide to it\n\nFirst para.\n\nSecond para.\n\n- one\n- two\n\na | b\n1 | 2\n\ndef f():\n    return 1",
        "Install\n\nRun it. a diagram",
    ]
    assert file.pieces[1].symbols == ("Guide to it",)
    assert file.language == "html"


def test_what_is_not_content_is_left_out_and_counted() -> None:
    counted = dict(parsed("a.html", PAGE).cuts)
    assert counted == {
        "html_hidden_dropped": 1,
        "html_navigation_dropped": 1,
        "html_scripts_dropped": 1,
        "html_styles_dropped": 1,
    }


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ("plain words", ["plain words"]),
        ("<p>never <b>closed <h2>Head", ["never closed", "Head"]),
        ("</div></p>stray <td>cell", ["stray cell"]),
        ("<title>only a title</title>", ["only a title"]),
        ("<script>alone()</script>", ["a.html"]),
        ("<h1></h1><h2>B</h2>x", ["B\n\nx"]),
        ("<p>a<!-- not this --><?php nor this ?>b", ["ab"]),
        ("<p>&#x4F60;&#22909; &lt;tag&gt; &nosuch; &amp", ["你好 <tag> &nosuch; &"]),
        ("<p style='display: none'>x</p>y", ["y"]),
    ],
)
def test_broken_markup_is_read_as_far_as_it_goes(markup: str, texts: list[str]) -> None:
    file = parsed("a.html", markup)
    assert [piece.text.strip() for piece in file.pieces] == texts


def test_markup_nested_without_end_is_counted_and_harms_nothing() -> None:
    file = parsed("a.html", "<p>before</p>" + "<div>" * 20_000 + "deep")
    assert file.pieces[0].text.startswith("before")
    assert dict(file.cuts) == {"html_nested_too_deep": 1}


def test_a_page_on_one_long_line_is_taken_and_its_pieces_share_the_line() -> None:
    paragraphs = "".join(f"<h2>Part {n}</h2><p>{'Words of it. ' * 40}</p>" for n in range(60))
    file = parsed("a.html", f"<html><body>{paragraphs}</body></html>")
    assert len(file.pieces) == 60
    assert {(piece.lines.start, piece.lines.end) for piece in file.pieces} == {(1, 1)}


def test_a_long_section_is_cut_at_paragraphs_and_each_part_knows_its_lines() -> None:
    rows = [f"<p>Paragraph {n}. " + "word " * 60 + "</p>" for n in range(80)]
    file = parsed("a.html", "<h1>Long</h1>\n" + "\n".join(rows) + "\n")
    assert [piece.title for piece in file.pieces[:2]] == ["Long", "Long (part 2)"]
    begin = 1
    for piece in file.pieces:
        assert piece.lines.start == begin
        assert f"Paragraph {piece.lines.end - 2}." in piece.text
        begin = piece.lines.end + 1
    assert begin == 82


def test_lines_beyond_what_the_parser_counts_are_a_range_that_holds_them() -> None:
    text = "<p>a\n" * 65_600 + "<h2>Late</h2>\n<p>end\n"
    file = parsed("a.html", text)
    late = file.pieces[-1]
    assert late.text.startswith("Late")
    assert late.lines.start <= 65_601
    assert late.lines.end == 65_602


@pytest.mark.parametrize(
    ("charset", "declared", "words"),
    [
        ("cp1251", '<meta charset="windows-1251">', "привет мир"),
        ("shift_jis", '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', "日本語の文章"),
        ("iso2022_jp", "<meta charset=iso-2022-jp>", "日本語の文章"),
        ("gb18030", "<meta charset='gb2312'>", "中文網頁"),
        ("euc_kr", '<?xml version="1.0" encoding="euc-kr"?>', "한국어 문서"),
        ("cp874", "<meta charset=windows-874>", "ภาษาไทย"),
        ("cp1256", "<meta charset=windows-1256>", "صفحة عربية"),
        ("cp1252", "<meta charset=latin1>", "“naïve” €"),
        ("utf-8", "<meta charset=latin1>", "naïve – €"),
        ("utf-16", "", "naïve – €"),
    ],
)
def test_any_declared_charset(charset: str, declared: str, words: str) -> None:
    content = f"<html><head>{declared}</head><body><p>{words}</body></html>".encode(charset)
    decoded = admit("a.htm", content, GuardSettings())
    assert isinstance(decoded, DecodedFile)
    assert not decoded.fallback
    assert parsed("a.htm", content).pieces[0].text.strip() == words


@pytest.mark.parametrize("declared", ["no-such-set", "hex", "unicode_escape", "big5"])
def test_a_wrong_charset_falls_back_and_that_is_counted(declared: str) -> None:
    content = f"<meta charset={declared}><p>caf".encode() + b"\xe9 \xff"
    assert dict(parsed("a.html", content, SETTINGS).cuts)["decoded_as_latin_1"] == 1
