"""The embedding queue: what goes first, and that asking costs no more where there are more namespaces."""

from __future__ import annotations

from retrieval.index.change_pages import ChangePage
from retrieval.index.positions import Position
from retrieval.index.vector_queue import Scope, VectorQueue
from workingset.vocabulary import Generation, Namespace, TenantId

TENANT = TenantId("acme")
OTHER = TenantId("other")


class CountedId(int):
    """A record id that counts how often it is looked up."""

    looks = 0

    def __hash__(self) -> int:
        CountedId.looks += 1
        return int.__hash__(self)


def scanned(queue: VectorQueue, scope: Scope, *record_ids: int) -> None:
    """The records were met in this order and have no vector."""
    changed = tuple((record_id, Generation(at)) for at, record_id in enumerate(record_ids, 1))
    page = ChangePage(changed, len(changed), Position.after(Generation(len(changed))))
    queue.looked_at(scope, page, set(record_ids))


def test_goals_go_first_then_what_is_near_then_the_newest_of_each_namespace() -> None:
    queue = VectorQueue(10, 10)
    one, two, other = (TENANT, Namespace("one")), (TENANT, Namespace("two")), (OTHER, Namespace("one"))
    scanned(queue, one, 1, 2, 3)
    scanned(queue, two, 4, 5)
    scanned(queue, other, 1)
    queue.near(TENANT, [2, 4])
    queue.prefer(TENANT, [99, 4, 1])

    assert queue.chosen(10) == [(two, 4), (one, 1), (one, 2), (one, 3), (two, 5), (other, 1)]
    assert queue.chosen(2) == [(two, 4), (one, 1)]
    queue.done(two, [4])
    assert queue.chosen(2) == [(one, 1), (one, 2)]
    queue.forget(one)
    assert queue.chosen(10) == [(two, 5), (other, 1)]
    scanned(queue, one, 2)
    assert queue.chosen(1) == [(one, 2)]


def test_what_is_remembered_costs_one_look_each_however_many_namespaces_there_are() -> None:
    queue = VectorQueue(500, 500)
    for number in range(100):
        scanned(queue, (TENANT, Namespace(f"n{number}")), number)
    queue.prefer(TENANT, [CountedId(1_000 + at) for at in range(500)])
    queue.near(TENANT, [CountedId(2_000 + at) for at in range(500)])

    CountedId.looks = 0
    assert len(queue.chosen(64)) == 64
    assert CountedId.looks <= 2_000  # as it is passed, and as it is looked for


def test_enough_is_enough() -> None:
    queue = VectorQueue(500, 500)
    scanned(queue, (TENANT, Namespace("one")), *range(1_000))
    queue.prefer(TENANT, [CountedId(at) for at in range(500)])
    queue.near(TENANT, [CountedId(at) for at in range(400, 900)])

    CountedId.looks = 0
    assert len(queue.chosen(16)) == 16
    assert CountedId.looks <= 200
