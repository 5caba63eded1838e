"""Cuts, collection, Explain and Replay through the daemon: what a cut shows until it expires, and over `kill -9`."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotset import BadRequest, Cut, CutExpired, HotsetClient, NamespaceGeneration, NotFound, RecordInput, ReplayVerdict
from tests.rpc.real_daemon import CONFIGURATION, RealDaemon
from tests.waiting import until

SPACE = "cuts"


def put(client: HotsetClient, *texts: str, namespace: str = SPACE) -> list[Cut]:
    """Write versions of one record; returns the cut after each."""
    cuts: list[Cut] = []
    for text in texts:
        for _ in client.ingest_records(namespace, [RecordInput(id="rule", kind="note", title="refunds", text=text)]):
            pass
        cuts.append(client.get(f"{namespace}:rule").cut)
    return cuts


def text_at(client: HotsetClient, cut: Cut, namespace: str = SPACE) -> str:
    return client.resolve([f"{namespace}:rule"], cut=cut).records[0].text


def test_a_cut_shows_what_it_did_until_it_is_collected(client: HotsetClient) -> None:
    texts = ["refunds take a day", "refunds take two days", "refunds take a week"]
    cuts = put(client, *texts)
    assert [text_at(client, cut) for cut in cuts] == texts

    would = client.collect(SPACE, before_generation=cuts[1].at(SPACE), dry_run=True)
    assert (would.dry_run, would.namespaces[0].versions) == (True, 1)
    assert text_at(client, cuts[0]) == texts[0]

    done = client.collect(SPACE, before_generation=cuts[1].at(SPACE)).namespaces[0]

    assert (done.horizon, done.versions) == (cuts[1].at(SPACE), 1)
    assert [text_at(client, cut) for cut in cuts[1:]] == texts[1:]
    for read in (lambda: text_at(client, cuts[0]), lambda: client.get(f"{SPACE}:rule", cut=cuts[0])):
        with pytest.raises(CutExpired, match="was collected") as expired:
            read()
        assert (expired.value.reason, expired.value.status) == ("CUT_EXPIRED", "FAILED_PRECONDITION")
        assert f"ask at {cuts[1].at(SPACE)} or later" in expired.value.message
        assert expired.value.what_to_do
    with pytest.raises(BadRequest, match="cut"):
        text_at(client, Cut((NamespaceGeneration(SPACE, 10**9),)))
    assert client.collect(SPACE, before_generation=cuts[1].at(SPACE)).namespaces[0].versions == 0


def test_what_collect_does_not_take_names_the_field(client: HotsetClient) -> None:
    put(client, "anything")
    for asked, field in (
        ({}, "until"),
        ({"before_generation": 1}, "namespace"),
        ({"namespace": SPACE, "before_generation": 10**9}, "before_generation"),
    ):
        with pytest.raises(BadRequest) as bad:
            client.collect(**asked)
        assert bad.value.field == field
    with pytest.raises(NotFound):
        client.collect("no-such-namespace", older_than_seconds=1)


def test_a_turn_is_explained_and_decides_the_same_again(client: HotsetClient) -> None:
    put(client, "refunds need a receipt", namespace="explained")
    focus = client.focus("refunds", namespaces=["explained"], budget_tokens=500)

    explained = client.explain()

    assert (explained.receipt, explained.receipt_digest) == (focus.receipt, focus.receipt_digest)
    assert explained == client.explain(receipt=focus.receipt) == client.explain(focus.turn)
    parts = {part.what: part for part in explained.root.parts}
    assert (explained.root.what, explained.root.value, parts["goal"].value) == ("focus", "ok", "refunds")
    assert parts["cut"].parts[0].what == "explained"
    again = client.replay(receipt=focus.receipt)
    assert (again.verdict, again.cut, again.receipt_digest_now) == (
        ReplayVerdict.EQUAL,
        focus.cut,
        focus.receipt_digest,
    )
    assert client.status().turn == focus.turn


def test_what_is_not_kept_is_said(client: HotsetClient) -> None:
    put(client, "refunds are rare", namespace="explained")
    for _ in range(10):
        client.focus("refunds", namespaces=["explained"])
    with pytest.raises(NotFound, match="turns 3, 4") as missing:
        client.replay(1)
    assert missing.value.reason == "NOT_RETAINED"
    assert not client.explain(1).retained
    with pytest.raises(NotFound, match="turn 99") as missing:
        client.explain(99)
    assert missing.value.reason == "UNKNOWN_RECEIPT"


def test_all_of_it_survives_a_kill(tmp_path: Path) -> None:
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    with HotsetClient(daemon.address, agent="dev") as client:
        cuts = put(client, "refunds take a day", "refunds take two days")
        focus = client.focus("refunds", budget_tokens=500)
        client.collect(SPACE, before_generation=cuts[1].at(SPACE))
    daemon.kill()
    daemon.start()
    with HotsetClient(daemon.address, agent="dev") as client:
        with pytest.raises(CutExpired):
            text_at(client, cuts[0])
        assert text_at(client, cuts[1]) == "refunds take two days"
        assert client.replay().receipt_digest_now == focus.receipt_digest
    assert daemon.stop() == 0, daemon.last_words()


def test_history_is_collected_by_age_where_the_configuration_says_so(tmp_path: Path) -> None:
    configuration = f"{CONFIGURATION}\n[collection]\nkeep_seconds = 1\nevery_seconds = 0.05\nmark_seconds = 0.05\n"
    daemon = RealDaemon(tmp_path / "home", configuration)
    daemon.start()
    with HotsetClient(daemon.address, agent="dev") as client:
        cuts = put(client, "refunds take a day", "refunds take two days")
        assert text_at(client, cuts[0]) == "refunds take a day"
        wait_until_expired(client, cuts[0])
        assert text_at(client, cuts[1]) == "refunds take two days"
    assert daemon.stop() == 0, daemon.last_words()


def wait_until_expired(client: HotsetClient, cut: Cut) -> None:
    def expired() -> bool:
        try:
            text_at(client, cut)
        except CutExpired:
            return True
        return False

    until(expired)
