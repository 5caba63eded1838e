"""Run by Aider's own Python, not by ours: times the first repository-map scan of a tree, tags of all its files.

Reads `{"root", "paths"}` and prints `{"seconds", "cpu_seconds", "files", "tags"}`. Its cache is kept apart from the
tree and is empty at the start. Imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import tempfile
import time
from typing import Any


class _Words:
    """What Aider asks a model for while it scans."""

    def token_count(self, text: str) -> int:
        """Four characters a token."""
        return len(text) // 4


def main() -> None:
    """Read, scan, print."""
    asked = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr), tempfile.TemporaryDirectory(prefix="aider-tags-") as cache:
        told = scan(asked["root"], asked["paths"], cache)
    print(json.dumps(told))


def scan(root: str, paths: list[str], cache: str) -> dict[str, float]:
    """Read the tags of all files as Aider's first map of a repository does."""
    repomap: Any = importlib.import_module("aider.repomap")
    io: Any = importlib.import_module("aider.io")
    repomap.RepoMap.TAGS_CACHE_DIR = os.path.join(cache, "tags")
    os.chdir(root)
    began, cpu = time.perf_counter(), time.process_time()
    made = repomap.RepoMap(map_tokens=1024, root=root, main_model=_Words(), io=io.InputOutput(yes=True, pretty=False))
    tags = sum(len(made.get_tags(os.path.join(root, path), path)) for path in paths)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "files": len(paths), "tags": tags}


if __name__ == "__main__":
    main()
