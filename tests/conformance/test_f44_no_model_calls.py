"""F44: mixed exact+lexical+vector+graph lanes on a known query / run / model_calls = 0."""

from __future__ import annotations

from tests.world import World, edge, record


def test_f44_four_lanes_on_a_known_query_call_no_model() -> None:
    world = World()
    upload = record("upload", "retry the upload with backoff", title="retry_upload", symbols=["retry_upload"])
    backoff = record("backoff", "wait twice as long after each failure", title="backoff")
    world.put(upload, backoff, record("other", "an unrelated note"), edges=[edge(upload, "calls", backoff)])

    projection = world.ask("how does `retry_upload` wait")

    assert {lane.lane: lane.state for lane in projection.lanes} == dict.fromkeys(
        ("exact", "lexical", "vector", "links", "graph"), "ok"
    )
    assert all(lane.hits > 0 for lane in projection.lanes)
    assert projection.ranked[0].ref == upload.ref
    assert set(projection.ranked[0].lanes) == {"exact", "lexical", "vector", "links", "graph"}
    assert projection.model_calls == 0
    assert projection.embedding_calls == world.embedder.calls == 1
