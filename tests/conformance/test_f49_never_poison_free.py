"""F49: poison detector clean / report / degraded or resource_limited, never poison_free."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path
from pkgutil import walk_packages

import pytest

import hotset
import hotsetd
import retrieval
import workingset
from hotset.v1 import attention_pb2, common_pb2, corpus_pb2, operator_pb2
from hotsetd.wire.common import Versions
from hotsetd.wire.focus import FocusWire
from retrieval.errors import IndexUnavailable
from tests.contract.hashing_embedder import HashingEmbedder
from tests.daemon_room import note, opened
from workingset.receipt import canonical
from workingset.settings import HeatSettings
from workingset.vocabulary import Robustness, Tokens

CLAIM = "the harvest fell by a tenth"
ASSURANCE = re.compile(
    r"poison|malicious|trustworth|\btrusted\b|tamper|\bsafe_|_safe\b|\bclean_(corpus|check|text)|sanitized|"
    r"\battack_free|\bguaranteed\b|\bproven_safe|_free\b",
    re.IGNORECASE,
)
"""Words of a flag that would say that nothing was planted."""
WIRE = FocusWire(
    Versions("o200k", "hash", "", "default-1"),
    HeatSettings(),
    estimated=False,
    ghosts_listed=5,
    default_budget=Tokens(4_000),
)


def clean_corpus() -> list[object]:
    """Three sources of their own that agree, and nothing that speaks against them."""
    return [note(f"paper{i}", f"{CLAIM}, paper {i} reports from the fields", origin=f"press{i}") for i in range(3)]


def report(path: Path) -> tuple[Robustness, int, str]:
    """The axis, its number on the wire, and every word of the answer."""
    with opened(path) as room:
        room.records(clean_corpus())  # type: ignore[arg-type]
        answer = room.focus(CLAIM, profile="adversarial_corpus")
    reply = WIRE.focus(answer, delta_only=False, replayed=False)
    words = f"{reply}\n{canonical(answer.outcome.receipt).decode()}"
    owed = {one.kind.value: one for one in answer.coverage.obligations}
    assert owed["independent_origin"].status.value == "satisfied"
    return answer.coverage.robustness, reply.coverage.robustness, words


def test_f49_the_most_that_a_clean_check_says_is_resource_limited(tmp_path: Path) -> None:
    found, number, words = report(tmp_path)
    assert found is Robustness.RESOURCE_LIMITED
    assert number == attention_pb2.ROBUSTNESS_RESOURCE_LIMITED
    assert not ASSURANCE.search(words)


def test_f49_a_check_with_a_back_end_down_is_degraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(self: object, texts: object) -> list[tuple[float, ...]]:
        del self, texts
        raise IndexUnavailable("the model cannot be loaded")

    monkeypatch.setattr(HashingEmbedder, "embed", down)
    monkeypatch.setattr("tests.daemon_room.Room.catch_up", lambda room: room.parts.follower.advance_lexical(10_000))
    found, number, words = report(tmp_path)
    assert found is Robustness.DEGRADED
    assert number == attention_pb2.ROBUSTNESS_DEGRADED
    assert not ASSURANCE.search(words)


def test_f49_other_profiles_do_not_claim_to_have_checked(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records(clean_corpus())  # type: ignore[arg-type]
        for profile in ("default", "current_facts", "contested_claims"):
            assert room.focus(CLAIM, profile=profile).coverage.robustness is Robustness.NOT_REQUESTED


def test_f49_there_is_no_such_flag_anywhere() -> None:
    words = {*_protocol_words(), *_python_words()}
    assert {
        "ROBUSTNESS_RESOURCE_LIMITED",
        "Robustness.RESOURCE_LIMITED=resource_limited",
        "Coverage.robustness",
    } <= words
    assert sorted(word for word in words if ASSURANCE.search(word)) == []


def _protocol_words() -> set[str]:
    found: set[str] = set()
    for module in (attention_pb2, common_pb2, corpus_pb2, operator_pb2):
        found.update(name for enum in module.DESCRIPTOR.enum_types_by_name.values() for name in enum.values_by_name)
        for message in module.DESCRIPTOR.message_types_by_name.values():
            found.update(f"{message.name}.{field.name}" for field in message.fields)
    return found


def _python_words() -> set[str]:
    """Names of all fields and members, with values, of our dataclasses and enumerations."""
    found: set[str] = set()
    for package in (workingset, retrieval, hotsetd, hotset):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.rpartition(".")[2] == "__main__" or module.name.startswith("hotset.v1."):
                continue
            for _, kind in getmembers(import_module(module.name), isclass):
                if not kind.__module__.startswith(package.__name__):
                    continue
                if issubclass(kind, Enum):
                    found.update(f"{kind.__name__}.{one.name}={one.value}" for one in kind)
                elif is_dataclass(kind):
                    found.update(f"{kind.__name__}.{field.name}" for field in fields(kind))
    return found
