"""The core is pure: it reads no clock, no file, no chance and no wire, and equal inputs give equal bytes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "workingset").rglob("*.py"))
IMPURE = frozenset(
    {
        "asyncio",
        "datetime",
        "google",
        "grpc",
        "hotset",
        "hotsetd",
        "io",
        "lmdb",
        "multiprocessing",
        "numpy",
        "os",
        "pathlib",
        "random",
        "retrieval",
        "secrets",
        "socket",
        "subprocess",
        "tantivy",
        "tempfile",
        "threading",
        "time",
        "usearch",
        "uuid",
    }
)
LIFE = """
import hashlib
from tests.core_scenes import Agent, Corpus, record, ref
from workingset.receipt import canonical

names = [f"r{i}" for i in range(40)]
corpus = Corpus.of(
    *(record(n, 0.97 * 0.94**i, lines=3 + i % 17, requires=names[i + 7 : i + 9]) for i, n in enumerate(names)),
    *(record(f"same{i}", 0.5, lines=4, origin="wire" if i % 3 else "") for i in range(9)),
)
agent = Agent(corpus, budget=2_000)
agent.pin("r3")
agent.pin(text="never log card numbers")
digest = hashlib.sha256()
for turn in range(6):
    weights = None if turn % 2 else {ref(n): 0.9 - i / 50 for i, n in enumerate(names[20:])}
    outcome = agent.focus(f"refund {turn} of the nightly export", weights)
    agent.touch(f"r{turn}", f"r{turn + 20}")
    agent.evict(next(e.ref.partition(":")[2] for e in agent.state.entries if e.tier.value == "resident"))
    digest.update(canonical(outcome.receipt))
    digest.update(repr((outcome, agent.state)).encode())
print(digest.hexdigest())
"""


def imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where things come from"
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_no_module_of_the_core_imports_what_is_impure(path: Path) -> None:
    names = imported(ast.parse(path.read_text("utf-8")))
    assert not {name for name in names if name.split(".")[0] in IMPURE}


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_no_module_of_the_core_asks_for_its_surroundings(path: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"open", "input", "print", "eval", "exec", "__import__", "hash", "id", "globals"}


def test_an_impure_import_would_be_seen() -> None:
    assert imported(ast.parse("def f():\n    from os import path\n    import time as t")) == {"os", "time"}


def test_equal_lives_give_equal_bytes_whatever_the_hash_seed() -> None:
    lives = [
        subprocess.Popen(
            [sys.executable, "-c", LIFE],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        )
        for seed in ("0", "1", "4242")
    ]
    digests = {life.communicate()[0] for life in lives}
    assert [life.returncode for life in lives] == [0, 0, 0]
    assert len(digests) == 1
    assert len(digests.pop()) == 65
