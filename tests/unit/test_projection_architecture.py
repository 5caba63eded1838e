"""Manifests in a projection: judged at the cut, a nudge between near ties, and an error that is shown."""

from __future__ import annotations

from pathlib import Path

from hotsetd.config import JobSettings, Settings
from retrieval.architecture.bias import ArchitectureSettings
from retrieval.settings import RetrievalSettings
from tests.daemon_room import Room, opened

MANIFEST = 'version = 1\n\n[[layer_order]]\nlayers = ["shell/**", "core/**"]\n'
FILES = {
    "core/lease.py": '"""Lease."""\n\nimport shell.server\n\n\ndef lease_ends(turn):\n    return turn + 9\n',
    "core/pure.py": '"""Pure."""\n\n\ndef lease_holds(turn):\n    return turn < 9\n',
    "shell/server.py": '"""Server."""\n\nimport core.pure\n\n\ndef serve_lease(turn):\n    return turn\n',
    "tools/run.py": '"""Run."""\n\n\ndef run_lease(turn):\n    return turn\n',
}
GOAL = "lease turn"


def verdicts(room: Room) -> dict[str, int]:
    found = room.focus(GOAL).coverage.architecture
    assert found is not None
    return dict(found.counts)


def test_files_are_judged_by_what_they_import(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents({**FILES, "hotset.architecture.toml": MANIFEST})
        found = room.focus(GOAL).coverage.architecture

    assert found is not None
    assert {name for name, _ in found.counts} >= {"erosion", "bedrock", "overgrowth"}
    assert any("core/** may not import shell/**" in because for _, because in found.eroded)
    assert found.errors == ()


def test_a_malformed_manifest_is_shown_and_nothing_is_judged(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents({**FILES, "hotset.architecture.toml": "version = 1\n[[forbid]]\nfrom = 'a'\n"})
        found = room.focus(GOAL).coverage.architecture

    assert found is not None
    assert found.counts == ()
    assert "missing required field `to`" in found.errors[0]


def test_a_manifest_that_is_mended_counts_at_the_next_turn(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.documents({**FILES, "hotset.architecture.toml": MANIFEST})
        assert verdicts(room)["erosion"]
        room.documents({**FILES, "core/lease.py": FILES["core/lease.py"].replace("import shell.server\n\n\n", ""),
                        "hotset.architecture.toml": MANIFEST})  # fmt: skip
        assert "erosion" not in verdicts(room)


def test_what_must_be_there_and_is_not_is_named(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        required = '\n[[require_exists]]\npath = "docs/adr/*.md"\n'
        room.documents({**FILES, "hotset.architecture.toml": MANIFEST + required})
        found = room.focus(GOAL).coverage.architecture
    assert found is not None
    assert found.missing == ("shop: docs/adr/*.md",)


def test_switched_off_it_says_nothing(tmp_path: Path) -> None:
    retrieval = RetrievalSettings(architecture=ArchitectureSettings(enabled=False))
    with opened(tmp_path, Settings(retrieval=retrieval, jobs=JobSettings(settle_seconds=0.0))) as room:
        room.documents({**FILES, "hotset.architecture.toml": MANIFEST})
        assert room.focus(GOAL).coverage.architecture is None
