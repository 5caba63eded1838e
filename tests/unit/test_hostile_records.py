"""Text is data: whatever a record says, in whatever place, changes nothing but where it ranks itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hotsetd.answers import FocusAnswer
from hotsetd.calls import PinCall
from hotsetd.ingesting import Batch, Header
from retrieval.errors import BadField
from tests import hostile_corpus as hostile
from tests.daemon_room import NAMESPACE, Room, opened
from tests.git_room import Repository
from workingset.entry import PinOwner
from workingset.rendering import Block
from workingset.tier import Tier
from workingset.vocabulary import Ref

PROFILES = ("default", "contested_claims", "irreversible_action", "adversarial_corpus")
OPPOSING = ("contested_claims", "irreversible_action", "adversarial_corpus")
SOUTH = Ref(f"{NAMESPACE}:south")
"""Not relevant enough for a place of its own: it has one of the opposing lane's, for which texts compete."""
BENIGN = frozenset(f"{NAMESPACE}:{each.id}" for each in hostile.BENIGN)
Put = Callable[[Room, Path], None]


def put_records(room: Room, made: list[hostile.RecordInput]) -> None:
    room.records(made)


def put_tree(room: Room, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    repository = Repository.begin(root, dict.fromkeys(["README.md"], "# Notes\nnothing here\n"))
    names = list(hostile.files().items())
    for at, subject in enumerate(hostile.subjects()):
        repository.commit(subject, dict(names[at :: len(hostile.subjects())]))
    sending = room.parts.ingesting.begin(room.parts.caller, Header(NAMESPACE, "", ""))
    room.parts.ingesting.tree(sending, str(root), False, lambda _: None, room.deadline)
    room.catch_up()


def put_turns(room: Room) -> None:
    sending = room.parts.ingesting.begin(room.parts.caller, Header(NAMESPACE, "", "chat"))
    room.parts.ingesting.batch(sending, Batch((), (), (), 0, False, tuple(hostile.turns())))
    room.parts.ingesting.finish(sending, room.deadline)
    room.catch_up()


CHANNELS: dict[str, Put] = {
    "texts": lambda room, _: put_records(room, hostile.in_text()),
    "titles": lambda room, _: put_records(room, hostile.in_titles()),
    "attributes": lambda room, _: put_records(room, hostile.in_attributes()),
    "documents": lambda room, _: room.documents(hostile.files()),
    "tree": put_tree,
    "conversation": lambda room, _: put_turns(room),
}


@dataclass(frozen=True)
class Held:
    """All of a turn that no record may move."""

    pins: object
    tiers: dict[Ref, object]
    order: list[Ref]
    profile: str
    owed: object
    ceiling: int
    namespaces: object
    opposed: object
    architecture: object


def held(answer: FocusAnswer) -> Held:
    state, coverage = answer.outcome.state, answer.coverage
    benign = [e for e in sorted(state.entries, key=lambda e: e.order) if e.ref in BENIGN]
    return Held(
        pins=[(p.ref, p.owner, p.reason, p.expires_turn) for p in state.pins],
        tiers={e.ref: (e.tier, e.standing, e.freshness, e.requires, e.closure) for e in benign},
        order=[e.ref for e in benign],
        profile=coverage.profile,
        owed=[(one.kind, one.required, one.lanes, one.budget) for one in coverage.obligations],
        ceiling=state.budget,
        namespaces=[namespace for namespace, _ in coverage.cut.generations],
        opposed=[(ref, by) for ref, by in coverage.opposed if ref in BENIGN],
        architecture=coverage.architecture,
    )


def turn(room: Room, profile: str, budget: int = 60_000) -> FocusAnswer:
    agent = f"{profile}-{budget}"
    pin = PinCall(agent=agent, ref=f"{NAMESPACE}:roof", text="", reason="ours", expires_turns=0, owner=PinOwner.HOST)
    room.parts.hosting.pin(room.parts.caller, pin)
    room.focus(hostile.GOAL, agent, profile=profile, budget_tokens=budget, top_k=200)
    return room.focus(hostile.GOAL, agent, profile=profile, budget_tokens=budget, top_k=200)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Held]:
    """What the benign corpus alone gives, by profile."""
    with opened(tmp_path_factory.mktemp("plain")) as room:
        room.records(hostile.BENIGN, hostile.BENIGN_EDGES)
        return {profile: held(turn(room, profile)) for profile in PROFILES}


@pytest.fixture(params=CHANNELS, scope="module")
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """The benign corpus with one channel's attacks beside it."""
    tmp_path = tmp_path_factory.mktemp(request.param)
    with opened(tmp_path / "home") as room:
        room.records(hostile.BENIGN, hostile.BENIGN_EDGES)
        CHANNELS[request.param](room, tmp_path)
        yield room


@pytest.mark.parametrize("profile", PROFILES)
def test_it_changes_nothing_but_its_own_ranking(attacked: Room, plain: dict[str, Held], profile: str) -> None:
    answer = turn(attacked, profile)
    strangers = [e for e in answer.outcome.state.entries if e.namespace == NAMESPACE and e.ref not in BENIGN]

    found, alone = held(answer), plain[profile]
    assert replace(found, tiers={}, order=[]) == replace(alone, tiers={}, order=[])
    assert found.order == [ref for ref in alone.order if ref in found.tiers]
    assert found.tiers == {ref: alone.tiers[ref] for ref in found.order}
    outdone = [ref for ref in alone.order if ref not in found.tiers]
    assert outdone in ([], [SOUTH] if profile in OPPOSING else []), "only for a place of the opposing lane is competed"
    assert strangers, "the attacks were found, or nothing is shown here"
    assert {e.tier for e in strangers} <= {Tier.RESIDENT, Tier.FRONTIER_ONLY}
    assert all((not e.required_by and not e.requires) or e.kind == "turn" for e in strangers)
    assert segments(answer.outcome.block.text) == own_refs(answer.outcome.block)


def test_a_small_budget_holds_what_must_be_there(attacked: Room) -> None:
    answer = turn(attacked, "default", 260)
    state = answer.outcome.state
    assert answer.outcome.block.tokens <= 260
    assert [p.ref for p in state.pins if p.owner is PinOwner.HOST] == [f"{NAMESPACE}:roof"]
    assert f"{NAMESPACE}:roof" in {e.ref for e in state.entries if e.tier is Tier.PINNED and e.has_text}
    assert segments(answer.outcome.block.text) == own_refs(answer.outcome.block)


@pytest.mark.parametrize(
    ("namespace", "source"), [("goal", "x"), ("request", "x"), ("agent.dev", "x"), ("shop", "tree:/etc"), ("a:b", "x")]
)
def test_names_of_ours_are_not_for_writers_of_records(attacked: Room, namespace: str, source: str) -> None:
    with pytest.raises(BadField):
        attacked.parts.ingesting.begin(attacked.parts.caller, Header(namespace, "", source))


def own_refs(block: Block) -> list[Ref]:
    """The refs of a block's segments as the core says, without the goal's."""
    assert block.segments[-1].ref.startswith("goal:")
    return [piece.ref for piece in block.segments[:-1]]


_HEADER = re.compile(r"## (\S+)( .*)?")
_LINE = re.compile(r"- (\S+)( .*)?")


def segments(block: str) -> list[Ref]:
    """The refs of a block's segments, read by its written rules alone, as an agent would."""
    found: list[Ref] = []
    lines = iter(block.split("\n"))
    for line in lines:
        if line == "# Goal":
            break
        header, reference = _HEADER.fullmatch(line), _LINE.fullmatch(line)
        if header:
            fence = next(lines)
            assert re.fullmatch("~{3,}", fence), (line, fence)
            while next(lines) != fence:
                pass
            found.append(Ref(header.group(1)))
        elif reference:
            found.append(Ref(reference.group(1)))
        else:
            raise AssertionError(f"no segment begins so: {line!r}")
    return found
