"""The generated code is what protoc makes of protos/ today, and the protos lint."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "clients" / "python" / "hotset" / "v1"


def test_generated_code_is_fresh(tmp_path: Path) -> None:
    protos = sorted(str(path) for path in (ROOT / "protos").rglob("*.proto"))
    outs = [f"--{kind}_out={tmp_path}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(ROOT / "protos"), *outs, *protos]
    subprocess.run(command, check=True, capture_output=True, env=environment, timeout=120)

    made = {path.name: path.read_text() for path in (tmp_path / "hotset" / "v1").iterdir()}
    kept = {path.name: path.read_text() for path in GENERATED.glob("*_pb2*")}
    assert made.keys() == kept.keys(), "run `make protos`"
    stale = sorted(name for name, text in made.items() if kept[name] != text)
    assert not stale, f"run `make protos`: {stale} differ"


def test_every_enum_begins_with_unspecified() -> None:
    for path in (ROOT / "protos").rglob("*.proto"):
        lines = path.read_text().splitlines()
        for at, line in enumerate(lines):
            if line.startswith("enum "):
                assert lines[at + 1].strip().endswith("_UNSPECIFIED = 0;"), f"{path.name}: {line}"
