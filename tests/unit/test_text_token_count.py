"""Token counts: exact ones equal tiktoken's, estimates are never too low, memory of them is bounded."""

from __future__ import annotations

import threading

import pytest
import quicktok
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.errors import BadField
from retrieval.text.token_count import (
    ESTIMATE,
    EXACT_COUNTERS,
    ByteBoundCounter,
    MemoisedCounter,
    QuicktokCounter,
    TokenCounter,
    TokenCountSettings,
    counter_named,
)

_O200K_WORDS = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)


@pytest.fixture(scope="module")
def oracle() -> tiktoken.Encoding:
    """tiktoken itself over the vocabulary that quicktok ships, so that the test needs no download."""
    pieces: list[bytes] = quicktok.get_encoding("o200k_base").token_byte_values()
    listed = quicktok.get_encoding("o200k_base")
    ranks = {piece: listed.encode_single_token(piece) for piece in pieces}
    special = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
    return tiktoken.Encoding("o200k", pat_str=_O200K_WORDS, mergeable_ranks=ranks, special_tokens=special)


TEXTS = [
    "",
    "Hello world, it's 12345 o'clock.",
    "<|endoftext|> and <|endofprompt|>",
    "nul \0\0 bytes",
    "👩‍👩‍👧‍👦 🇩🇪 emoji ❤️",
    "東京都は日本の首都です。한국어 ภาษาไทย",
    "   \n\n\t\r\n   x\u00a0\u2003y",
    '{"a": [1, 2.5, null], "b\\n": "ü"}',
    "def f(x):\n    return x ** 2  # comment\n" * 50,
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_exact_counter_equals_tiktoken(text: str, oracle: tiktoken.Encoding) -> None:
    assert QuicktokCounter("o200k_base").count(text) == len(oracle.encode_ordinary(text))


ASSIGNED = st.characters(exclude_categories=("Cs", "Cn"))
"""Characters that the Unicode of the oldest Python has: of younger ones quicktok and tiktoken know different sets."""


@settings(max_examples=200, deadline=None)
@given(st.text(ASSIGNED, max_size=200))
def test_the_exact_counter_equals_tiktoken_on_any_text(oracle: tiktoken.Encoding, text: str) -> None:
    assert QuicktokCounter("o200k_base").count(text) == len(oracle.encode_ordinary(text))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_the_estimate_is_never_too_low(text: str) -> None:
    estimate = ByteBoundCounter()
    assert not estimate.exact
    assert all(estimate.count(text) >= QuicktokCounter(name).count(text) for name in EXACT_COUNTERS)


@pytest.mark.parametrize("name", [*EXACT_COUNTERS, ESTIMATE])
def test_lone_surrogates_do_not_break_a_counter(name: str) -> None:
    assert counter_named(name).count("a\ud800b\udfff") > 0


@pytest.mark.parametrize("name", [*EXACT_COUNTERS, ESTIMATE])
def test_a_counter_carries_the_name_it_was_asked_by(name: str) -> None:
    counter = counter_named(name)
    assert counter.name == name
    assert counter.exact == (name != ESTIMATE)
    assert counter.count("") == 0


def test_an_unknown_tokenizer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadField, match="o200k_base"):
        counter_named("gpt-9")


class _Counting:
    def __init__(self) -> None:
        self.name = "counting"
        self.exact = True
        self.calls = 0

    def count(self, text: str) -> int:
        self.calls += 1
        return len(text)


def test_memory_is_bounded_by_entries_and_drops_the_longest_unused() -> None:
    inner = _Counting()
    counter: TokenCounter = MemoisedCounter(inner, TokenCountSettings(memoised_entries=2))
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        assert counter.count(text) == len(text)
    assert inner.calls == 4  # a, bb, ccc, and bb again: ccc pushed it out


def test_memory_is_bounded_by_bytes() -> None:
    inner = _Counting()
    counter = MemoisedCounter(inner, TokenCountSettings(memoised_bytes=100))
    for number in range(50):
        counter.count(f"{number:040d}")
    entries, size = counter.remembered
    assert entries == 2
    assert size <= 100
    counter.count("x" * 101)
    assert counter.remembered == (entries, size)


def test_memory_is_safe_beside_threads() -> None:
    counter = MemoisedCounter(_Counting(), TokenCountSettings(memoised_entries=10))
    wrong: list[str] = []

    def work() -> None:
        for number in range(3000):
            text = "x" * (number % 40)
            if counter.count(text) != len(text):
                wrong.append(text)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert counter.remembered[0] <= 10
