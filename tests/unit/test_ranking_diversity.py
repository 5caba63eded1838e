"""Texts that say the same, and origins that crowd the front: who stands behind whom, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.diversity import Demoted, Diversified, DiversitySettings, diversified
from retrieval.record import Record
from retrieval.text.tokens import analyse
from tests.world import record

LONG = " ".join(f"word{number}" for number in range(40))
OTHER = " ".join(f"thing{number}" for number in range(40))


def ordered(texts: Sequence[str], origins: Mapping[int, str] | None = None, **settings: float) -> Diversified:
    records = {at: record(f"r{at}", text) for at, text in enumerate(texts)}
    return arranged({at: replace(held, origin=(origins or {}).get(at, "")) for at, held in records.items()}, **settings)


def arranged(records: Mapping[int, Record], **settings: float) -> Diversified:
    terms = {at: frozenset(analyse(held.text)) for at, held in records.items()}
    return diversified(list(records), records, terms, DiversitySettings(**settings))  # type: ignore[arg-type]


def test_an_equal_text_stands_behind_every_other() -> None:
    found = ordered(["thank you", "thank\n you", "a last different one"])
    assert found.order == (0, 2, 1)
    assert found.demoted == {1: Demoted.EQUAL_TEXT}


def test_a_nearly_equal_text_stands_behind_every_other() -> None:
    found = ordered([LONG, f"{LONG} more", OTHER])
    assert found.order == (0, 2, 1)
    assert found.demoted == {1: Demoted.NEAR_DUPLICATE}


@pytest.mark.parametrize("other", [f"{LONG} not", LONG.replace("word7 ", "word7 2019 ")])
def test_a_nearly_equal_text_that_says_otherwise_keeps_its_place(other: str) -> None:
    assert ordered([LONG, other]).demoted == {}


def test_code_that_differs_by_a_number_is_a_near_duplicate_still() -> None:
    records = {at: replace(record(f"r{at}", text), language="python") for at, text in enumerate([LONG, f"{LONG} 7"])}
    assert arranged(records).demoted == {1: Demoted.NEAR_DUPLICATE}


def test_short_texts_that_differ_by_a_word_are_different() -> None:
    assert ordered(["the lease ends today", "the lease ends tomorrow"]).demoted == {}


def test_texts_that_share_less_are_different() -> None:
    assert ordered([LONG, f"{LONG} {' '.join(OTHER.split()[:5])}"]).demoted == {}


def test_a_copy_of_a_copy_counts_against_the_best_of_them() -> None:
    assert ordered([LONG, LONG, LONG]).demoted == {1: Demoted.EQUAL_TEXT, 2: Demoted.EQUAL_TEXT}


def test_what_one_origin_says_beyond_its_share_stands_behind_others_and_before_repetitions() -> None:
    texts = ["one", "two", "three", "one", "four"]
    found = ordered(texts, {0: "paper", 1: "paper", 2: "paper"}, origin_records=2)
    assert found.order == (0, 1, 4, 2, 3)
    assert found.demoted == {2: Demoted.SAME_ORIGIN, 3: Demoted.EQUAL_TEXT}


def test_records_without_an_origin_crowd_nobody() -> None:
    assert ordered(["one", "two", "three", "four", "five"], origin_records=1).demoted == {}


def test_what_lies_behind_the_first_so_many_is_left_where_it_is() -> None:
    assert ordered(["one", "two", "one"], looked_at=2).order == (0, 1, 2)


def test_a_likeness_that_makes_strangers_alike_is_refused() -> None:
    with pytest.raises(ValueError, match="likeness_share"):
        DiversitySettings(likeness_share=0.2)


@given(st.lists(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=14), min_size=1, max_size=12))
def test_prefixes_miss_no_near_duplicate(words: list[list[str]]) -> None:
    records = {at: record(f"r{at}", " ".join(held)) for at, held in enumerate(words)}
    terms = {at: frozenset(held) for at, held in enumerate(words)}
    settings = DiversitySettings(likeness_share=0.7, least_terms=1)
    found = diversified(list(records), records, terms, settings)
    kept: list[int] = []
    for at in records:
        alike = any(len(terms[at] & terms[i]) >= 0.7 * len(terms[at] | terms[i]) for i in kept)
        if not alike:
            kept.append(at)
    assert [at for at in records if at not in found.demoted] == kept
    assert sorted(found.order) == sorted(records)
