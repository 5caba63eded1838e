"""A process that writes without end and says what has been acknowledged; it is there to be killed.

Usage: store_writing_child.py HOME FIRST. Each of its threads writes, in turn from FIRST on, a record with an edge and a
working set, and prints `thread number` once the store has acknowledged both jobs.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from retrieval.record import Edge, Name, NameKind, Record
from retrieval.relations import Role
from retrieval.store.interface import Claim, WriteTransaction
from retrieval.store.lmdb import LmdbSettings, LmdbStore, open_store
from workingset.vocabulary import AgentId, Digest, Epoch, Namespace, Ref, TenantId, Turn

TENANT = TenantId("t")
SETTINGS = LmdbSettings(map_bytes=2**20, least_map_bytes=2**20)
THREADS = 4


def record(thread: int, number: int) -> Record:
    """The record that a thread writes as its number-th."""
    text = f"{thread} wrote {number}. " * 40
    name = Name(NameKind.SYMBOL, f"s{number}")
    return Record(
        Ref(f"n{thread}:{number}"),
        Namespace(f"n{thread}"),
        "note",
        "t",
        text,
        text[:9],
        text[:3],
        Digest(text[:20]),
        path=f"p/{number}",
        names=(name,),
    )


def write_on(store: LmdbStore, thread: int, number: int) -> None:
    """Write and acknowledge, until killed."""
    agent = AgentId(f"agent {thread}")
    while True:
        written = record(thread, number)

        def put(txn: WriteTransaction, written: Record = written) -> None:
            txn.put_record(written)
            txn.put_edge(Edge(written.ref, "follows", written.ref, Role.ASSOCIATIVE))

        def save(txn: WriteTransaction, number: int = number) -> Claim:
            stored = txn.working_set(agent)
            claim = Claim(agent, Epoch(0), Turn(0), 0) if stored is None else stored.claim
            return txn.save_working_set(claim, Epoch(0), Turn(number), b"set %d" % number)

        store.write(TENANT, put)
        store.write(TENANT, save)
        os.write(sys.stdout.fileno(), b"%d %d\n" % (thread, number))
        number += 1


def main() -> None:
    """Open the store and start the threads."""
    store = open_store(Path(sys.argv[1]), SETTINGS)
    for thread in range(THREADS):
        threading.Thread(target=write_on, args=(store, thread, int(sys.argv[2]))).start()


if __name__ == "__main__":
    main()
