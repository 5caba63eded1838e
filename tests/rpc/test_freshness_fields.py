"""What a host knows of a record's source goes in and comes out as it was given, and decides whether it is current."""

from __future__ import annotations

import time

import pytest

from hotset import Freshness, HotsetClient, ObligationStatus, RecordInput
from hotset.errors import BadRequest


def test_verification_goes_in_and_comes_out(client: HotsetClient) -> None:
    now = int(time.time())
    known = RecordInput(
        id="port",
        text="the gateway listens on port 8080",
        retrieved_seconds=now - 60,
        verified_seconds=now - 5,
        validator='W/"0815"',
    )
    list(client.ingest_records("verified", [known]))

    stored = client.get("verified:port").record
    (read,) = client.resolve(["verified:port"]).records
    for each in (stored, read):
        assert (each.retrieved_seconds, each.verified_seconds, each.validator) == (now - 60, now - 5, 'W/"0815"')

    answer = client.focus("the port of the gateway", namespaces=["verified"], profile="current_facts")
    (owed,) = [one for one in answer.coverage.obligations if one.kind.value == "freshness"]
    assert owed.status is ObligationStatus.SATISFIED
    assert [item.freshness for item in answer.items if item.ref == "verified:port"] == [Freshness.CURRENT]


def test_a_verification_before_the_retrieval_is_refused_by_name(client: HotsetClient) -> None:
    with pytest.raises(BadRequest) as raised:
        list(client.ingest_records("verified", [RecordInput("x", id="a", retrieved_seconds=9, verified_seconds=8)]))
    assert raised.value.field == "records[0].verified_seconds"
