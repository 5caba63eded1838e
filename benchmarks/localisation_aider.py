"""Run by Aider's own Python, not by ours: prints what Aider ranks first for a goal, and its map at several budgets.

Reads `{"root", "goal", "budgets"}` and prints one line `{"ranked": [path], "maps": {budget: text}}`. Imports nothing of
ours.
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
    """Read, ask, print."""
    asked = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        answer = answer_of(asked)
    print(json.dumps(answer))


def answer_of(asked: dict[str, Any]) -> dict[str, Any]:
    """Ranked files and maps. The words of the goal are mentions, as Aider's own chat makes them."""
    repomap: Any = importlib.import_module("aider.repomap")
    models: Any = importlib.import_module("aider.models")
    io: Any = importlib.import_module("aider.io")
    root = Path(asked["root"])
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=True)
    files = [str(root / path) for path in listed.stdout.split("\0") if path]
    words = {word.strip("`'\"()[]{},.:;!?") for word in asked["goal"].split()}
    names = {Path(file).name for file in files}
    mentioned = {str(Path(file).relative_to(root)) for file in files if Path(file).name in words & names}

    def made(budget: int) -> Any:
        return repomap.RepoMap(
            map_tokens=budget,
            root=str(root),
            main_model=models.Model("gpt-4o"),
            io=io.InputOutput(yes=True, pretty=False),
            map_mul_no_files=1,
            refresh="always",
        )

    maps = {str(budget): made(budget).get_repo_map([], files, mentioned, words) or "" for budget in asked["budgets"]}
    tags = made(asked["budgets"][0]).get_ranked_tags([], files, mentioned, words)
    return {"ranked": list(dict.fromkeys(tag[0] for tag in tags)), "maps": maps}


if __name__ == "__main__":
    main()
