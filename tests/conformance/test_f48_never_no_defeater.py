"""F48: opposition lane heuristic, no hit / report / text and field never say "no defeater exists"."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from hotset.v1 import attention_pb2, common_pb2
from hotsetd.wire.common import Versions
from hotsetd.wire.focus import FocusWire
from tests.daemon_room import note, opened
from workingset.receipt import canonical
from workingset.settings import HeatSettings
from workingset.vocabulary import OppositionCoverage, Tokens

ROOT = Path(__file__).parents[2]
CLAIM = "the lease of the warehouse lasts nine years"
_THINGS = r"(defeaters?|opposers?|opposition|counter[- ]?evidence|counter[- ]?texts?|contradictions?|objections?)"
ABSENCE = re.compile(
    rf"\bno (known |further |other |live )?{_THINGS} (exists?|is there|are there|was found to exist)"
    rf"|\bthere (is|are) no {_THINGS}|\b{_THINGS} do(es)? not exist|\b(is|are) (uncontested|unopposed|undisputed)\b"
    r"|\bno_(defeater|opposition|opposer|contradiction)\b|\bunopposed\b|\buncontested\b|\bdefeater_free\b",
    re.IGNORECASE,
)
WIRE = FocusWire(
    Versions("o200k", "hash", "", "default-1"),
    HeatSettings(),
    estimated=False,
    ghosts_listed=5,
    default_budget=Tokens(4_000),
)


def test_the_pattern_knows_what_must_not_be_said() -> None:
    for said in ("no defeater exists", "There is no opposition", "the claim is unopposed", "no_defeater"):
        assert ABSENCE.search(said)
    for said in ("searched, none found", "no relation opposes the 3 results looked at", "none of these says that"):
        assert not ABSENCE.search(said)


@pytest.mark.parametrize("profile", ["default", "contested_claims", "irreversible_action", "adversarial_corpus"])
@pytest.mark.parametrize("filled", [True, False])
def test_f48_a_search_without_a_hit_says_what_was_searched_and_no_more(
    tmp_path: Path, profile: str, filled: bool
) -> None:
    with opened(tmp_path) as room:
        texts = [note("ferry", "ferries cross the strait at night"), note("lamp", "lamps need oil")]
        room.records([*texts, note("claim", CLAIM)] if filled else texts)
        answer = room.focus(CLAIM if filled else "zebras migrate southwards", profile=profile)

    owed = {one.kind.value: one for one in answer.coverage.obligations}
    reply = WIRE.focus(answer, delta_only=False, replayed=False)
    told = "\n".join((str(reply), canonical(answer.outcome.receipt).decode()))

    assert not ABSENCE.search(told)
    assert owed["defeater"].status.value == "exhausted_no_hit"
    assert "texts were not searched for it" in owed["defeater"].note
    if "opposition" in owed:
        assert answer.coverage.opposition is OppositionCoverage.HEURISTIC
        assert reply.coverage.opposition == common_pb2.OPPOSITION_COVERAGE_HEURISTIC
    if "opposition" in owed and not filled:
        assert owed["opposition"].status.value == "exhausted_no_hit"
        assert owed["opposition"].note == "searched by opposing, none found"
        (lane,) = [lane for lane in answer.coverage.lanes if lane.lane == "opposing"]
        assert (lane.hits, lane.note) == (0, "searched, none found")


def test_f48_no_text_of_ours_and_no_word_of_the_protocol_can_say_it() -> None:
    said: list[str] = []
    for room in ("workingset", "retrieval", "daemon/hotsetd", "clients/python/hotset"):
        for path in sorted((ROOT / room).rglob("*.py")):
            said += [f"{path.name}: {text}" for text in _strings(path) if ABSENCE.search(text)]
    assert said == []
    words = [
        *(name for enum in (*_enums(attention_pb2), *_enums(common_pb2)) for name in enum.values_by_name),
        *(field.name for each in attention_pb2.DESCRIPTOR.message_types_by_name.values() for field in each.fields),
    ]
    assert len(words) > 100
    assert [word for word in words if ABSENCE.search(word)] == []
    assert not any(word.endswith(("_NONE", "_ABSENT", "_NONE_EXISTS")) and "OPPOSI" in word for word in words)


def _enums(module: object) -> list[object]:
    return list(module.DESCRIPTOR.enum_types_by_name.values())  # type: ignore[attr-defined]


def _strings(path: Path) -> list[str]:
    """All texts of a module but its docstrings, which speak to readers of the code."""
    tree = ast.parse(path.read_text())
    spoken = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken
    ]
