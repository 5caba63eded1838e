"""What the README tells a newcomer to type works as it stands there."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rpc.real_daemon import RealDaemon

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("src") / "shop"
    (folder / "src").mkdir(parents=True)
    lines = [f"    step_{i} = order.part({i})" for i in range(60)]
    body = "\n".join(["def issue_refund(order):", '    """Pay an order back when the provider times out."""', *lines])
    (folder / "src" / "refunds.py").write_text(body + "\n    return step_1\n")
    (folder / "notes.md").write_text("# Refunds\nRefunds are issued once.\n")
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    daemon = RealDaemon(tmp_path_factory.mktemp("readme") / "home")
    daemon.start()
    yield {**os.environ, "HOTSET_HOME": str(daemon.home), "PATH": f"{BIN}:{os.environ['PATH']}", "NO_COLOR": "1"}
    daemon.stop()


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_commands_work_in_order(shop: Path, environment: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("") if block.startswith("hotset ingest")]
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]

    assert len(commands) == 6
    for command in commands:
        words = [word.replace("~/src/shop", str(shop)) for word in command]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        assert done.stdout.strip(), words
        assert "unmatched" not in done.stdout.lower(), done.stdout


def test_a_tree_is_followed_listed_and_let_go(shop: Path, environment: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("") if block.startswith("hotset source")]

    for command in [shlex.split(line, comments=True) for line in block.splitlines()]:
        words = [word.replace("~/src/shop", str(shop)) for word in command]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        assert done.stdout.strip(), words
        assert "degraded" not in done.stdout


def test_a_call_says_what_it_is_owed(shop: Path, environment: dict[str, str]) -> None:
    assert shop.is_dir()
    (block,) = [block for block in _blocks("") if "--profile" in block]
    done = subprocess.run(
        [*shlex.split(block), "--json"], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    coverage = json.loads(done.stdout)["coverage"]
    assert coverage["profile"].startswith("contested_claims-")
    assert "opposition" in {owed["kind"] for owed in coverage["obligations"]}


def test_an_answer_is_looked_into_afterwards(shop: Path, environment: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("") if block.startswith("hotset explain")]
    for line in ["hotset focus refunds --agent default", *block.splitlines()]:
        done = subprocess.run(
            shlex.split(line, comments=True), env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        assert done.stdout.strip(), line


def test_what_a_host_does_beside_turns_works_in_order(shop: Path, environment: dict[str, str]) -> None:
    (block,) = [block for block in _blocks("") if "hotset observe" in block]
    (shop / "call.json").write_text('{"file_path": "src/refunds.py", "offset": 3, "limit": 20}')

    for command in [shlex.split(line, comments=True) for line in block.splitlines()]:
        words = [*command, "--yes"] if "forget" in command else command
        done = subprocess.run(
            words, env=environment, cwd=shop, capture_output=True, text=True, timeout=120, check=False
        )
        if "undo" in command and done.returncode:
            # The turns before it were about one subject: there was no refocus to take back.
            assert "no refocus to take back" in done.stderr
            continue
        assert done.returncode == 0, (words, done.stdout, done.stderr)


def test_the_python_snippet_runs(shop: Path, environment: dict[str, str]) -> None:
    (snippet,) = _blocks("python")
    ingest = [str(BIN / "hotset"), "ingest", str(shop)]
    subprocess.run(ingest, env=environment, capture_output=True, timeout=120, check=True)

    done = subprocess.run(
        [sys.executable, "-c", snippet], env=environment, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "refund" in done.stdout.lower()
    assert "gathering" in done.stdout.lower()


def test_the_clients_example_of_putting_knowledge_in_runs(shop: Path, environment: dict[str, str]) -> None:
    text = (ROOT / "clients" / "python" / "README.md").read_text()
    (snippet,) = [b for b in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if "ingest_conversation" in b]

    done = subprocess.run(
        [sys.executable, "-c", snippet], env=environment, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "The refund job ran twice" in done.stdout


def test_the_daemon_is_stopped_as_the_readme_says(tmp_path: Path) -> None:
    (block,) = [block for block in _blocks("") if block.startswith("hotset stop")]
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    environment = {**os.environ, "HOTSET_HOME": str(daemon.home), "PATH": f"{BIN}:{os.environ['PATH']}"}

    (line,) = block.splitlines()
    words = shlex.split(line, comments=True)
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 0, done.stderr
    assert daemon.stop() == 0, "it ended by itself, in order"


def test_every_make_target_named_anywhere_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = {
        target
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        for target in re.findall(r"(?:`|^)make ([a-z-]+)", path.read_text(), flags=re.MULTILINE)
    }
    assert {"demo", "test", "check"} <= named
    assert named - {"sure", "it"} <= targets
