"""Deltas against what the host really received, and the share of the block that stays byte for byte."""

from __future__ import annotations

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.delivery import Change, deliver, delta, prefix_stable
from workingset.rendering import Segment
from workingset.tier import Tier
from workingset.vocabulary import Digest, Fidelity


def piece(name: str, text: str = "", fidelity: Fidelity = Fidelity.FULL) -> Segment:
    body = text or f"{name} {name}\n"
    return Segment(ref(name), Tier.RESIDENT, fidelity, body, Digest(body))


def test_a_delta_names_what_is_new_changed_and_gone_in_block_order() -> None:
    before = deliver([piece("a"), piece("b"), piece("c")])
    found = delta(before, [piece("a"), piece("c", "other\n"), piece("d")])
    assert [(d.ref, d.change, d.text) for d in found] == [
        (ref("c"), Change.UPDATED, "other\n"),
        (ref("d"), Change.NEW, "d d\n"),
        (ref("b"), Change.REMOVED, ""),
    ]


def test_nothing_changed_is_an_empty_delta() -> None:
    pieces = [piece("a"), piece("b")]
    assert delta(deliver(pieces), pieces) == ()
    assert delta(deliver(pieces), list(reversed(pieces))) == ()


def test_the_ledger_holds_fidelity_digest_and_bytes() -> None:
    (held,) = deliver([piece("a", "é\n", Fidelity.OUTLINE)])
    assert (held.ref, held.fidelity, held.segment, held.bytes) == (ref("a"), Fidelity.OUTLINE, "é\n", 3)


def test_prefix_stable_counts_whole_equal_segments_from_the_start() -> None:
    before = deliver([piece("a", "1234\n"), piece("b", "12345678\n"), piece("c", "123456\n")])
    now = [piece("a", "1234\n"), piece("b", "12345678\n"), piece("d", "x\n")]
    assert prefix_stable(before, now) == 14 / 21
    assert prefix_stable(before, [piece("b", "12345678\n")]) == 0.0
    assert prefix_stable((), now) == 0.0
    assert prefix_stable(before, [piece("a", "1234\n")]) == 5 / 21


def test_a_new_epoch_delivers_everything_again() -> None:
    agent = Agent(Corpus.of(record("a", 0.9), record("b", 0.5)))
    first = agent.focus("goal")
    assert agent.focus("goal").delta == ()
    heats = [(entry.ref, entry.heat) for entry in agent.state.entries]
    agent.reset()
    assert agent.state.epoch == 1
    assert [(entry.ref, entry.heat) for entry in agent.state.entries] == heats
    again = agent.focus("goal")
    assert all(entry.change is Change.NEW for entry in again.delta)
    assert again.block.text == first.block.text
    assert again.prefix_stable == 0.0


def test_a_changed_record_is_updated_and_not_new() -> None:
    corpus = Corpus.of(record("a", 0.9), record("b", 0.5))
    agent = Agent(corpus)
    agent.focus("goal")
    corpus.put(record("a", 0.9, lines=21, generation=2))
    changes = {entry.ref: entry.change for entry in agent.focus("goal").delta}
    assert changes == {ref("a"): Change.UPDATED}


def test_a_record_that_only_moved_in_its_file_is_updated_too() -> None:
    agent = Agent(Corpus.of(record("a", 0.9, path="old.py"), record("b", 0.5)))
    agent.focus("goal")
    agent.corpus.put(record("a", 0.9, path="new.py"))
    outcome = agent.focus("goal")
    assert [(entry.ref, entry.change) for entry in outcome.delta] == [(ref("a"), Change.UPDATED)]
    assert "new.py" in outcome.block.text


def test_what_gains_its_text_later_is_appended_and_breaks_no_prefix() -> None:
    agent = Agent(Corpus.of(*(record(i, 0.9 - i / 20, lines=4) for i in range(12))), top_k=6)
    first = agent.focus("goal")
    texts = [s.ref for s in first.block.segments if s.tier is Tier.RESIDENT]
    assert len(texts) == 6
    second = agent.focus("goal", top_k=12)
    assert [s.ref for s in second.block.segments if s.tier is Tier.RESIDENT][:6] == texts
    size = sum(len(s.text) for s in first.block.segments if s.tier is Tier.RESIDENT)
    assert second.block.text[:size] == first.block.text[:size]
