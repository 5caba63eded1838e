"""Text keys of the LMDB engine: they keep order, end themselves, and fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retrieval.store.lmdb.keys import TEXT_KEY_BYTES, is_long, prefix_key, text_in_key, text_key
from retrieval.store.lmdb.layout import LARGEST_GENERATION, U64, generation_of, record_key

short = st.text(st.characters(codec="utf-8"), max_size=6) | st.text("a\x00\x01é🙂", max_size=8)


def _filled(text: str, times: int, end: str) -> str:
    return text * times + end


times = st.integers(TEXT_KEY_BYTES // 3 - 2, TEXT_KEY_BYTES + 2)
lengthy = st.builds(_filled, st.sampled_from(["a", "\x00", "é", "ab\x00"]), times, short)
texts = short | lengthy


@given(texts)
def test_a_text_comes_back_from_its_key(text: str) -> None:
    raw = text.encode()
    assert text_in_key(text_key(raw), raw if is_long(raw) else b"") == text


@given(texts)
def test_a_key_leaves_room_for_the_ids_around_it(text: str) -> None:
    assert len(text_key(text.encode())) <= TEXT_KEY_BYTES + 18


@given(texts, texts, st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_keys_with_ids_sort_as_their_texts_do(one: str, other: str, one_id: int, other_id: int) -> None:
    keys = [text_key(text.encode()) + U64.pack(number) for text, number in ((one, one_id), (other, other_id))]
    if one != other and not (is_long(one.encode()) and is_long(other.encode())):
        assert (keys[0] < keys[1]) == (one < other)
    assert (keys[0] == keys[1]) == ((one, one_id) == (other, other_id))


@given(texts, texts)
def test_a_text_is_found_under_each_of_its_prefixes(begin: str, end: str) -> None:
    assert text_key((begin + end).encode()).startswith(prefix_key(begin.encode()))


@given(short, st.text("a\x00", min_size=1, max_size=3), st.integers(0, 2**63 - 1))
def test_no_longer_text_hides_among_the_ids_of_a_shorter(text: str, more: str, number: int) -> None:
    key = text_key(text.encode())
    longer = text_key((text + more).encode()) + U64.pack(number)
    assert not longer.startswith(key) or len(longer) > len(key) + U64.size


@given(st.lists(st.integers(0, LARGEST_GENERATION), min_size=2, max_size=5, unique=True))
def test_newer_versions_sort_before_older_ones(generations: list[int]) -> None:
    keys = sorted(record_key(b"aaaa", b"bbbb", 7, generation) for generation in generations)
    assert [generation_of(key) for key in keys] == sorted(generations, reverse=True)
