"""What others make of the same tree: BM25 over whole files, and the files that Aider's repository map names.

BM25: k1 1.2, b .75, lower-cased words, identifiers also in parts, the path counting three times, the first 200,000
characters of a file. Aider ranks by its own graph and names; its map's text is asked for at each budget with the goal
as the message, and files count in the order in which the map names them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from math import log
from pathlib import Path

from workingset.vocabulary import Tokens

_WORD = re.compile(r"[A-Za-z0-9_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_READ_CHARACTERS = 200_000
_PATH_TIMES = 3
_MOST_ASKED = 3
_K1 = 1.2
_B = 0.75
_AIDER = Path(__file__).parent / "localisation_aider.py"
_AIDER_SECONDS = 900.0
_AIDER_TAGS = ".aider.tags.cache*"


class FileBm25:
    """Whole files of one repository, counted once each as long as they do not change."""

    def __init__(self) -> None:
        self._counted: dict[bytes, Counter[str]] = {}

    def best(self, root: Path, paths: Iterable[str], goal: str, limit: int) -> tuple[str, ...]:
        """The best files for the goal, score falling, then path."""
        counts = {path: self._count(root / path, path) for path in sorted(paths)}
        lengths = {path: count.total() for path, count in counts.items()}
        mean = sum(lengths.values()) / max(1, len(lengths))
        scores: dict[str, float] = defaultdict(float)
        for word, asked in Counter(words(goal)).items():
            holding = [(path, count[word]) for path, count in counts.items() if word in count]
            rarity = log(1 + (len(counts) - len(holding) + 0.5) / (len(holding) + 0.5))
            for path, times in holding:
                share = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * lengths[path] / mean))
                scores[path] += min(asked, _MOST_ASKED) * rarity * share
        return tuple(sorted(scores, key=lambda path: (-scores[path], path))[:limit])

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


class AiderFailed(Exception):
    """Aider's own environment did not answer; the message says what it printed."""


def aider_maps(
    python: Path, root: Path, kept: Path, goal: str, budgets: Sequence[Tokens], paths: Iterable[str]
) -> Mapping[Tokens, tuple[str, ...]]:
    """The files that Aider's map names for the goal, in order, at each budget; raises AiderFailed.

    Aider's own cache of tags stands in the tree while it runs and is put into `kept` afterwards.
    """
    for folder in kept.glob(_AIDER_TAGS):
        folder.rename(root / folder.name)
    try:
        return _maps(python, root, goal, budgets, frozenset(paths))
    finally:
        kept.mkdir(parents=True, exist_ok=True)
        for folder in root.glob(_AIDER_TAGS):
            folder.rename(kept / folder.name)


def _maps(
    python: Path, root: Path, goal: str, budgets: Sequence[Tokens], known: frozenset[str]
) -> Mapping[Tokens, tuple[str, ...]]:
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
    maps: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return {budget: named_files(maps[str(budget)], known) for budget in budgets}


def named_files(text: str, known: frozenset[str]) -> tuple[str, ...]:
    """The files named in a map, in order, each once: a line that is a path, with or without a colon."""
    lines = (line.strip().removesuffix(":") for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line in known))
