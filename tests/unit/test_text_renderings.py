"""Outline and gist: extracts that never cost more than the text they stand for."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.renderings import RenderingSettings, render_code, render_document, render_lines, sentences

SETTINGS = RenderingSettings()
TEXTS = st.text(min_size=1, max_size=300)


@given(text=TEXTS, head=st.text(max_size=80), members=st.lists(st.text(max_size=40), max_size=5))
def test_no_rendering_is_longer_than_the_text(text: str, head: str, members: list[str]) -> None:
    for made in (
        render_code(text, head, head, members, SETTINGS),
        render_document(text, head, SETTINGS),
        render_lines(text, SETTINGS),
    ):
        assert made.full == text
        assert 0 < len(made.gist) <= len(made.outline) <= len(text)
        assert len(made.gist) <= SETTINGS.gist_characters
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", made.gist)


def test_members_that_do_not_fit_are_counted() -> None:
    text = "class A:\n    '''Doc.'''\n" + "    x = 1\n" * 8
    members = [f"def method_{n}(self):" for n in range(20)]
    outline = render_code(text, "class A:", "Doc.", members, SETTINGS).outline
    assert outline.split("\n")[:3] == ["class A:", "Doc.", "def method_0(self):"]
    assert outline.split("\n")[-1] == f"… {20 - (len(outline.split(chr(10))) - 3)} more"


def test_long_texts_are_bounded() -> None:
    text = "word " * 10_000
    made = render_document(text, "", SETTINGS)
    assert len(made.outline) <= SETTINGS.outline_characters
    assert len(made.gist) <= SETTINGS.gist_characters
    assert made.gist.endswith("…")


def test_sentences_of_any_script() -> None:
    assert sentences("One. Two! Three?", 2) == "One. Two!"
    assert sentences("最初の文。次の文。", 1) == "最初の文。"
    assert sentences("---\n\nAfter a rule.\nStill. More.", 1) == "After a rule."
