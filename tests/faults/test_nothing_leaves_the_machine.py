"""The embedding library reports usage by itself unless it is kept from it: it must leave neither a trace nor a call."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EMBED = """
import os, sys
from retrieval.text.embedding import MiniLmEmbedder
MiniLmEmbedder().embed(["the lease expires"])
print(len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1)
"""


def test_embedding_writes_nothing_into_the_users_folders(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", EMBED], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("*")) == []


def test_only_one_module_loads_the_library() -> None:
    loads = re.compile(r"^\s*(?:import onnxruntime|from onnxruntime)|import_module\(.onnxruntime", re.MULTILINE)
    sources = [file for room in ("retrieval", "daemon", "benchmarks") for file in (ROOT / room).rglob("*.py")]
    assert [file.name for file in sources if loads.search(file.read_text())] == ["onnx_library.py"]
