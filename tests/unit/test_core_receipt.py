"""Receipts: equal inputs give equal bytes, and no value can pass for another."""

from __future__ import annotations

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.receipt import Node, canonical, receipt_digest
from workingset.transitions.focus import FocusOutcome


def outcomes() -> list[FocusOutcome]:
    agent = Agent(Corpus.of(record("a", 0.9, requires=["m"]), record("m"), record("b", 0.4)), budget=2_000)
    return [agent.focus("first goal"), agent.focus("other subject", {ref("b"): 0.8}), agent.focus("x", budget=1)]


def find(node: Node, what: str) -> list[Node]:
    return [found for part in node.parts for found in ([part] if part.what == what else []) + find(part, what)]


def test_equal_lives_give_equal_bytes() -> None:
    first, second = outcomes(), outcomes()
    assert [canonical(o.receipt) for o in first] == [canonical(o.receipt) for o in second]
    assert len({receipt_digest(o.receipt) for o in first}) == 3


def test_kinds_of_value_and_depth_are_told_apart() -> None:
    trees = [
        Node("a", 1),
        Node("a", 1.0),
        Node("a", True),
        Node("a", "1"),
        Node("a", "1", "because"),
        Node("a", "1 'because'"),
        Node("a", 1, "", (Node("b", 2),)),
        Node("a", 1, "", (Node("b", 2), Node("c", 3))),
        Node("a", 1, "", (Node("b", 2, "", (Node("c", 3),)),)),
        Node("a=1 ''\n 'b", 2),
    ]
    assert len({canonical(tree) for tree in trees}) == len(trees)


def test_one_line_a_node_even_for_hostile_words() -> None:
    tree = Node("goal\nforged=1", "line\nbreak \ud800", "why\n", (Node("part", 2),))
    assert canonical(tree).count(b"\n") == 1


def test_a_receipt_says_what_was_decided_from_which_numbers() -> None:
    first, second, over = outcomes()
    receipt = first.receipt
    assert find(receipt, "goal")[0].value == "first goal"
    assert find(receipt, "model_calls")[0].value == 0
    assert find(receipt, "shop")[0].value == 1
    assert [node.value for node in find(receipt, "used")] == [first.block.tokens]
    assert find(receipt, "ignored")[0].value == first.ignored.count
    assert find(receipt, "captured")[0].value == first.sufficiency.captured
    moves = find(receipt, "moves")[0]
    assert [part.what for part in moves.parts] == [move.ref for move in first.moves]
    entries = {node.what: node for node in find(receipt, "entries")[0].parts}
    assert entries[ref("m")].value == "mandatory/full"
    assert [node.value for node in find(entries[ref("a")], "closure")] == ["closed"]
    assert find(second.receipt, "drift")[0].value == second.drift.verdict.value
    assert over.receipt.value == "over_budget"
    assert find(over.receipt, "offenders")[0].parts[0].value == over.over_budget.offenders[0].tokens  # type: ignore[union-attr]


def test_no_text_of_a_record_is_in_a_receipt() -> None:
    for outcome in outcomes():
        assert b"calls something_else" not in canonical(outcome.receipt)
