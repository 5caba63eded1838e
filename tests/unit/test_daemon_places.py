"""Which file a reported use is of, where several trees have files of the same name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hotsetd.answers import TouchAnswer
from hotsetd.calls import TouchCall, UseCall
from hotsetd.config import JobSettings, Settings
from hotsetd.ingesting import Header
from retrieval.errors import BadField
from tests.daemon_room import Room, opened
from workingset.transitions.touch import Action


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Two clones of a tree in two namespaces; one has a file more."""
    with opened(tmp_path / "home", Settings(jobs=JobSettings(settle_seconds=0.0))) as made:
        for name in ("one", "two"):
            folder = tmp_path / name / "src"
            folder.mkdir(parents=True)
            (folder / "app.py").write_text("def issue(order):\n    return order\n")
        (tmp_path / "one" / "src" / "more.py").write_text("def more(order):\n    return order\n")
        for name in ("one", "two"):
            sending = made.parts.ingesting.begin(made.parts.caller, Header(name, "", ""))
            made.parts.ingesting.tree(sending, str(tmp_path / name), False, lambda _: None, made.deadline)
        (tmp_path / "two" / "src" / "more.py").write_text("def more(order):\n    return order\n")
        made.catch_up()
        made.focus("issue an order")
        yield made


def _touched(room: Room, path: str, namespace: str = "") -> TouchAnswer:
    use = UseCall("", namespace, path, 0, 0, Action.READ)
    return room.parts.turns.touch(room.parts.caller, TouchCall(agent="dev", uses=(use,)))[0]


def _namespaces(answer: TouchAnswer) -> set[str]:
    return {ref.partition(":")[0] for _, touched in answer.touched for ref in touched.refs}


@pytest.mark.parametrize("name", ["one", "two"])
def test_an_absolute_path_is_of_the_tree_that_it_lies_in(room: Room, tmp_path: Path, name: str) -> None:
    assert _namespaces(_touched(room, str(tmp_path / name / "src" / "app.py"))) == {name}


def test_a_file_of_a_tree_that_has_no_records_is_not_taken_for_that_of_another(room: Room, tmp_path: Path) -> None:
    answer = _touched(room, str(tmp_path / "two" / "src" / "more.py"))

    assert (answer.unmatched, answer.touched) == ((0,), ())


def test_a_path_of_another_machine_finds_the_one_file_that_ends_so(room: Room) -> None:
    assert _namespaces(_touched(room, "/workspaces/shop/src/more.py")) == {"one"}


@pytest.mark.parametrize("path", ["src/app.py", "app.py", "/workspaces/shop/src/app.py"])
def test_what_could_be_several_files_is_named_with_its_namespaces(room: Room, path: str) -> None:
    with pytest.raises(BadField, match=r"src/app\.py in one, src/app\.py in two: name its namespace") as refused:
        _touched(room, path)

    assert refused.value.field == "uses[0].path"
    assert _namespaces(_touched(room, path, "two")) == {"two"}
