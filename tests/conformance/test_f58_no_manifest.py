"""F58: no manifest, or `architecture_bias` off / focus / byte-identical response, summary absent."""

from __future__ import annotations

from pathlib import Path

from hotsetd.config import JobSettings, Settings
from hotsetd.wire.common import Versions
from hotsetd.wire.focus import FocusWire
from retrieval.architecture.bias import ArchitectureSettings
from retrieval.settings import RetrievalSettings
from tests.daemon_room import opened
from tests.unit.test_projection_architecture import FILES, GOAL, MANIFEST
from workingset.settings import HeatSettings
from workingset.vocabulary import Tokens

WIRE = FocusWire(
    Versions("o200k", "hash", "", "default-1"),
    HeatSettings(),
    estimated=False,
    ghosts_listed=5,
    default_budget=Tokens(4_000),
)


def reply(path: Path, files: dict[str, str], *, enabled: bool) -> tuple[bytes, object]:
    retrieval = RetrievalSettings(architecture=ArchitectureSettings(enabled=enabled))
    with opened(path, Settings(retrieval=retrieval, jobs=JobSettings(settle_seconds=0.0))) as room:
        room.documents(files)
        answer = room.focus(GOAL)
        message = WIRE.focus(answer, delta_only=False, replayed=False)
        message.ClearField("steps")
        return message.SerializeToString(deterministic=True), answer.coverage.architecture


def test_f58_without_a_manifest_or_switched_off_nothing_differs(tmp_path: Path) -> None:
    on, none = reply(tmp_path / "on", FILES, enabled=True)
    off, absent = reply(tmp_path / "off", FILES, enabled=False)
    assert on == off
    assert none is absent is None

    ignored, unsaid = reply(tmp_path / "ignored", {**FILES, "hotset.architecture.toml": MANIFEST}, enabled=False)
    heeded, said = reply(tmp_path / "heeded", {**FILES, "hotset.architecture.toml": MANIFEST}, enabled=True)
    assert unsaid is None
    assert said is not None
    assert ignored != heeded
