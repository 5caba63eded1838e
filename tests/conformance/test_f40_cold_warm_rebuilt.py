"""F40: cold, warm, rebuilt index / same query / equal projection digest for exact lanes, coverage class for all.

Cold is opened from its files and asked for the first time, warm has grown by edits and been asked before, rebuilt has
lost its files. Of the exact lane the whole answer is compared; of all lanes what they claim to have looked at.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from retrieval.canonical import projection_digest
from retrieval.deadline import Deadline
from retrieval.index.vector import VectorSettings
from retrieval.project import Query, Retrieval
from retrieval.settings import RetrievalSettings
from retrieval.store.interface import WriteTransaction
from tests.contract.indexes_room import TENANT, Room, open_room
from tests.fakes import FakeEmbedder
from tests.world import CODE, edge, record
from workingset.candidate import Candidate, LaneOutcome, Projection
from workingset.vocabulary import Digest, Relevance, SearchCoverage

EXACT = frozenset({"exact"})
GOALS = ("where does `charge_card` refund", "ledger/book.py", "the words of number 7", "charge the ledger twice")


def _open(home: Path, exact_vectors: int) -> Room:
    return open_room(home, embedder=FakeEmbedder(), vectors=VectorSettings(exact_vectors=exact_vectors))


def _fill(room: Room) -> None:
    records = [
        record(
            f"r{at:02}",
            f"charge the card of number {at}" if at % 3 else f"write the ledger of number {at}",
            title=f"step {at}",
            path="ledger/book.py" if at % 2 else f"src/m{at}.py",
            symbols=["charge_card"] if at % 10 == 0 else (),
        )
        for at in range(40)
    ]

    def job(txn: WriteTransaction) -> None:
        for each in records:
            txn.put_record(each)
        for before, after in pairwise(records):
            txn.put_edge(edge(before, "calls", after))

    room.store.write(TENANT, job)
    room.catch_up()
    for at in (3, 7, 11):
        room.put(replace(records[at], text=f"refund number {at}"))
        room.catch_up()
    room.store.write(TENANT, lambda txn: txn.remove_record(records[5].ref))
    room.catch_up()


def _answers(room: Room) -> list[tuple[Digest, dict[str, SearchCoverage]]]:
    """For every goal, the digest of what the exact lane found, and what each lane claims."""
    index = (room.lexical, room.vector, room.embedder, room.follower, room.follower.embed_now)
    retrieval = Retrieval(*index, RetrievalSettings())
    answers: list[tuple[Digest, dict[str, SearchCoverage]]] = []
    for goal in GOALS:
        with room.store.snapshot(TENANT) as txn:
            projection = retrieval.project(txn, Query(goal, (CODE,)), Deadline(60.0, lambda: 0.0))
        for lane in projection.lanes:
            assert lane.coverage is not SearchCoverage.PARTIAL_BACKEND, (goal, lane)
        claims = {lane.lane: lane.coverage for lane in projection.lanes}
        answers.append((projection_digest(_of_exact_lanes(projection)), claims))
    return answers


def _of_exact_lanes(projection: Projection) -> Projection:
    """The projection as far as the exact lane decides it, in the order of refs."""
    ranked = [_plain(candidate) for candidate in projection.ranked if EXACT & set(candidate.lanes)]
    lanes: list[LaneOutcome] = [lane for lane in projection.lanes if lane.lane in EXACT]
    return replace(
        projection,
        ranked=tuple(sorted(ranked, key=lambda candidate: candidate.ref)),
        lanes=tuple(lanes),
        near_misses=0,
        overflow=0,
        disagreement=None,
    )


def _plain(candidate: Candidate) -> Candidate:
    lanes = tuple(lane for lane in candidate.lanes if lane in EXACT)
    return replace(candidate, relevance=Relevance(0.0), selection_score=0.0, features=(), lanes=lanes)


@pytest.mark.parametrize("exact_vectors", [0, 1_000], ids=["graph of vectors", "all vectors compared"])
def test_f40_an_index_answers_alike_cold_warm_and_rebuilt(tmp_path: Path, exact_vectors: int) -> None:
    home = tmp_path / "home"
    room = _open(home, exact_vectors)
    _fill(room)
    _answers(room)
    warm = _answers(room)
    room.close()

    room = _open(home, exact_vectors)
    assert room.notes(CODE) == {"lexical": "", "vector": ""}
    cold = _answers(room)
    room.close()

    shutil.rmtree(home / "lexical")
    shutil.rmtree(home / "vectors")
    room = _open(home, exact_vectors)
    room.catch_up()
    assert all("rebuilt from the store" in note for note in room.notes(CODE).values())
    rebuilt = _answers(room)
    room.close()

    assert cold == warm
    assert rebuilt == warm
