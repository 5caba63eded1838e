"""From what the agent did to uses with their pages: which records a path, a range, a quote or a ref comes to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from hotsetd.calls import ObservationCall, ObservationKind
from hotsetd.config import LimitSettings
from hotsetd.observing import Observed, Observer, checked
from retrieval.errors import BadField
from retrieval.record import Record
from tests.core_scenes import SETTINGS
from tests.world import CODE, TENANT, World, record
from workingset.entry import Entry
from workingset.tier import Tier
from workingset.transitions.touch import Action
from workingset.vocabulary import AgentId, Fidelity, Lines, Namespace, Ref, Turn
from workingset.working_set import WorkingSet

FORK = Namespace("fork")


def page(
    local: str, path: str, first: int, texts: Sequence[str], namespace: Namespace = CODE, source: str = ""
) -> Record:
    text = "".join(f"{line}\n" for line in texts)
    made = record(local, text, path=path, lines=Lines(first, first + len(texts) - 1), namespace=namespace)
    return replace(made, source=source)


def shop(*more: Record) -> World:
    """Two files of a tree at /r: one of three pages, one at the root."""
    world = World()
    world.put(
        page("head", "src/cart.py", 1, ["import money", ""], source="tree:/r"),
        page("total", "src/cart.py", 3, ["def total(lines):", "    rate = 1", "    return rate"], source="tree:/r"),
        page("tax", "src/cart.py", 6, ["def compute_tax(x):", "    rate = 2", "    return x"], source="tree:/r"),
        page("setup", "setup.py", 1, ["setup()"], source="tree:/r"),
        record("rule", "Refunds take ten days."),
        *more,
    )
    return world


def observe(world: World, *observed: ObservationCall, held: Sequence[str] = ()) -> Observed:
    """What is found, by an agent whose set holds some records."""
    with world.store.snapshot(TENANT) as txn:
        records = [r for name in held if (r := txn.record(Ref(f"{CODE}:{name}"))) is not None]
        state = WorkingSet(AgentId("dev"), turn=Turn(1), entries=tuple(_entry(r, i) for i, r in enumerate(records)))
        observer = Observer(txn, world.retrieval(), (CODE, FORK), 0, SETTINGS.observation)
        return observer.observe(observed, state)


def _entry(held: Record, order: int) -> Entry:
    return Entry(
        ref=held.ref,
        namespace=held.namespace,
        kind=held.kind,
        title=held.title,
        tier=Tier.RESIDENT,
        fidelity=Fidelity.FULL,
        generation=held.generation,
        digest=held.digest,
        admitted_turn=Turn(1),
        order=order,
        path=held.path,
        lines=held.lines,
    )


def call(tool: str, arguments: dict[str, object] | str) -> ObservationCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ObservationCall(ObservationKind.TOOL_CALL, text, tool)


def said(text: str) -> ObservationCall:
    return ObservationCall(ObservationKind.AGENT, text)


def uses(observed: Observed) -> list[tuple[str, list[str], tuple[int, int] | None]]:
    return [
        (
            seen.use.action.value,
            [page.ref.partition(":")[2] for page in seen.use.pages],
            (seen.use.lines.start, seen.use.lines.end) if seen.use.lines else None,
        )
        for seen in observed.uses
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("cat src/cart.py", [("read", ["head", "total", "tax"], None)]),
        ("cat /r/src/cart.py", [("read", ["head", "total", "tax"], None)]),
        ("cat /testbed/shop/src/cart.py", [("read", ["head", "total", "tax"], None)]),
        ("cat cart.py", [("read", ["head", "total", "tax"], None)]),
        ("cd src; cat ./cart.py", [("read", ["head", "total", "tax"], None)]),
        ("cd src/lib; cat ../cart.py", [("read", ["head", "total", "tax"], None)]),
        ("sed -n '4,6p' src/cart.py", [("read", ["total", "tax"], (4, 6))]),
        ("sed -n '1p;7p' src/cart.py", [("read", ["head"], (1, 1)), ("read", ["tax"], (7, 7))]),
        ("sed -n '3p;5p' src/cart.py", [("read", ["total"], (3, 3))]),
        ("tail -n 2 src/cart.py", [("read", ["tax"], (7, 8))]),
        ("cat setup.py", [("read", ["setup"], None)]),
        ("cat /r/setup.py", [("read", ["setup"], None)]),
    ],
)
def test_a_read_is_of_the_pages_of_its_lines(
    line: str, found: list[tuple[str, list[str], tuple[int, int] | None]]
) -> None:
    observed = observe(shop(), call("bash", line))
    assert uses(observed) == found
    assert observed.skipped == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("cat nothing.py", "no_record"),
        ("cat /usr/lib/setup.py", "no_record"),
        ("cat lib/setup.py", "no_record"),
        ("cat lib/cart.py", "no_record"),
        ("cat art.py", "no_record"),
        ("sed -n '900p' src/cart.py", "no_record"),
        ("cat util.py", "ambiguous_path"),
        ("cat src/both.py", "ambiguous_path"),
        ("sed -i 's/no such words/x/' src/cart.py", "quote_not_found"),
    ],
)
def test_what_no_record_matches_is_counted_and_no_error(line: str, reason: str) -> None:
    world = shop(
        page("u1", "a/util.py", 1, ["x"]),
        page("u2", "b/util.py", 1, ["x"]),
        page("b1", "src/both.py", 1, ["x"]),
        page("b2", "src/both.py", 1, ["x"], FORK),
    )
    assert observe(world, call("bash", line)) == Observed((), ((reason, 1),))


def test_of_two_trees_the_one_is_meant_in_which_the_path_lies() -> None:
    world = shop(
        page("here", "src/both.py", 1, ["x"], source="tree:/r"),
        page("there", "src/both.py", 1, ["x"], FORK, source="tree:/fork"),
    )
    assert uses(observe(world, call("Read", {"path": "/fork/src/both.py"}))) == [("read", ["there"], None)]
    assert uses(observe(world, call("Read", {"path": "/r/src/both.py"}))) == [("read", ["here"], None)]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("    rate = 2\n", "    rate = 3\n", [("edit", ["tax"], (6, 8))]),
        ("gone already", "    rate = 1\n    return", [("edit", ["total"], (3, 5))]),
        ("return rate\ndef compute_tax", "x", [("edit", ["total", "tax"], (3, 8))]),
        ("rate =", "price =", [("edit", ["total", "tax"], (3, 8))]),
        ("x", "y", []),
    ],
)
def test_an_edit_is_of_the_pages_that_hold_what_it_replaces_or_put_there(
    old: str, new: str, found: list[tuple[str, list[str], tuple[int, int]]]
) -> None:
    observed = observe(shop(), call("Edit", {"file_path": "/r/src/cart.py", "old_string": old, "new_string": new}))
    assert uses(observed) == found


def test_one_observation_uses_a_record_once_in_its_strongest_way() -> None:
    observed = observe(
        shop(),
        call("bash", "cat src/cart.py && sed -i '7d' src/cart.py # code:tax, code:rule"),
        said("code:tax and code:rule"),
        held=["tax", "rule"],
    )
    assert [(seen.observation, *use) for seen, use in zip(observed.uses, uses(observed), strict=True)] == [
        (0, "edit", ["tax"], (7, 7)),
        (0, "read", ["head", "total"], None),
        (0, "cite", ["rule"], None),
        (1, "cite", ["tax"], (6, 8)),
        (1, "cite", ["rule"], None),
    ]
    assert observed.mentions(3) == (
        ("code:tax", "code:head", "code:total", "code:rule"),
        ("code:tax", "code:rule"),
        (),
    )
    assert observed.reads(2) == (("code:head", "code:total"), ())


def test_words_cite_only_what_the_set_holds_as_it_now_stands() -> None:
    world = shop()
    assert observe(world, said("code:rule and src/cart.py:7")).uses == ()
    [seen] = observe(world, said("see src/cart.py:7"), held=["tax", "rule"]).uses
    assert (seen.use.action, seen.matched, seen.use.lines) == (Action.CITE, "src/cart.py:7", Lines(7, 7))
    assert seen.use.pages[0].renderings.full.startswith("def compute_tax")


def test_refs_that_a_call_names_are_read_and_unknown_ones_counted() -> None:
    world = shop()
    world.remove(Ref("code:setup"))
    refs = ["code:rule", "code:none", "code:setup", "nothing", "", "a:" + "b" * 5_000]
    observed = observe(world, call("resolve", {"refs": refs}))
    assert uses(observed) == [("read", ["rule"], None)]
    assert observed.skipped == (("no_record", 5),)


@pytest.mark.parametrize(
    ("calls", "field"),
    [
        ([said("x")] * 3, "observed"),
        ([said("x"), said("\ud800")], "observed[1].text"),
        ([call("t" * 11, "x")], "observed[0].tool"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(calls: list[ObservationCall], field: str) -> None:
    with pytest.raises(BadField) as caught:
        checked(calls, LimitSettings(observations=2, tool_characters=10))
    assert caught.value.field == field
