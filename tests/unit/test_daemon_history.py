"""History: what was said and seen becomes records, byte for byte, in the order it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotsetd.calls import ObservationCall, ObservationKind
from hotsetd.config import HistorySettings, Settings
from hotsetd.history import History, Kept, Place
from hotsetd.turn_extracts import extracts
from retrieval.record import Record
from retrieval.relations import Role
from retrieval.store.interface import WriteTransaction
from retrieval.text.renderings import RenderingSettings
from tests.world import TENANT, World
from workingset.vocabulary import AgentId, Ref, Turn

DEV = AgentId("dev")
DEFAULTS = Settings()
HISTORY = History(
    DEFAULTS.history, DEFAULTS.ingest.renderings, DEFAULTS.ingest.guards, DEFAULTS.working_set.observation
)
USER, AGENT, CALL, OUTPUT = (
    ObservationKind.USER,
    ObservationKind.AGENT,
    ObservationKind.TOOL_CALL,
    ObservationKind.TOOL_OUTPUT,
)


def saying(kind: ObservationKind, text: str, tool: str = "") -> ObservationCall:
    return ObservationCall(kind, text, tool)


def keep(
    *observed: ObservationCall,
    place: Place | None = None,
    mentions: Sequence[Sequence[Ref]] = (),
    previous: Record | None = None,
    history: History = HISTORY,
    reads: Sequence[Sequence[Ref]] = (),
) -> Kept:
    given_mentions = [*mentions, *([()] * (len(observed) - len(mentions)))]
    return history.keep(DEV, Turn(7), place or Place(), observed, given_mentions, previous, reads)


def in_parts(part_bytes: int) -> History:
    return replace(HISTORY, settings=HistorySettings(part_bytes=part_bytes))


def test_each_observation_is_a_record_that_says_who_spoke_when() -> None:
    kept = keep(
        saying(USER, "Fix the total of the cart.\n\nIt is wrong."),
        saying(AGENT, "I look at the cart."),
        saying(CALL, '{"command": "cat cart.py"}', "bash"),
        saying(OUTPUT, "def total(): pass\n", "bash"),
    )
    assert [(r.kind, r.namespace, r.title) for r in kept.records] == [
        ("turn", "agent.dev", "user: Fix the total of the cart. It is wrong."),
        ("turn", "agent.dev", "agent: I look at the cart."),
        ("turn", "agent.dev", 'bash call: {"command": "cat cart.py"}'),
        ("turn", "agent.dev", "bash output: def total(): pass"),
    ]
    assert kept.records[0].text == "Fix the total of the cart.\n\nIt is wrong."
    assert dict(kept.records[3].attributes) == {
        "speaker": "tool_output",
        "tool": "bash",
        "turn": "7",
        "position": "4",
    }
    assert kept.heads == kept.refs
    assert all(ref.startswith(f"agent.dev:turn-{position}-") for position, ref in enumerate(kept.refs, 1))
    assert kept.place == Place(4, kept.refs[-1])


def test_equal_words_are_two_records_and_equal_calls_give_equal_ones() -> None:
    twice = keep(saying(USER, "go on"), saying(USER, "go on"))
    assert len(set(twice.refs)) == 2
    assert twice == keep(saying(USER, "go on"), saying(USER, "go on"))


def test_copies_of_one_text_have_one_origin() -> None:
    again, same, other = keep(saying(USER, "go on"), saying(USER, "go on"), saying(USER, "stop")).records
    assert again.origin == same.origin != other.origin
    observed = [saying(CALL, "cat a.py", "bash"), saying(CALL, "cat b.py c.py", "bash")]
    observed += [saying(OUTPUT, "a", "bash"), saying(OUTPUT, "b", "bash"), saying(OUTPUT, "c", "bash")]
    reads = [[Ref("shop:a")], [Ref("shop:b"), Ref("shop:c")], [], [], []]
    _, _, of_a, of_both, of_none = keep(*observed, reads=reads).records
    assert of_a.origin == "shop:a"
    assert of_both.origin.startswith("pages:")
    assert of_none.origin.startswith("words:")


def test_the_chain_goes_on_from_the_record_before() -> None:
    first = keep(saying(USER, "one"))
    second = keep(saying(AGENT, "two"), saying(USER, "three"), place=first.place, previous=first.records[-1])
    follows = [(e.source, e.target, e.role) for e in second.edges if e.relation == "follows"]
    chain = (*first.refs, *second.refs)
    assert follows == [(chain[1], chain[0], Role.ASSOCIATIVE), (chain[2], chain[1], Role.ASSOCIATIVE)]
    assert [dict(r.attributes)["position"] for r in second.records] == ["2", "3"]


@pytest.mark.parametrize("gone", ["missing", "removed"])
def test_a_chain_whose_last_record_is_gone_begins_anew_and_counts_on(gone: str) -> None:
    first = keep(saying(USER, "one"))
    previous = None if gone == "missing" else replace(first.records[0], removed=True)
    second = keep(saying(AGENT, "two"), place=first.place, previous=previous)
    assert second.edges == ()
    assert second.place.count == 2


def test_what_was_used_is_mentioned_up_to_a_limit_and_the_rest_counted() -> None:
    history = replace(HISTORY, settings=HistorySettings(mentions=2))
    used = [Ref("shop:a"), Ref("shop:b"), Ref("shop:a"), Ref("shop:c")]
    kept = keep(saying(CALL, "cat a b c", "bash"), saying(OUTPUT, "x"), mentions=[used], history=history)
    mentioned = [(e.source, e.target) for e in kept.edges if e.relation == "mentions"]
    assert mentioned == [(kept.refs[0], "shop:a"), (kept.refs[0], "shop:b")]
    assert kept.unlinked == 1


@given(
    st.text(st.sampled_from("a\n é日🙂\x00\r"), max_size=60),
    st.integers(1, 9),
)
def test_parts_joined_are_the_whole_and_fit(text: str, part_bytes: int) -> None:
    kept = keep(saying(OUTPUT, text, "bash"), history=in_parts(part_bytes))
    assert "".join(record.text for record in kept.records) == text
    assert all(len(r.text.encode()) <= part_bytes or len(r.text) == 1 for r in kept.records)
    assert all(r.text for r in kept.records) or not text
    assert len(kept.heads) == 1
    assert all(len(r.gist) <= max(1, len(r.outline)) and len(r.outline) <= len(r.text) for r in kept.records)


def test_a_long_output_is_kept_in_parts_that_end_with_a_line() -> None:
    text = "".join(f"{number} bytes and bytes\n" for number in range(100))
    kept = keep(saying(OUTPUT, text, "bash"), saying(AGENT, "so long"), history=in_parts(800))
    *parts, last = kept.records
    assert len(parts) == 3
    assert all(part.text.endswith("\n") for part in parts)
    assert [dict(part.attributes)["part"] for part in parts] == ["1/3", "2/3", "3/3"]
    assert parts[1].title.startswith("bash output (part 2 of 3): ")
    assert [(e.source, e.target) for e in kept.edges] == [
        (parts[1].ref, parts[0].ref),
        (parts[2].ref, parts[1].ref),
        (last.ref, parts[2].ref),
    ]
    assert kept.heads == (parts[0].ref, last.ref)
    assert kept.place.count == 2


def test_the_outline_of_an_output_shows_its_ends_its_errors_and_how_much_lies_between() -> None:
    lines = [f"collected {number}" for number in range(200)]
    lines[90] = "ValueError: no such cart"
    lines[-1] = "2 failed, 198 passed"
    made = extracts(OUTPUT, "\n".join(lines), HistorySettings(), RenderingSettings())
    rows = made.outline.split("\n")
    assert rows[:2] == ["collected 0", "collected 1"]
    assert rows[6:9] == ["… 84 lines …", "ValueError: no such cart", "… 99 lines …"]
    assert rows[-1] == "2 failed, 198 passed"
    assert made.gist == "ValueError: no such cart"
    assert made.full == "\n".join(lines)


@pytest.mark.parametrize("kind", list(ObservationKind))
@pytest.mark.parametrize("text", ["", " \n\t", "ok", "x" * 5_000, "a\n" * 5_000, "\x00\x01", "\x0b\x0c\n" * 40])
def test_no_rendering_is_longer_than_the_one_before(kind: ObservationKind, text: str) -> None:
    made = extracts(kind, text, HistorySettings(), RenderingSettings())
    assert made.full == text
    assert len(made.gist) <= len(made.outline) <= len(made.full) or not text.strip()
    assert len(made.outline) <= RenderingSettings().outline_characters or not text.strip()
    assert "\n" not in made.gist


SECRET = "PASSWORD=hunter2"


@pytest.mark.parametrize(
    "observed",
    [
        [saying(CALL, "cat deploy/.env", "bash"), saying(OUTPUT, SECRET, "bash")],
        [saying(CALL, json.dumps({"file_path": "/r/.env.local"}), "Read"), saying(OUTPUT, SECRET, "Read")],
        [saying(CALL, "grep PASS .env", "bash"), saying(OUTPUT, SECRET, "bash")],
        [saying(CALL, json.dumps({"file_path": ".env", "content": SECRET}), "Write")],
        [saying(CALL, "ls", "a"), saying(CALL, "cat .env", "b"), saying(OUTPUT, SECRET, "b"), saying(OUTPUT, "x", "a")],
    ],
)
def test_what_a_file_of_secrets_holds_is_not_kept_and_that_is_said(observed: list[ObservationCall]) -> None:
    kept = keep(*observed)
    assert kept.withheld == 1
    assert len(kept.records) == len(observed)
    assert not any("hunter2" in f"{r.text}{r.title}{r.outline}{r.gist}{r.attributes}" for r in kept.records)
    [withheld] = [r for r in kept.records if ("withheld", "holds_secrets") in r.attributes]
    assert ".env" in withheld.text
    others = [r.text for r in kept.records if r is not withheld]
    assert others == [o.text for o in observed if SECRET not in o.text]


def test_an_output_that_comes_in_the_next_request_is_withheld_too() -> None:
    first = keep(saying(CALL, "cat .env", "bash"))
    assert first.withheld == 0
    second = keep(saying(OUTPUT, SECRET, "bash"), place=first.place, previous=first.records[-1])
    assert second.withheld == 1
    third = keep(saying(OUTPUT, "of something else"), place=second.place, previous=second.records[-1])
    assert (third.withheld, third.records[0].text) == (0, "of something else")


def test_what_was_kept_can_be_written_and_read_back() -> None:
    world = World()
    kept = keep(saying(OUTPUT, "\x00 é 🙂\r\n", "bash"), saying(USER, ""), saying(AGENT, "x" * 200_000))

    def job(txn: WriteTransaction) -> None:
        for record in kept.records:
            txn.put_record(record)
        for edge in kept.edges:
            assert txn.put_edge(edge)

    world.store.write(TENANT, job)
    with world.store.snapshot(TENANT) as txn:
        read = [txn.record(ref) for ref in kept.refs]
    assert [r.text for r in read if r is not None] == [r.text for r in kept.records]
    assert "".join(r.text for r in kept.records[2:]) == "x" * 200_000
