"""Run by Aider's own Python, not by ours: prints its repository map for a goal at several budgets, as JSON.

Reads `{"root", "goal", "budgets"}` and prints one line `{budget: map}`. Imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Read, map, print."""
    asked = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        maps = maps_of(asked)
    print(json.dumps(maps))


def maps_of(asked: dict[str, Any]) -> dict[str, str]:
    """The maps by budget. The words of the goal are mentions, as Aider's own chat makes them."""
    repomap: Any = importlib.import_module("aider.repomap")
    models: Any = importlib.import_module("aider.models")
    io: Any = importlib.import_module("aider.io")
    root = Path(asked["root"])
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=True)
    files = [str(root / path) for path in listed.stdout.split("\0") if path]
    words = {word.strip("`'\"()[]{},.:;!?") for word in asked["goal"].split()}
    names = {Path(file).name for file in files}
    mentioned = {str(Path(file).relative_to(root)) for file in files if Path(file).name in words & names}
    maps: dict[str, str] = {}
    for budget in asked["budgets"]:
        made = repomap.RepoMap(
            map_tokens=budget,
            root=str(root),
            main_model=models.Model("gpt-4o"),
            io=io.InputOutput(yes=True, pretty=False),
            map_mul_no_files=1,
            refresh="always",
        )
        maps[str(budget)] = made.get_repo_map([], files, mentioned, words) or ""
    return maps


if __name__ == "__main__":
    main()
