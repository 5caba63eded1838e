"""How soon is an edit of a followed tree found, and how soon is the tree current after a restart?

Follows a git work tree of `--files` generated Python files through a real daemon. `--edits` times a file is saved with
a new word and Focus is asked for it at once; the time runs from before the save until an answer holds the word. Then
the daemon is stopped, ten files are edited, and the time runs from the start of the process until the source says it
is current. A branch switch that touches `--switched` files comes last. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.daemon import Daemon, running
from benchmarks.results import result_line
from hotset import HotsetClient, Source, SourceState

NAMESPACE = "followed"
EDITED_WHILE_DOWN = 10
_LOOK_SECONDS = 0.01
_LONGEST_SECONDS = 3_600.0


def main() -> None:
    """Follow, edit, restart, switch; print."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder, running(Path(folder)) as daemon:
        if not options.embed:
            (daemon.home / "hotsetd.toml").write_text("[jobs]\nembed_in_background = false\n")
            daemon.stop()
            daemon.start()
        root = Path(folder) / "tree"
        _make(root, options.files, options.switched)
        first = _follow(daemon, root)
        print(f"load {os.getloadavg()[0]:.1f}; {options.files:,} files read and indexed in {first:.1f} s")
        _edits(daemon, root, options.edits)
        _restart(daemon, root)
        _switch(daemon, root, options.switched)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--switched", type=int, default=200)
    parser.add_argument("--embed", action="store_true", help="let embeddings fill in behind meanwhile")
    return parser.parse_args()


def _text(number: int, word: str = "plain") -> str:
    """A module of five functions that call one another; `word` stands in one doc."""
    functions = [
        f'def step_{number}_{part}(order, amount):\n    """Does part {part} of step {number}: {word}."""\n'
        + "".join(f"    total_{line} = amount * {line} + order.part_{line}\n" for line in range(8))
        + (f"    return step_{number}_{part - 1}(order, total_7)\n" if part else "    return total_7\n")
        for part in range(5)
    ]
    return f"import json\n\nSTEP = {number}\n\n\n" + "\n\n".join(functions)


def _file(root: Path, number: int) -> Path:
    return root / f"package_{number // 100:02}" / f"module_{number:04}.py"


def _make(root: Path, files: int, switched: int) -> None:
    for number in range(files):
        file = _file(root, number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(number))
    _git(root, "init", "--quiet")
    _git(root, "add", ".")
    _git(root, "commit", "--quiet", "--message", "one")
    _git(root, "switch", "--quiet", "--create", "other")
    for number in range(files - switched, files):
        _file(root, number).write_text(_text(number, "switchedwords"))
    _git(root, "commit", "--quiet", "--all", "--message", "two")
    _git(root, "switch", "--quiet", "-")


def _git(root: Path, *arguments: str) -> None:
    name = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    subprocess.run(["git", *name, *arguments], cwd=root, check=True, capture_output=True)


def _follow(daemon: Daemon, root: Path) -> float:
    with HotsetClient(daemon.address, agent="bench") as client:
        began = time.perf_counter()
        client.add_source(NAMESPACE, root)
        source = _current(client)
        client.focus("ready", namespaces=[NAMESPACE], at_least_generation=source.generation, timeout_seconds=600)
        return time.perf_counter() - began


def _current(client: HotsetClient) -> Source:
    deadline = time.monotonic() + _LONGEST_SECONDS
    while time.monotonic() < deadline:
        (source,) = client.list_sources(NAMESPACE).sources
        if source.state is SourceState.CURRENT and not source.pending:
            return source
        time.sleep(_LOOK_SECONDS)
    raise SystemExit("the source did not become current")


def _edits(daemon: Daemon, root: Path, edits: int) -> None:
    found: list[float] = []
    at_once = 0
    with HotsetClient(daemon.address, agent="bench") as client:
        for number in range(edits):
            word = f"quokka{number:04}"
            began = time.perf_counter()
            _file(root, 7 * number).write_text(_text(7 * number, word))
            asked = _ask_until_found(client, word)
            found.append(1e3 * (time.perf_counter() - began))
            at_once += asked == 1
        still = [_timed_focus(client, f"quokka{number:04}") for number in range(0, edits, 5)]
    p50, p99 = np.percentile(found, [50, 99])
    quiet = float(np.median(still))
    print(f"edit to found: p50 {p50:.0f} ms, p99 {p99:.0f} ms; {at_once} of {edits} by the next Focus")
    print(f"a Focus with no edit before it: p50 {quiet:.0f} ms")
    values = {"edits": edits, "p50_ms": p50, "p99_ms": p99, "next_focus": at_once, "quiet_p50_ms": quiet}
    print(result_line("watch", {"operation": "edit", **values}))


def _ask_until_found(client: HotsetClient, word: str) -> int:
    """How many times Focus had to be asked until its block held the word."""
    asked, deadline = 1, time.monotonic() + _LONGEST_SECONDS
    while word not in client.focus(f"who does {word}", namespaces=[NAMESPACE]).block:
        if time.monotonic() > deadline:
            raise SystemExit(f"{word!r} was not found within {_LONGEST_SECONDS:g} s, though its file has it")
        asked += 1
    return asked


def _timed_focus(client: HotsetClient, word: str) -> float:
    began = time.perf_counter()
    client.focus(f"who does {word}", namespaces=[NAMESPACE])
    return 1e3 * (time.perf_counter() - began)


def _restart(daemon: Daemon, root: Path) -> None:
    daemon.stop()
    for number in range(EDITED_WHILE_DOWN):
        _file(root, 11 * number + 1).write_text(_text(11 * number + 1, f"axolotl{number}"))
    began = time.perf_counter()
    daemon.start()
    serving = time.perf_counter() - began
    with HotsetClient(daemon.address, agent="bench") as client:
        _current(client)
        current = time.perf_counter() - began
        _ask_until_found(client, "axolotl3")
        found = time.perf_counter() - began
    print(f"restart: serves after {serving:.2f} s, current {current - serving:.2f} s later, found after {found:.2f} s")
    values = {"serving_seconds": serving, "current_seconds": current - serving, "found_seconds": found}
    print(result_line("watch", {"operation": "restart", "edits": EDITED_WHILE_DOWN, **values}))


def _switch(daemon: Daemon, root: Path, switched: int) -> None:
    _git(root, "stash", "--quiet")
    with HotsetClient(daemon.address, agent="bench") as client:
        before = _current(client).generation
        began = time.perf_counter()
        _git(root, "switch", "--quiet", "other")
        switching = time.perf_counter() - began
        _ask_until_found(client, "switchedwords")
        found = time.perf_counter() - began
        after = _current(client).generation
        whole = time.perf_counter() - began
    print(
        f"branch switch of {switched} files: git {switching:.2f} s, found after {found:.2f} s, all in by {whole:.2f} s"
    )
    values = {"files": switched, "git_seconds": switching, "found_seconds": found, "whole_seconds": whole}
    print(result_line("watch", {"operation": "switch", **values, "generations": after - before}))


if __name__ == "__main__":
    main()
