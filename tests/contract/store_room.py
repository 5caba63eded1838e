"""Names and small acts that the contract tests of the store share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from retrieval.record import Edge, Record
from retrieval.relations import Role
from retrieval.store.interface import Claim, Store
from workingset.vocabulary import AgentId, Digest, Epoch, Generation, Namespace, Ref, TenantId, Turn

TENANT, OTHER_TENANT = TenantId("acme"), TenantId("zenith")
CODE, NOTES = Namespace("code"), Namespace("notes")
AGENT = AgentId("agent-1")
NO_SET = Claim(AGENT, Epoch(0), Turn(0), 0)

Open = Callable[[bool], Store]
"""Opens the engine under test on the same place each time; the argument asks for reading only."""


def a_record(ref: str, text: str = "some text", **changes: Any) -> Record:
    digest = Digest("digest of " + text.encode(errors="replace").decode())
    namespace = Namespace(ref.partition(":")[0])
    record = Record(Ref(ref), namespace, "function", "a title", text, text[:20], text[:10], digest, source="tree")
    return replace(record, **changes)


def put(store: Store, *records: Record, tenant: TenantId = TENANT) -> Generation:
    return store.write(tenant, lambda txn: [txn.put_record(record) for record in records])[-1]


def link(store: Store, source: str, relation: str, target: str, role: Role, *, best_effort: bool = False) -> bool:
    edge = Edge(Ref(source), relation, Ref(target), role, best_effort)
    return store.write(TENANT, lambda txn: txn.put_edge(edge))


def save(store: Store, claim: Claim, epoch: Epoch, turn: Turn, encoded: bytes) -> Claim:
    return store.write(TENANT, lambda txn: txn.save_working_set(claim, epoch, turn, encoded))


def mark(store: Store, name: str, value: bytes) -> None:
    store.write(TENANT, lambda txn: txn.put_mark(name, value))


def generation(store: Store, namespace: Namespace = CODE) -> Generation:
    with store.snapshot(TENANT) as snapshot:
        return snapshot.generation(namespace)
