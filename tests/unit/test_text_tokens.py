"""Terms: what a document and a query have in common."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from retrieval.text.tokens import LONGEST_WORD, analyse, analysed, distinct


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserNames", ["getusernam", "get", "user", "name"]),
        ("user_store.py", ["user_store", "user", "store", "py"]),
        ("parseHTTPResponse", ["parsehttprespons", "pars", "http", "respons"]),
        ("MAX_SIZE", ["max_size", "max", "size"]),
        ("__init__", ["__init__", "init"]),
        ("HTTP URLs IDs", ["http", "url", "id"]),
        ("Running runners ran", ["run", "runner", "ran"]),
        ("the cat is on a mat", ["cat", "mat"]),
        ("base64 python3 x", ["base64", "python3"]),
        ("", []),
        ("---- \0 !?", []),
        ("_ __ x", []),
    ],
)
def test_english_and_identifiers(text: str, terms: list[str]) -> None:
    assert analyse(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("東京都", ["東京", "京都"]),
        ("猫", ["猫"]),
        ("東京でtantivy索引", ["東京", "京で", "tantivi", "索引"]),
        ("한국어 검색", ["한국", "국어", "검색"]),
        ("Größe", ["grösse"]),
        ("größeÄndern", ["grösseändern", "grösse", "ändern"]),
        ("привет_Мир", ["привет_мир", "привет", "мир"]),
        ("नमस्ते", ["नमस्ते"]),
        ("ＦＵＬＬ", ["full"]),
        ("a。b、cd", ["cd"]),
        ("🎉 party", ["parti"]),
        ("\ud800 lone", ["lone"]),
    ],
)
def test_any_script(text: str, terms: list[str]) -> None:
    assert analyse(text) == terms


def test_a_name_typed_in_lower_case_finds_the_camel_case_one() -> None:
    assert set(analyse("basehttprequesthandlers")) <= set(analyse("BaseHTTPRequestHandlers"))


def test_a_part_finds_the_whole() -> None:
    document = set(analyse("def resolveRemoteAddress(peer_name): ..."))
    assert {"resolv", "remot", "address", "peer"} <= document


def test_a_long_word_gives_its_beginning_and_nothing_else() -> None:
    assert analyse("aB" * 500) == [("ab" * 500)[:LONGEST_WORD]]


def test_joined_and_listed_terms_are_the_same() -> None:
    text = "Sockets, getaddrinfo() 東京都 and the user_store"
    assert analysed(text).split() == analyse(text)


@pytest.mark.parametrize(
    "text", ["", "the a", "getUserNames get", "東京都 the user_store\u00a0running", "a\tb x\x00y\x7f é-z"]
)
def test_distinct_terms_are_those_listed(text: str) -> None:
    assert distinct(text) == set(analyse(text))


def test_a_megabyte_without_a_blank_takes_no_time() -> None:
    started = time.process_time()
    for text in ("a" * 10**6, "aA_" * 300_000, "語" * 300_000, "é" * 10**6, "_" * 10**6):
        analyse(text)
    assert time.process_time() - started < 10


def test_terms_do_not_depend_on_the_hash_seed() -> None:
    script = "from retrieval.text.tokens import analyse; print(analyse('getUserNames 東京都 the user_store running'))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
