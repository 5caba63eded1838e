"""A conversation through a real daemon: sent in pieces, read back with who said it, when, and what follows."""

from __future__ import annotations

from hotset import ConversationTurn, HotsetClient, IngestSummary

MAY_8 = 1_683_554_160


def test_a_conversation_is_sent_in_two_streams_and_read_back(client: HotsetClient) -> None:
    turns = [
        ConversationTurn("talk", "D1:1", "Ann", "Did you see the harbour?", seconds=MAY_8),
        ConversationTurn("talk", "D1:2", "Bo", "Yes, two days ago.", seconds=MAY_8 + 60, attributes={"mood": "calm"}),
    ]
    *_, first = client.ingest_conversation("talks", turns, source="chat")
    *_, second = client.ingest_conversation("talks", [ConversationTurn("talk", "D1:3", "Ann", "Nice.")], source="chat")

    assert isinstance(first, IngestSummary)
    assert isinstance(second, IngestSummary)
    assert (first.records_written, second.records_written) == (2, 2)
    page = client.list_page("talks", kind="turn")
    by_turn = {record.attributes["turn"]: record for record in page.records}
    assert by_turn["D1:2"].title == "Bo, 8 May 2023"
    assert by_turn["D1:2"].attributes["dates"] == "2023-05-06"
    assert by_turn["D1:2"].attributes["mood"] == "calm"
    got = client.get(by_turn["D1:2"].ref)
    assert {(edge.from_ref, edge.relation, edge.to_ref) for edge in got.edges} == {
        (by_turn["D1:2"].ref, "follows", by_turn["D1:1"].ref),
        (by_turn["D1:3"].ref, "follows", by_turn["D1:2"].ref),
    }
