"""Questions of prose and of conversations, through the daemon's own use cases over a real store and real indexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from hotsetd.config import Settings
from hotsetd.ingesting import Batch, Header
from retrieval.history import reading
from retrieval.history.history import History, history_of
from retrieval.history.kept import KeptTree
from retrieval.history.settings import HistorySettings
from retrieval.ingest.settings import GitHistorySettings, IngestSettings
from retrieval.ingest.turn_records import TurnInput
from tests.daemon_room import NAMESPACE, Room, note, opened
from tests.git_room import Repository

MAY = 1_683_554_160
"""8 May 2023, 13:56."""
JULY = MAY + 56 * 86_400


def say(room: Room, turns: Sequence[TurnInput]) -> None:
    sending = room.parts.ingesting.begin(room.parts.caller, Header("talk", "", "test"))
    room.parts.ingesting.batch(sending, Batch((), (), (), 0, False, tuple(turns)))
    room.catch_up()


def titles(room: Room, goal: str, namespace: str) -> list[str]:
    """Of the namespace's entries in the set, in the order in which they entered."""
    entries = room.focus(goal, namespaces=(namespace,)).outcome.state.entries
    return [e.title for e in sorted(entries, key=lambda e: e.order) if e.namespace == namespace]


def test_an_answer_two_texts_away_enters_the_set(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        passages = {
            "Ossel": "The Ossel is a river. It rises in Vantria and flows to the sea.",
            "Vantria": "Vantria is a land of hills. Its parliament sits in Cadwick since 1861.",
            "Cadwick": "Cadwick makes glass, and has two bridges.",
            **{f"Hamlet {n}": f"Hamlet {n} lies beside a lake with {n} boats." for n in range(8)},
        }
        room.records(
            [note(name.replace(" ", "-"), text, kind="passage", title=name) for name, text in passages.items()]
        )
        found = titles(room, "Where does the parliament sit of the land in which the Ossel rises?", "shop")
        assert {"Ossel", "Vantria"} <= set(found)
        assert found.index("Vantria") < 2


def test_a_conversation_is_asked_by_who_and_when(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as room:
        say(
            room,
            [
                TurnInput("c", "1", "Ann", MAY, "We went swimming in the lake."),
                TurnInput("c", "2", "Bob", MAY, "I went swimming in the lake as well!"),
                TurnInput("c", "3", "Ann", JULY, "Again we went swimming in the lake."),
                TurnInput("c", "4", "Bob", JULY, "The kitchen is green now."),
            ],
        )
        assert titles(room, "Where did Ann go swimming in July 2023?", "talk")[0] == "Ann, 3 July 2023"


def test_a_trees_past_is_worked_out_once_by_the_settings_of_ingest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repository.begin(tmp_path / "shop", {"tax.py": "def tax_due():\n    return 1\n"})
    made.commit("Round what is due", {"tax.py": "def tax_due():\n    return round(1)\n"})
    counting = HistorySettings(recent_files=7)
    settings = Settings(ingest=IngestSettings(git_history=GitHistorySettings(counting=counting)))
    asked: list[HistorySettings] = []

    def counted(trees: Iterable[KeptTree], by: HistorySettings) -> History:
        asked.append(by)
        return history_of(trees, by)

    with opened(tmp_path / "home", settings) as room:
        sending = room.parts.ingesting.begin(room.parts.caller, Header(NAMESPACE, "", ""))
        room.parts.ingesting.tree(sending, str(made.root), False, lambda _: None, room.deadline)
        room.catch_up()
        monkeypatch.setattr(reading, "history_of", counted)
        for goal in ("how is tax_due rounded", "this"):
            room.focus(goal)

    assert asked == [counting]
