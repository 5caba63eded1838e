"""The benchmark of long memory: what it reads, what it compares with, and that it asks the product."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import fit_prose, memory
from benchmarks.data import BadRow
from benchmarks.memory_recall import Answered, interval, mean_recall
from benchmarks.memory_rows import Question, SetFiles, default_sets, read_set
from benchmarks.memory_variants import recordings
from benchmarks.plain_bm25 import PlainBm25, plain_words
from retrieval.ranking.query_class import QueryClass
from retrieval.settings import RetrievalSettings

PASSAGES = [
    {"pid": "p1", "title": "Ossel", "text": "The Ossel rises in Vantria."},
    {"pid": "p2", "title": "Vantria", "text": "Vantria is ruled from Cadwick."},
]
QUESTIONS = [
    {
        "qid": "q1",
        "question": "From where is the land ruled in which the Ossel rises?",
        "gold": ["p1", "p2"],
        "hops": 2,
    },
    {"qid": "q2", "question": "Nothing?", "gold": []},
]
TURNS = [
    {"dia_id": "D1:1", "session": 1, "date": "1:56 pm on 8 May, 2023", "speaker": "Ann", "text": "I bought a kite."},
    {
        "dia_id": "D1:2",
        "session": 1,
        "date": "1:56 pm on 8 May, 2023",
        "speaker": "Bob",
        "text": "Nice!",
        "image_caption": "a kite over a hill",
    },
]
ASKED = [
    {"qid": "c1", "conv_id": "one", "category": "single-hop", "question": "What did Ann buy?", "evidence": ["D1:1"]},
    {"qid": "c2", "conv_id": "one", "category": "adversarial", "question": "What did Bob buy?", "evidence": ["D1:1"]},
]


def written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return path


@pytest.fixture
def hops(tmp_path: Path) -> SetFiles:
    return SetFiles(
        written(tmp_path / "made_questions.jsonl.gz", QUESTIONS), written(tmp_path / "made_passages.jsonl.gz", PASSAGES)
    )


@pytest.fixture
def talks(tmp_path: Path) -> SetFiles:
    questions = written(tmp_path / "talk_questions.jsonl.gz", ASKED)
    conversations = written(tmp_path / "talk_conversations.jsonl.gz", [{"conv_id": "one", "turns": TURNS}])
    return SetFiles(questions, conversations=conversations)


def test_questions_without_gold_and_adversarial_ones_are_counted_and_left_out(hops: SetFiles, talks: SetFiles) -> None:
    made, talk = read_set(hops), read_set(talks)
    assert [(q.qid, q.gold, q.category, q.pool) for q in made.questions] == [
        ("q1", frozenset({"p1", "p2"}), "2 hops", "made")
    ]
    assert [(q.qid, q.pool) for q in talk.questions] == [("c1", "one")]
    assert (made.without_gold, talk.without_gold) == (1, 1)
    assert made.texts() == {
        "made": {"p1": "Ossel The Ossel rises in Vantria.", "p2": "Vantria Vantria is ruled from Cadwick."}
    }


def test_turns_have_their_time_and_what_a_picture_shows(talks: SetFiles) -> None:
    first, second = read_set(talks).conversations["one"]
    assert (first.seconds, first.session, first.words) == (1683554160, "1", "I bought a kite.")
    assert second.words == "Nice!\n[a kite over a hill]"


def test_a_row_of_another_form_is_named(tmp_path: Path, hops: SetFiles) -> None:
    broken = written(tmp_path / "broken_passages.jsonl.gz", [{"pid": "p1", "title": "", "text": "x"}])
    with pytest.raises(BadRow, match="title"):
        read_set(SetFiles(hops.questions, broken))


def test_where_data_is_missing_it_says_where_to_get_it_and_exits_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        read_set(default_sets(tmp_path)[0])
    assert stopped.value.code == 2
    assert "HippoRAG" in capsys.readouterr().err


def test_plain_bm25_finds_by_words_alone() -> None:
    texts = {"a": "the red kite", "b": "the blue kite and the kite", "c": "nothing"}
    plain = PlainBm25({name: Counter(plain_words(text)) for name, text in texts.items()})
    assert plain.best(["kite"], 10) == ("b", "a")
    assert plain.best(["red", "kite"], 1) == ("a",)


def test_recall_is_of_all_gold_and_its_interval_holds_it() -> None:
    question = Question("q", "made", "?", frozenset({"a", "b"}))
    answers = [Answered(question, {"all": order}, 1.0, {}, 0, 1) for order in (("a", "b"), ("a", "c"), ("c", "d"))]
    assert mean_recall(answers, "all", 2) == 0.5
    assert mean_recall(answers, "all", 1) == pytest.approx(1 / 3)
    low, high = interval(answers, "all", 2, 1)
    assert 0.0 <= low <= 0.5 <= high <= 1.0


def test_every_weight_of_a_profile_is_taken_out_once() -> None:
    recorders = recordings(RetrievalSettings(), ("lexical", "vector"), ablate=True)
    assert recorders[QueryClass.PROSE].variants[:3] == ("lexical", "vector", "lexical+vector")
    assert {"without named", "without mentioned"} <= set(recorders[QueryClass.PROSE].variants)
    assert {"without window", "without speaker"} <= set(recorders[QueryClass.CONVERSATION].variants)


def test_both_kinds_of_set_are_asked_and_reported(
    hops: SetFiles,
    talks: SetFiles,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = ["--questions", str(hops.questions), "--passages", str(hops.passages)]
    other = ["--questions", str(talks.questions), "--conversations", str(talks.conversations)]
    for files, name, found in ((given, "made", "recall_at_2=1"), (other, "talk", "recall_at_2=1")):
        monkeypatch.setattr(
            "sys.argv", ["memory", *files, "--cache", str(tmp_path / "cache"), "--lanes", "lexical+vector"]
        )
        memory.main()
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("RESULT")]
        shipped = next(line for line in lines if f"set={name} n=1 lanes=all " in line)
        assert found in shipped
        assert shipped.endswith("model_calls=0")
        assert any("lanes=plain_bm25" in line for line in lines)


def test_weights_are_fitted_on_one_half_and_shown_on_the_other(
    hops: SetFiles, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    again = [{**QUESTIONS[0], "qid": f"q{number}", "gold": ["p2"]} for number in range(8)]
    questions = written(tmp_path / "again_questions.jsonl.gz", again)
    given = ["--questions", str(questions), "--passages", str(hops.passages), "--cache", str(tmp_path / "cache")]
    monkeypatch.setattr("sys.argv", ["fit_prose", *given])
    fit_prose.main()
    printed = capsys.readouterr().out
    assert "half B by A, rounded to halves" in printed
    assert "again_questions.jsonl.gz sha256 " in printed


def test_questions_need_what_they_are_asked_of(hops: SetFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["memory", "--questions", str(hops.questions)])
    with pytest.raises(SystemExit) as stopped:
        memory.main()
    assert stopped.value.code == 2
