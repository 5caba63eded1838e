"""Pages of a made-up tree: which of them a reference touches, how large they are, and how relevant to a goal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.data import Trace, TraceReference, TraceTurn
from benchmarks.pages import (
    BEYOND_THE_END,
    LONGEST_OPEN_LINES,
    NOT_INGESTED,
    Pages,
    PageUse,
    page_candidate,
    page_tokens,
)
from benchmarks.sessions import ABSENT, TOKENIZER, Session, Sources, make_session, session_of
from benchmarks.trace_goals import goals_of
from benchmarks.trees import TreeMissing, read_files
from retrieval.ingest.settings import IngestSettings
from retrieval.text.token_count import counter_named
from workingset.vocabulary import Lines, Namespace

FUNCTION_LINES = 10


def module(functions: int) -> bytes:
    """Functions of ten lines each, the first from line 1 on, each with words of its own."""
    body = "".join(f"    total_{line} = {line}\n" for line in range(FUNCTION_LINES - 2))
    return "".join(f"def function_{n}(argument_{n}):\n{body}    return {n}\n" for n in range(functions)).encode()


@pytest.fixture(name="pages")
def _pages() -> Pages:
    contents = {"a.py": module(5), "long.py": module(60), "empty.py": b""}
    return Pages(contents, Namespace("made"), IngestSettings())


def touched(pages: Pages, reference: TraceReference) -> PageUse:
    found = pages.touched(reference, 3)
    assert isinstance(found, PageUse)
    return found


def test_the_pages_of_a_file_tile_it(pages: Pages) -> None:
    spans = [record.lines for record in pages.by_path["a.py"]]
    assert spans == [Lines(10 * n + 1, 10 * n + 10) for n in range(5)]
    assert len({record.ref for record in pages.records}) == len(pages.records)


def test_a_reference_touches_what_holds_its_lines(pages: Pages) -> None:
    use = touched(pages, TraceReference("a.py", edit=True, start=9, end=25))
    assert [lines for _, lines in use.pages] == [2, 10, 5]
    assert [ref for ref, _ in use.pages] == [record.ref for record in pages.by_path["a.py"][:3]]
    assert (use.turn, use.edit, use.wide, use.lines) == (3, True, False, Lines(9, 25))


def test_without_an_end_an_open_goes_on_and_an_edit_is_one_line(pages: Pages) -> None:
    opened = touched(pages, TraceReference("long.py", edit=False, start=11))
    assert sum(lines for _, lines in opened.pages) == LONGEST_OPEN_LINES
    assert [lines for _, lines in touched(pages, TraceReference("long.py", edit=True, start=11)).pages] == [1]
    to_the_end = touched(pages, TraceReference("a.py", edit=False, start=41))
    assert sum(lines for _, lines in to_the_end.pages) == 10


def test_without_lines_the_first_400_lines_count_in_whole_pages(pages: Pages) -> None:
    use = touched(pages, TraceReference("long.py", edit=False))
    assert use.wide
    assert [ref for ref, _ in use.pages] == [record.ref for record in pages.by_path["long.py"][:40]]
    assert all(lines == FUNCTION_LINES for _, lines in use.pages)


def test_what_touches_nothing_says_why(pages: Pages) -> None:
    assert pages.touched(TraceReference("a.py", edit=False, start=51), 0) == BEYOND_THE_END
    assert pages.touched(TraceReference("empty.py", edit=False), 0) == NOT_INGESTED
    assert pages.refused == {"empty.py": "empty"}


def test_a_page_is_as_large_as_its_segment_with_its_header(pages: Pages) -> None:
    record = pages.by_path["a.py"][0]
    count = counter_named(TOKENIZER).count
    tokens = page_tokens(page_candidate(record), count)
    assert count(record.text) + 10 < tokens < count(record.text) + 40


def trace(*turns: TraceTurn, **over: str) -> Trace:
    return Trace("made", "t", over.get("repo", "owner/made"), over.get("base_commit", ""), "first goal", turns)


def test_the_goal_is_the_last_word_of_the_user_and_the_last_action() -> None:
    made = trace(
        TraceTurn("a", text="I open", query="cat a"),
        TraceTurn("b", user="now the tests", text="I test"),
        TraceTurn("c"),
        TraceTurn("d"),
    )
    assert goals_of(made) == (
        "first goal",
        "now the tests\nI open\ncat a",
        "now the tests\nI test",
        "now the tests",
    )


def test_a_session_weighs_only_what_was_seen_before() -> None:
    opened = TraceReference("a.py", edit=False, start=1, end=10)
    absent = TraceReference("gone.py", edit=False)
    turns = (
        TraceTurn("a", user="function_0 is wrong", references=(opened, absent)),
        TraceTurn("b", references=(TraceReference("a.py", edit=True, start=99),)),
        TraceTurn("compact"),
    )
    session = make_session(trace(*turns), {"a.py": module(5)})
    (use,) = session.uses
    ((ref, _),) = use.pages
    assert session.skipped == {ABSENT: 1, BEYOND_THE_END: 1}
    assert session.relevance[0] == {}
    assert 0.0 < session.relevance[1][ref] <= 1.0
    assert session.resets == frozenset({2})
    assert set(session.pages) == set(session.sizes) == {ref}
    assert session.goal_tokens[0] == counter_named(TOKENIZER).count("# Goal\nfunction_0 is wrong\n")


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *named, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> tuple[Path, str]:
    """A folder of bare clones with one of two commits; returns it and the first commit."""
    work, git_dirs = tmp_path / "work", tmp_path / "git"
    work.mkdir()
    git(work, "init", "--quiet", "--initial-branch=main")
    (work / "a.py").write_bytes(module(2))
    (work / "link.py").symlink_to("a.py")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "one")
    first = git(work, "rev-parse", "HEAD")
    (work / "a.py").write_bytes(module(3))
    git(work, "commit", "--quiet", "-am", "two")
    git(tmp_path, "clone", "--quiet", "--bare", str(work), str(git_dirs / "owner+made" / "repo"))
    return git_dirs, first


def test_files_are_read_as_they_were_at_the_commit(repository: tuple[Path, str]) -> None:
    git_dirs, first = repository
    wanted = ("a.py", "link.py", "none.py")
    assert read_files(git_dirs, "owner/made", first, wanted) == {"a.py": module(2)}


@pytest.mark.parametrize(("repo", "commit"), [("owner/made", "0" * 40), ("owner/made", ""), ("owner/other", "HEAD")])
def test_a_tree_that_is_not_there_is_said(repository: tuple[Path, str], repo: str, commit: str) -> None:
    with pytest.raises(TreeMissing):
        read_files(repository[0], repo, commit, ["a.py"])


def test_a_session_is_made_once_from_its_start_commit(repository: tuple[Path, str], tmp_path: Path) -> None:
    git_dirs, first = repository
    sources = Sources(git_dirs, {"t": first}, tmp_path)
    made = trace(TraceTurn("a", references=(TraceReference("a.py", edit=False),)), base_commit="HEAD")
    session = session_of(made, sources)
    assert isinstance(session, Session)
    assert len(session.uses[0].pages) == 2
    git_dirs.rename(tmp_path / "moved")
    assert session_of(made, sources) == session
    other = trace(TraceTurn("b"), base_commit="HEAD")
    assert isinstance(session_of(other, sources), TreeMissing)
