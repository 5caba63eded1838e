"""Background embedding that is killed in the middle goes on where it was: what was committed is not embedded again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.hashing_embedder import HashingEmbedder
from tests.contract.indexes_room import NAMESPACE, TENANT, open_room, record

TEXTS = 60
LOST_AT_MOST = 2
"""Texts of the commit that the kill falls into."""


@pytest.mark.parametrize("after", [1, 17, 58])
def test_embedding_resumes_after_a_kill(tmp_path: Path, after: int) -> None:
    room = open_room(tmp_path)
    room.put(*(record(f"{at}", f"text number{at}") for at in range(TEXTS)))
    room.crash()

    said = _killed_after(tmp_path, after)

    again = open_room(tmp_path)
    again.catch_up()
    assert isinstance(again.embedder, HashingEmbedder)
    embedded = again.embedder.asked
    assert len(said) >= after
    assert len(set(embedded) & set(said)) <= LOST_AT_MOST
    assert set(embedded) | set(said) == {f"text number{at}" for at in range(TEXTS)}
    assert len(embedded) <= TEXTS - len(said) + LOST_AT_MOST
    assert again.vector.count(TENANT, NAMESPACE) == TEXTS
    assert all(again.nearest(f"text number{at}", limit=1) for at in range(0, TEXTS, 7))
    again.close()


def _killed_after(home: Path, texts: int) -> list[str]:
    """Let the child embed so many texts, kill it, and return all that it began with."""
    command = [sys.executable, "-m", "tests.faults.embedding_child", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as child:
        assert child.stdout is not None
        said = [child.stdout.readline().strip() for _ in range(texts)]
        child.kill()
        said += [line.strip() for line in child.stdout]
    assert "done" not in said
    return said
