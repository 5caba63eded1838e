"""The benchmark of counter-evidence: what it reads, what it counts, and that it asks the product."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import opposition
from benchmarks.data import BadRow
from benchmarks.opposition_rates import Answered, difference, mean, one_sided, opposing, precision, ratio, supporting
from benchmarks.opposition_rows import Claim, default_files, read_claims
from benchmarks.opposition_store import CONTESTED, PLAIN, Found

FOR, AGAINST = "The Ossel rises in Vantria.", "The Ossel rises in Cadwick, not in Vantria."
ROWS = [
    {
        "claim_id": "c1",
        "claim": "The Ossel rises in Vantria",
        "evidence": [
            {"eid": "e1", "text": FOR, "stance": "support"},
            {"eid": "e2", "text": AGAINST, "stance": "oppose"},
            {"eid": "e3", "text": "Ferries cross at night.", "stance": "neutral"},
        ],
    },
    {
        "claim_id": "c2",
        "claim": "The Ossel rises in Cadwick",
        "evidence": [
            {"eid": "e9", "text": FOR, "stance": "oppose"},
            {"eid": "e8", "text": AGAINST, "stance": "support"},
        ],
    },
    {"claim_id": "c3", "claim": "Ferries", "evidence": [{"eid": "e1", "text": "Ferries sink.", "stance": "support"}]},
]


def written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "rivers.open.jsonl.gz", ROWS)


def test_equal_texts_are_one_and_claims_of_one_stance_are_left_out_and_counted(file: Path) -> None:
    claims = read_claims(file)
    first, second = claims.claims

    assert (claims.name, claims.one_stance, len(claims.texts)) == ("rivers", 1, 4)
    assert first.supporting == second.opposing
    assert first.opposing == second.supporting
    assert {claims.texts[i] for i in first.supporting} == {FOR}
    assert [claim.claim_id for claim in read_claims(file, 1).claims] == ["c1"]
    assert read_claims(file, 1).texts == claims.texts


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"claim_id": "c", "evidence": []}, "line 1: claim: a text is wanted"),
        ({"claim_id": "c", "claim": "x", "evidence": "none"}, "evidence: a list is wanted"),
        ({"claim_id": "c", "claim": "x", "evidence": [{"text": "t"}]}, r"evidence\[0\]: stance: a text is wanted"),
        ({"claim_id": "c", "claim": "x", "evidence": [3]}, r"evidence\[0\]: an object is wanted"),
    ],
)
def test_a_row_of_another_form_is_named(tmp_path: Path, row: Mapping[str, Any], told: str) -> None:
    with pytest.raises(BadRow, match=told):
        read_claims(written(tmp_path / "bad.jsonl.gz", [row]))


def test_a_claim_that_is_there_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRow, match="line 2: claim_id: 'c1' is there twice"):
        read_claims(written(tmp_path / "twice.jsonl.gz", [ROWS[0], ROWS[0]]))


def test_where_data_is_missing_it_says_where_to_get_it_and_exits_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        read_claims(default_files(tmp_path)[0])
    assert stopped.value.code == 2
    assert "FeverSymmetric" in capsys.readouterr().err


def test_a_file_without_claims_of_both_stances_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lone = written(tmp_path / "lone.jsonl.gz", [ROWS[2]])
    monkeypatch.setattr("sys.argv", ["opposition", "--claims", str(lone), "--cache", str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        opposition.main()
    assert stopped.value.code == 2
    assert "no claim has texts of both stances" in capsys.readouterr().err


def answered(plain: Sequence[str], contested: Sequence[str], cues: Sequence[str] = ()) -> Answered:
    claim = Claim("c", "?", frozenset({"s1", "s2"}), frozenset({"o"}))
    found = Found(
        {PLAIN: tuple(plain), CONTESTED: tuple(contested)},
        {text: frozenset({"date"}) for text in cues},
        0,
        {},
    )
    return Answered(claim, found)


def test_one_sided_is_support_without_anything_against_it_among_ten() -> None:
    filler = [f"x{at}" for at in range(10)]
    answers = [answered(["s1"], ["s1", "o"]), answered(["s1", *filler, "o"], ["o"]), answered(["x"], ["x"])]

    assert [one_sided(each, PLAIN) for each in answers] == [1.0, 1.0, 0.0]
    assert [one_sided(each, CONTESTED) for each in answers] == [0.0, 0.0, 0.0]
    assert mean(answers, PLAIN, supporting) == pytest.approx(1 / 3)
    assert mean(answers, CONTESTED, opposing) == pytest.approx(2 / 3)
    assert ratio(answers, CONTESTED, PLAIN, one_sided, 1)[0] == 0.0


def test_intervals_hold_what_they_are_of_and_are_equal_in_every_run() -> None:
    answers = [answered(["s1"], ["s1", "o"])] * 5 + [answered(["s1"], ["s1"])] * 5
    whole, low, high = difference(answers, CONTESTED, PLAIN, one_sided, 1)

    assert whole == -0.5
    assert -1.0 <= low < whole < high <= 0.0
    assert (whole, low, high) == difference(answers, CONTESTED, PLAIN, one_sided, 1)
    assert ratio(answers, CONTESTED, PLAIN, one_sided, 1) == pytest.approx((0.5, 1 + low, 1 + high))


def test_a_ratio_to_nothing_is_not_a_number() -> None:
    assert str(ratio([answered(["o"], ["o"])], CONTESTED, PLAIN, one_sided, 1)[0]) == "nan"


def test_precision_counts_labelled_texts_alone() -> None:
    found = precision([answered([], [], ["o", "s1", "unlabelled"])], lambda each: frozenset(each.found.cues))

    assert (found.opposing, found.labelled, found.share) == (1, 2, 0.5)


def test_all_profiles_are_asked_and_reported(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = written(tmp_path / "again.jsonl.gz", ROWS)
    monkeypatch.setattr("sys.argv", ["opposition", "--claims", str(file), str(other), "--cache", str(tmp_path / "c")])

    opposition.main()

    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("RESULT")]
    heads = [" ".join(line.split()[1:5]) for line in lines]
    assert heads == [
        f"measure=M4 set={name} n={n} profile={profile}"
        for name, n in (("rivers", 2), ("again", 2), ("pooled", 4))
        for profile in ("bm25", "default", "contested_claims")
    ]
    assert all("one_sided=0 supporting_recall=1 opposing_recall=1 " in line for line in lines)
    assert all(line.endswith("model_calls=0") for line in lines)
