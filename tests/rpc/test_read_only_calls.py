"""Which calls only read: by name, and against a store that cannot be written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotset import FocusMode, HotsetClient, RecordInput, Unavailable
from hotset.v1 import attention_pb2, corpus_pb2, operator_pb2
from tests.rpc.real_daemon import RealDaemon

READS = {
    *("Attention.Check", "Attention.Explain", "Attention.Replay", "Attention.Resolve", "Attention.Status"),
    *("Corpus.DescribeNamespace", "Corpus.Get", "Corpus.List", "Corpus.ListSources"),
}
WRITES = {
    *("Attention.CloseRequest", "Attention.Evict", "Attention.Focus", "Attention.Forget", "Attention.Fork"),
    *("Attention.Handoff", "Attention.Pin", "Attention.ResetContext", "Attention.Touch", "Attention.UndoRefocus"),
    *("Attention.Unpin", "Corpus.AddSource", "Corpus.Ingest", "Corpus.Remove", "Corpus.RemoveSource"),
    "Operator.Collect",
}


def test_every_call_is_known_to_read_or_to_write() -> None:
    files = (attention_pb2, corpus_pb2, operator_pb2)
    services = [service for file in files for service in file.DESCRIPTOR.services_by_name.values()]
    calls = {f"{service.name}.{method.name}" for service in services for method in service.methods}
    assert calls == READS | WRITES
    assert not READS & WRITES


def test_calls_that_read_work_on_a_store_that_cannot_be_written_to_and_move_nothing(tmp_path: Path) -> None:
    writing = RealDaemon(tmp_path / "home")
    writing.start()
    with HotsetClient(writing.address, agent="dev") as client:
        for _ in client.ingest_records("rules", [RecordInput(id="a", kind="note", title="a", text="refund rule")]):
            pass
        client.focus("refund rule")
        before = client.status()
    assert writing.stop() == 0
    store = tmp_path / "home" / "store" / "data.mdb"
    held = store.read_bytes()

    reading = RealDaemon(tmp_path / "home", "", "--read-only")
    reading.start()
    with HotsetClient(reading.address, agent="dev") as client:
        done = {
            "Attention.Check": client.check("refund rule"),
            "Attention.Explain": client.explain(),
            "Attention.Replay": client.replay(),
            "Attention.Resolve": client.resolve(["rules:a"]),
            "Attention.Status": client.status(),
            "Corpus.DescribeNamespace": client.describe_namespace("rules"),
            "Corpus.Get": client.get("rules:a"),
            "Corpus.List": list(client.list_records("rules")),
            "Corpus.ListSources": client.list_sources(),
        }
        assert done.keys() == READS
        assert done["Attention.Status"] == before
        for mode in (FocusMode.CHECK, FocusMode.STATUS):
            client.focus("refund rule", mode=mode)
        assert client.collect(older_than_seconds=0, dry_run=True).dry_run
        with pytest.raises(Unavailable, match="reading only"):
            client.collect(older_than_seconds=0)
        with pytest.raises(Unavailable):
            client.focus("refund rule")
    assert reading.stop() == 0
    assert store.read_bytes() == held
