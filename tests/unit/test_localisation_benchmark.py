"""What measure M2 and the fitting of weights are made of: rows, recall, baselines, the conditional logit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.conditional_logit import Choice, fitted
from benchmarks.data import BadRow
from benchmarks.halves import half_of
from benchmarks.localisation_baselines import AiderAnswer, FileBm25, named_files, words
from benchmarks.localisation_figures import LANES, ablations, mapped_files, packed_files, recall, subsets
from benchmarks.localisation_measure import Located, Packed, gold_functions, unit_of
from benchmarks.localisation_rows import Row, parse_row, read_localisations
from benchmarks.localisation_runs import RowResult
from retrieval.ranking.code.scoring import FILE_FEATURES, RECORD_FEATURES, of_parts
from retrieval.record import Record
from workingset.vocabulary import Digest, Lines, Namespace, Ref, Tokens

ROW = {
    "instance_id": "shop-1",
    "set": "made",
    "repo": "we/shop",
    "base_commit": "c0ffee",
    "goal": "The tax is wrong",
    "gold_files": ["shop/prices.py"],
    "gold_hunks": [{"path": "shop/prices.py", "start": 12, "end": 14}],
}


def record(title: str, kind: str, start: int, end: int) -> Record:
    return Record(
        ref=Ref(f"shop:{title}"),
        namespace=Namespace("shop"),
        kind=kind,
        title=title,
        text="",
        outline="",
        gist="",
        digest=Digest(title),
        path="shop/prices.py",
        lines=Lines(start, end),
    )


RECORDS = (
    record("prices.py", "file", 1, 4),
    record("gross", "function", 5, 11),
    record("gross (part 2)", "chunk", 12, 20),
    record("net", "function", 21, 30),
)


def test_a_row_starts_at_its_start_commit_where_one_is_listed() -> None:
    assert parse_row(ROW, {}).commit == "c0ffee"
    assert parse_row(ROW, {"shop-1": "beef"}).commit == "beef"
    assert parse_row(ROW, {}).half in {"A", "B"}


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"instance_id": "x", "archivable": false}\n{"instance_id": "y"}\n')
    with pytest.raises(BadRow, match="line 2"):
        list(read_localisations(file, {}))


def test_gold_functions_are_those_of_the_hunks_or_those_named() -> None:
    by_hunks = parse_row(ROW, {})
    assert gold_functions(by_hunks, RECORDS) == (("shop/prices.py", "gross"),)
    named = parse_row({**ROW, "gold_functions": [{"path": "shop/prices.py", "symbol": "net.inner"}]}, {})
    assert gold_functions(named, RECORDS) == (("shop/prices.py", "net"),)
    neither: Row = parse_row({**ROW, "gold_hunks": []}, {})
    assert gold_functions(neither, RECORDS) == ()


def test_parts_of_a_function_are_one_unit_and_a_file_head_is_none() -> None:
    assert [unit_of(each) for each in RECORDS] == [
        None,
        ("shop/prices.py", "gross"),
        ("shop/prices.py", "gross"),
        ("shop/prices.py", "net"),
    ]


def test_recall_is_a_share_of_the_gold() -> None:
    assert recall(("a", "b", "c"), ("c", "b"), 2) == 0.5


def test_every_feature_is_of_one_lane_or_a_prior() -> None:
    of_files = [name for files, _ in LANES.values() for name in files]
    of_parts_ = [name for _, parts in LANES.values() for name in parts]
    assert len(set(of_files)) == len(of_files)
    assert set(of_files) <= set(FILE_FEATURES)
    assert set(of_parts_) <= set(RECORD_FEATURES)
    assert len(subsets()) == 4 + 6 + 1
    assert len(ablations()) == len(FILE_FEATURES) + len(RECORD_FEATURES)


def test_the_first_part_of_a_file_has_its_score() -> None:
    files = np.asarray([2.0, 1.0])
    own = np.asarray([0.2, 0.9, 0.5, 0.4])
    assert of_parts(files, own, [0, 0, 1, -1]).tolist() == pytest.approx([1.3, 2.0, 1.0, 1.0])


def test_bm25_counts_parts_of_identifiers_and_paths(tmp_path: Path) -> None:
    (tmp_path / "tax_rate.py").write_text("x = 1\n")
    (tmp_path / "other.py").write_text("def grossPrice(): ...\n")
    assert words("grossPrice tax_rate") == ["grossprice", "gross", "price", "tax_rate", "tax", "rate"]
    bm25 = FileBm25()
    paths = ("other.py", "tax_rate.py")
    assert bm25.best(tmp_path, paths, "rate of tax", 5) == ("tax_rate.py",)
    assert bm25.best(tmp_path, paths, "price", 5) == ("other.py",)


def test_files_of_a_map_are_those_its_lines_name() -> None:
    text = "\nb/two.py:\n⋮\n│def two():\n\na/one.py\nb/two.py:\nnot/here.py:\n"
    assert named_files(text, frozenset({"a/one.py", "b/two.py"})) == ("b/two.py", "a/one.py")


def test_weights_by_likelihood_prefer_what_tells_right_from_wrong() -> None:
    chance = np.random.default_rng(1)
    choices = []
    for _ in range(50):
        values = chance.normal(size=(8, 2))
        right = np.zeros(8, dtype=np.bool_)
        right[int(values[:, 0].argmax())] = True
        choices.append(Choice(values, right))
    weights = fitted(choices, 1.0)
    assert weights[0] > 1.0
    assert abs(weights[1]) < 0.5
    assert fitted(choices, 1.0).tolist() == weights.tolist()


def test_nothing_to_choose_is_an_error() -> None:
    with pytest.raises(ValueError, match="choices"):
        fitted([Choice(np.ones((2, 1)), np.ones(2, dtype=np.bool_))], 1.0)


def row_result(
    packed: tuple[str, ...], mapped: tuple[str, ...] | None, gold: tuple[str, ...] = ("a.py", "b.py")
) -> RowResult:
    row = replace(parse_row(ROW, {}), files=gold)
    answers = {Tokens(100): Packed(packed, functions=False, lines=10, gold_lines=2)}
    located = Located(row, (), (), gold, (), answers, None, 1, 1.0, 0, 0, "code; code-1", 1)
    return RowResult(row, located, aider=None if mapped is None else AiderAnswer((), ((Tokens(100), mapped),)))


def test_sets_and_maps_are_compared_on_the_rows_that_both_were_asked() -> None:
    found = [row_result(("a.py",), ("a.py", "b.py", "c.py")), row_result(("a.py", "b.py"), None)]
    assert packed_files(found, Tokens(100)) == pytest.approx(0.75)
    assert mapped_files(found, Tokens(100)) == 1.0
    assert packed_files([r for r in found if r.aider], Tokens(100)) == 0.5


def test_halves_are_the_same_in_every_run() -> None:
    assert "".join(map(half_of, "abcdefgh")) == "AAABAABB"
    assert {half_of(str(number)) for number in range(20)} == {"A", "B"}
