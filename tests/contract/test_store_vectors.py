"""Vectors in a store, by model and digest: listed in pages, counted, and deleted where nothing needs them."""

from __future__ import annotations

from retrieval.store.interface import Store, WriteTransaction
from workingset.vocabulary import Digest, TenantId

TENANT = TenantId("t")
OTHER = TenantId("u")
DIGESTS = [Digest(f"{at:032x}") for at in range(7)]


def fill(store: Store, tenant: TenantId = TENANT) -> None:
    def job(txn: WriteTransaction) -> None:
        for digest in DIGESTS:
            txn.put_vector("new", digest, b"\x00\x01")
        for digest in DIGESTS[:3]:
            txn.put_vector("old", digest, b"\x02\x03")
        txn.put_vector("older", DIGESTS[0], b"\x04\x05")

    store.write(tenant, job)


def test_digests_are_listed_in_order_page_by_page(store: Store) -> None:
    fill(store)
    fill(store, OTHER)
    with store.snapshot(TENANT) as txn:
        pages = [txn.vector_digests("new", None, 3)]
        while pages[-1]:
            pages.append(txn.vector_digests("new", pages[-1][-1], 3))
        assert [digest for page in pages for digest in page] == DIGESTS
        assert [len(page) for page in pages] == [3, 3, 1, 0]
        assert txn.vector_digests("old", None, 100) == DIGESTS[:3]
        assert txn.vector_digests("old", Digest("00"), 100) == DIGESTS[:3]
        assert txn.vector_digests("nobody's", None, 100) == []
        assert txn.vector_digests("new", None, 0) == []
        assert txn.vectors_in_store() == 22


def test_what_is_dropped_is_gone_and_counted_and_nothing_else(store: Store) -> None:
    fill(store)
    fill(store, OTHER)
    dropped = store.write(TENANT, lambda txn: txn.drop_vectors("new", [DIGESTS[1], DIGESTS[5], Digest("none")]))
    assert dropped == 2
    assert store.write(TENANT, lambda txn: txn.drop_vectors("nobody's", DIGESTS)) == 0
    with store.snapshot(TENANT) as txn:
        assert txn.vector_digests("new", None, 100) == [DIGESTS[at] for at in (0, 2, 3, 4, 6)]
        assert txn.vector_digests("old", None, 100) == DIGESTS[:3]
    with store.snapshot(OTHER) as txn:
        assert txn.vector_digests("new", None, 100) == DIGESTS


def test_other_models_are_dropped_a_few_at_a_time(store: Store) -> None:
    fill(store)
    fill(store, OTHER)
    dropped: list[int] = []
    while not dropped or dropped[-1]:
        dropped.append(store.write(TENANT, lambda txn: txn.drop_vectors_beside("new", 3)))
    assert dropped == [3, 1, 0]
    with store.snapshot(TENANT) as txn:
        assert not txn.has_vectors_beside("new")
        assert txn.has_vectors_beside("old")
        assert txn.vector_digests("new", None, 100) == DIGESTS
    with store.snapshot(OTHER) as txn:
        assert txn.has_vectors_beside("new")
    with store.snapshot(TenantId("nobody")) as txn:
        assert not txn.has_vectors_beside("new")
