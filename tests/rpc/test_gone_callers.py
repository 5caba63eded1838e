"""Callers that leave: their work is given up without a trace in the log, and the next call is served.

What the log says is held by the daemon's own fixture, which fails on any trace in it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from hotset import DeadlineExceeded, HotsetClient, IngestProgress, IngestSummary
from hotset.v1 import corpus_pb2, corpus_pb2_grpc
from tests.rpc.real_daemon import RealDaemon


def test_a_focus_that_ran_out_of_time_changes_nothing_and_the_next_is_answered(client: HotsetClient) -> None:
    client.focus("refund rule")
    before = client.status().state_digest
    for milliseconds in range(1, 6):
        with pytest.raises(DeadlineExceeded):
            client.focus(f"refund {'rule ' * 2_000}", timeout_seconds=milliseconds / 1e3, request_id="")

    assert client.status().state_digest == before
    assert client.focus("refund rule").turn == 2


def test_an_ingest_that_was_left_ends_and_the_next_goes_on_from_it(client: HotsetClient, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 20)
    events = client.ingest_tree("left", tmp_path)
    assert isinstance(next(iter(events)), IngestProgress)
    del events

    *_, summary = client.ingest_tree("left", tmp_path)

    assert isinstance(summary, IngestSummary)
    described = client.describe_namespace("left")
    assert summary.generation == described.generation
    assert {record.path for record in client.list_records("left")} == {f"m{n}.py" for n in range(60)}


def test_a_stream_that_is_dropped_in_the_middle_frees_the_next(daemon: RealDaemon, client: HotsetClient) -> None:
    leave = threading.Event()

    def half() -> Iterator[corpus_pb2.IngestRequest]:
        yield corpus_pb2.IngestRequest(header=corpus_pb2.IngestHeader(namespace="half", source="s"))
        document = corpus_pb2.Document(path="a.md", content=b"# A\ntext\n")
        yield corpus_pb2.IngestRequest(batch=corpus_pb2.IngestBatch(documents=[document], sequence=1))
        leave.wait(30)

    with grpc.insecure_channel(daemon.address) as channel:
        call = corpus_pb2_grpc.CorpusStub(channel).Ingest(half(), timeout=30)
        assert next(iter(call)).WhichOneof("event") == "acknowledged"
        call.cancel()
        leave.set()

    assert [record.path for record in client.list_records("half")] == ["a.md"]
    *_, summary = client.ingest_documents("half", [], source="s", completes_source=True)
    assert isinstance(summary, IngestSummary)
    assert summary.files_removed == 1
