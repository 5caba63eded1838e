"""Rows of recorded sessions: what is read of them, and what is refused."""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.data import BadRow, TraceReference, need_files, parse_trace, read_start_commits, read_traces, set_name
from benchmarks.session_options import add_session_options, read_all


def row(**over: Any) -> dict[str, Any]:
    return {
        "trace_id": "made-up-1",
        "repo": "owner/name",
        "base_commit": "abc",
        "goal": "do it",
        "turns": [
            {
                "turn": 0,
                "action": "Read",
                "user": "look",
                "text": "I look",
                "query": "cat a.py",
                "refs": [
                    {"path": "a.py", "start": 3, "end": 9, "kind": "open"},
                    {"path": "a.py", "start": 3, "end": 9, "kind": "open"},
                    {"path": "b.py", "start": 3, "end": 9, "kind": "search"},
                    {"path": "c.py", "kind": "edit", "failed": True},
                    {"path": "a.py", "start": 3, "end": 9, "kind": "edit"},
                ],
            },
            {"turn": 1, "action": "compact", "refs": []},
        ],
        **over,
    }


def test_opens_and_edits_that_did_not_fail_are_read_each_once() -> None:
    trace = parse_trace(row(), "made")
    assert trace.turns[0].references == (
        TraceReference("a.py", edit=False, start=3, end=9),
        TraceReference("a.py", edit=True, start=3, end=9),
    )
    assert (trace.turns[0].user, trace.turns[0].text, trace.turns[0].query) == ("look", "I look", "cat a.py")
    assert trace.turns[1].action == "compact"


@pytest.mark.parametrize(
    ("over", "named"),
    [
        ({"trace_id": None}, "trace_id"),
        ({"turns": "none"}, "turns"),
        ({"turns": [{"refs": [{"kind": "open"}]}]}, r"turns\[0\].refs.path"),
        ({"turns": [{"refs": [{"kind": "open", "path": "a", "start": 0}]}]}, r"turns\[0\].refs.start"),
        ({"turns": [{"refs": [{"kind": "open", "path": "a", "start": 4, "end": 3}]}]}, r"turns\[0\].refs.end"),
        ({"turns": [{"refs": [{"kind": "open", "path": "a", "end": 3}]}]}, r"turns\[0\].refs.end"),
    ],
)
def test_a_bad_row_is_an_error_that_names_the_field(over: dict[str, Any], named: str) -> None:
    with pytest.raises(BadRow, match=named):
        parse_trace(row(**over), "made")


def test_a_file_is_read_up_to_the_limit_and_names_its_set(tmp_path: Path) -> None:
    file = tmp_path / "made.kept.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row(trace_id=f"t{number}")) + "\n" for number in range(3))
    assert set_name(file) == "made"
    assert [trace.trace_id for trace in read_traces(file, 2)] == ["t0", "t1"]
    assert {trace.set_name for trace in read_traces(file)} == {"made"}


def test_a_bad_line_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "made.jsonl"
    file.write_text(json.dumps(row()) + "\n" + json.dumps(row(repo=7)) + "\n")
    with pytest.raises(BadRow, match="line 2: repo"):
        list(read_traces(file))


def test_start_commits_are_by_trace(tmp_path: Path) -> None:
    file = tmp_path / "start.json"
    file.write_text(json.dumps({"t0": {"start_commit": "abc", "how": "by hand"}}))
    assert read_start_commits(file) == {"t0": "abc"}


def test_data_that_is_not_there_ends_the_program_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        need_files([tmp_path / "none.jsonl.gz"], "traces", "ask for them")
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert "none.jsonl.gz" in said
    assert "ask for them" in said


def test_a_row_of_another_form_ends_the_program_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "made.jsonl").write_text("{}\n")
    parser = argparse.ArgumentParser()
    add_session_options(parser)
    options = parser.parse_args(["--traces", str(tmp_path / "made.jsonl")])
    with pytest.raises(SystemExit) as left:
        read_all(options)
    assert left.value.code == 2
    assert "trace_id" in capsys.readouterr().err


def test_budgets_are_whole_tokens() -> None:
    parser = argparse.ArgumentParser()
    add_session_options(parser)
    for words in (["4000,16000"], ["4000", "16000"], ["4k,16K"], ["4000,", "4k", "16k"]):
        assert parser.parse_args(["--budgets", *words]).budgets == (4_000, 16_000)
    for wrong in ("4kb", "0", "", "k"):
        with pytest.raises(SystemExit):
            parser.parse_args(["--budgets", wrong])
