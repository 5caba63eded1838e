"""After any edits, whatever the runs in between were told, edges and records are those of a rebuild.

Trees are of modules that import, call, test and override one another by a handful of names, so that most edits change
what names mean elsewhere.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from retrieval.ingest import IngestCancelled, ingest_tree
from retrieval.ingest.settings import BatchSettings, LinkSettings
from tests.ingest_room import CODE, SETTINGS, TENANT, contents, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

NAMES = ("load", "save", "Cart", "Base", "add", "total", "run_all")
PLACES = (
    "a.py",
    "b.py",
    "pkg/__init__.py",
    "pkg/c.py",
    "test_a.py",
    "tests/test_c.py",
    "g/x.go",
    "g/y.go",
    "g/x_test.go",
)
FEW = replace(
    SETTINGS, batches=BatchSettings(files=2), links=LinkSettings(definers=2, tested=1, batch_files=2, batch_edges=5)
)
EDITS = 250 if os.environ.get("HOTSET_SOAK") else 25


def python_file(chance: random.Random, testing: bool) -> str:
    lines = [
        f"from {chance.choice(('a', 'b', 'pkg.c', '.c'))} import {chance.choice(NAMES)}"
        for _ in range(chance.randint(0, 2))
    ]
    for _ in range(chance.randint(0, 3)):
        name, used = chance.choice(NAMES), chance.sample(NAMES, 2)
        if testing:
            lines += ["", "", f"def test_{name}():", f"    assert {used[0]}() == {used[1]}"]
        elif name[0].isupper():
            lines += [
                "",
                "",
                f"class {name}({used[0]}):",
                f"    def {used[1]}(self):",
                f"        return self.{used[0]}()",
            ]
        else:
            lines += ["", "", f"def {name}():", f"    return {used[0]}({used[1]})"]
    return "\n".join([*lines, f"# {chance.randint(0, 99)}", ""])


def go_file(chance: random.Random, testing: bool) -> str:
    lines = ["package g", ""]
    for name in chance.sample(NAMES, chance.randint(0, 3)):
        title = f"Test{name.title()}(t *T)" if testing else f"{name}()"
        lines += [f"func {title} {{ {chance.choice(NAMES)}() }}", ""]
    return "\n".join([*lines, f"// {chance.randint(0, 99)}", ""])


def text_for(chance: random.Random, place: str) -> str:
    make = go_file if place.endswith(".go") else python_file
    return make(chance, "test" in place)


def edit(chance: random.Random, root: Path) -> set[str]:
    """Change one thing or a few; returns the paths that changed."""
    there = [place for place in PLACES if (root / place).is_file()]
    place = chance.choice(PLACES)
    kind = chance.random()
    if kind < 0.15 and there:
        gone = chance.choice(there)
        write_tree(root, {gone: None})
        return {gone}
    if kind < 0.3 and there and place not in there:
        moved = chance.choice(there)
        write_tree(root, {place: (root / moved).read_text(), moved: None})
        return {place, moved}
    if kind < 0.5 and place in there:
        write_tree(root, {place: (root / place).read_text() + "\n"})
        return {place}
    changed = {place, *chance.sample(PLACES, chance.randint(0, 2))}
    write_tree(root, {each: text_for(chance, each) for each in sorted(changed)})
    return changed


@pytest.mark.parametrize("seed", range(4))
def test_any_edits_leave_what_a_rebuild_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    followed = MemoryStore(MemoryDisk())
    root = write_tree(tmp_path / "tree", {place: text_for(chance, place) for place in PLACES})
    take(followed, root, settings=FEW)
    pending: set[str] = set()
    for step in range(EDITS):
        pending |= edit(chance, root)
        patience = chance.choice((0, 3, 6, 9, 10_000, 10_000, 10_000))
        asked = iter([False] * patience)
        only = sorted(pending) if chance.random() < 0.7 else None
        try:
            ingest_tree(
                followed,
                TENANT,
                CODE,
                root,
                source="tree",
                settings=FEW,
                only=only,
                cancelled=partial(next, asked, True),
            )
        except IngestCancelled:
            continue
        pending.clear()
        fresh = MemoryStore(MemoryDisk())
        take(fresh, root, settings=FEW)
        assert contents(followed) == contents(fresh), f"step {step}"
