"""What others make of the same tree: BM25 over whole files, Aider's ranking of files, and its repository map.

BM25: lower-cased words, identifiers also in parts, the path counting three times, the first 200,000 characters of a
file. Aider ranks tags by its own graph and the names in the goal; its map shows as many of them as the budget holds, by
path.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from benchmarks.plain_bm25 import PlainBm25
from workingset.vocabulary import Tokens

_WORD = re.compile(r"[A-Za-z0-9_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_READ_CHARACTERS = 200_000
_PATH_TIMES = 3
_AIDER = Path(__file__).parent / "localisation_aider.py"
_AIDER_SECONDS = 900.0
_AIDER_TAGS = ".aider.tags.cache*"


class FileBm25:
    """Whole files of one repository, counted once each as long as they do not change."""

    def __init__(self) -> None:
        self._counted: dict[bytes, Counter[str]] = {}

    def best(self, root: Path, paths: Iterable[str], goal: str, limit: int) -> tuple[str, ...]:
        """The best files for the goal, score falling, then path."""
        return PlainBm25({path: self._count(root / path, path) for path in sorted(paths)}).best(words(goal), limit)

    def _count(self, file: Path, path: str) -> Counter[str]:
        try:
            content = file.read_bytes()
        except OSError:
            content = b""
        key = sha256(content).digest()
        if key not in self._counted:
            text = content.decode("utf-8", "replace")[:_READ_CHARACTERS]
            self._counted[key] = Counter(words(text))
        whole = Counter(self._counted[key])
        for word in words(path):
            whole[word] += _PATH_TIMES
        return whole


def words(text: str) -> list[str]:
    """Words in lower case, and the parts of those that are made of several."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.append(word.lower())
        if "_" in word or not word.islower():
            parts = [part.lower() for part in _PART.findall(word)]
            found += parts if len(parts) > 1 else []
    return found


@dataclass(frozen=True, slots=True)
class AiderAnswer:
    """Files of the tree in the order in which Aider ranks them for the goal, and those that its map names by budget."""

    ranked: tuple[str, ...]
    maps: tuple[tuple[Tokens, tuple[str, ...]], ...]

    def within(self, budget: Tokens) -> tuple[str, ...]:
        """The files in the map of one budget."""
        return dict(self.maps).get(budget, ())


class AiderFailed(Exception):
    """Aider's own environment did not answer; the message says what it printed."""


def ask_aider(
    python: Path, root: Path, kept: Path, goal: str, budgets: Sequence[Tokens], paths: Iterable[str]
) -> AiderAnswer:
    """What Aider says of the tree for the goal; raises AiderFailed.

    Aider's own cache of tags stands in the tree while it runs and is put into `kept` afterwards.
    """
    for folder in kept.glob(_AIDER_TAGS):
        folder.rename(root / folder.name)
    try:
        return _answer(python, root, goal, budgets, frozenset(paths))
    finally:
        kept.mkdir(parents=True, exist_ok=True)
        for folder in root.glob(_AIDER_TAGS):
            folder.rename(kept / folder.name)


def _answer(python: Path, root: Path, goal: str, budgets: Sequence[Tokens], known: frozenset[str]) -> AiderAnswer:
    given = json.dumps({"root": str(root), "goal": goal, "budgets": list(budgets)})
    try:
        done = subprocess.run(
            [str(python), str(_AIDER)],
            input=given,
            capture_output=True,
            text=True,
            timeout=_AIDER_SECONDS,
            check=False,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AiderFailed(str(error)) from error
    if done.returncode:
        raise AiderFailed(done.stderr.strip()[-500:])
    said = json.loads(done.stdout.splitlines()[-1])
    ranked = tuple(path for path in dict.fromkeys(said["ranked"]) if path in known)
    return AiderAnswer(ranked, tuple((budget, named_files(said["maps"][str(budget)], known)) for budget in budgets))


def named_files(text: str, known: frozenset[str]) -> tuple[str, ...]:
    """The files named in a map, each once: a line that is a path, with or without a colon."""
    lines = (line.strip().removesuffix(":") for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line in known))
