"""The import contracts hold, and each of them fails on a planted violation."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNNER = """
import sys
sys.path[:0] = sys.argv[1].split(":")  # before the editable installation, which leads back to the real tree
from importlinter.cli import lint_imports_command
lint_imports_command(["--no-cache"])
"""

VIOLATIONS = {
    "the core imports nothing of ours": ("workingset/heat.py", "import retrieval.record"),
    "the core reads no clock, file, chance or wire": ("workingset/heat.py", "import random"),
    "retrieval knows of the core only its vocabulary and candidates": (
        "retrieval/fusion.py",
        "import workingset.packing",
    ),
    "wire types appear in hotsetd.wire, the services and the process shell only": (
        "daemon/hotsetd/turns.py",
        "import hotset.v1.attention_pb2",
    ),
    "the client imports nothing of ours but its generated code": ("clients/python/hotset/address.py", "import hotsetd"),
    "only the LMDB engine knows lmdb": ("retrieval/lanes/exact.py", "import lmdb"),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("tree")
    for folder in ("workingset", "retrieval", "daemon", "clients"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def _lint(tree: Path) -> subprocess.CompletedProcess[str]:
    path = ":".join(str(tree / part) for part in (".", "daemon", "clients/python"))
    return subprocess.run(
        [sys.executable, "-c", RUNNER, path], cwd=tree, capture_output=True, text=True, timeout=120, check=False
    )


def test_every_contract_has_a_planted_violation(tree: Path) -> None:
    kept = _lint(tree)

    assert kept.returncode == 0, kept.stdout + kept.stderr
    for contract in VIOLATIONS:
        assert f"{contract} KEPT" in " ".join(kept.stdout.split())
    assert kept.stdout.count("KEPT") == len(VIOLATIONS)


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_planted_violation_breaks_its_contract(tree: Path, contract: str) -> None:
    file, line = VIOLATIONS[contract]
    path = tree / file
    before = path.read_text()
    path.write_text(
        before.replace("from __future__ import annotations\n", f"from __future__ import annotations\n{line}\n", 1)
    )
    try:
        broken = _lint(tree)
    finally:
        path.write_text(before)

    assert broken.returncode != 0
    assert f"{contract} BROKEN" in " ".join(broken.stdout.split())
