"""How a goal's text becomes weighted terms, names and entities."""

from __future__ import annotations

import time

import pytest

from retrieval.goal import NameForm, parse_goal
from retrieval.settings import GoalSettings

_SETTINGS = GoalSettings()


def test_prose_is_capped_the_first_line_weighs_more_and_code_counts_half() -> None:
    goal = parse_goal("lease lease\nlease lease budget\n```\nbudget ceiling\n```\n", _SETTINGS)

    weights = {t.term: t.weight for t in goal.terms}
    assert weights == {"leas": 3.0 + 1.5, "budget": 1.0 + 0.5, "ceil": 0.5}
    assert [t.term for t in goal.terms] == ["leas", "budget", "ceil"]


def test_names_keep_their_surest_form_and_come_once() -> None:
    goal = parse_goal('In pkg/net.py:12 `fetch_user` says "no such user"; see fetch_user and Queue.get()', _SETTINGS)

    assert {(name.text, name.form, name.line) for name in goal.names} == {
        ("pkg/net.py", NameForm.PATH, 12),
        ("fetch_user", NameForm.IDENTIFIER, None),
        ("Queue.get", NameForm.IDENTIFIER, None),
        ("no such user", NameForm.QUOTED, None),
    }


def test_capitalised_words_inside_a_sentence_are_entities() -> None:
    goal = parse_goal("Where does the Redis client open its WAL file? The answer is short.", _SETTINGS)

    assert [entity.text for entity in goal.entities] == ["Redis", "WAL"]


def test_title_case_says_nothing_about_names() -> None:
    assert parse_goal("Fix The Login Flow For Users", _SETTINGS).entities == ()


def test_words_of_a_short_goal_are_names_but_no_entities() -> None:
    goal = parse_goal("argparse subcommands", _SETTINGS)

    assert [name.form for name in goal.names] == [NameForm.WORD, NameForm.WORD]
    assert goal.entities == ()


def test_the_embedded_text_starts_with_the_first_line_and_leaves_code_out() -> None:
    goal = parse_goal("\nLeases never end\n```\nx = 1\n```\nThey should.", _SETTINGS)

    assert goal.embedded.startswith("Leases never end")
    assert "x = 1" not in goal.embedded
    assert goal.embedded.endswith("They should.")


def test_an_empty_goal_has_nothing() -> None:
    goal = parse_goal("  \n", _SETTINGS)

    assert (goal.terms, goal.names, goal.entities, goal.refs, goal.embedded, goal.caps) == ((), (), (), (), "", "")


def test_lone_surrogates_and_nul_are_no_reason_to_fail() -> None:
    goal = parse_goal("lease \ud800 \x00 expires", _SETTINGS)

    assert {"leas", "expir"} <= {t.term for t in goal.terms}


def test_caps_are_told() -> None:
    settings = GoalSettings(read_characters=30, terms_limit=1, names_limit=1)
    goal = parse_goal("`first_name` and `second_name` are names of a user", settings)

    assert goal.unread_characters == 20
    assert goal.unused_terms > 0
    assert goal.unused_names > 0
    assert "20 characters of the goal not read" in goal.caps


@pytest.mark.parametrize("unit", ["x", "退", "🙂", "a.", "a/", "_", "-", "`", '"', "(", "a:", "\\", "'a", "@"])
def test_no_goal_takes_long_to_read(unit: str) -> None:
    text = unit * (_SETTINGS.read_characters // len(unit))
    started = time.thread_time()
    parse_goal(text, _SETTINGS)

    # Some milliseconds; a search that begins anew at each character took three seconds.
    assert time.thread_time() - started < 0.8
