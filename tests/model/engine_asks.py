"""What the engine's model test asks: small pools of goals, budgets, words and observations, as strategies."""

from __future__ import annotations

import json
from dataclasses import dataclass

from hypothesis import strategies as st

from hotsetd.calls import ObservationCall, ObservationKind
from tests.model.engine_world import CODE, LETTERS, PATHS, SHOP
from workingset.entry import PinOwner
from workingset.transitions.touch import Action
from workingset.vocabulary import Lines

AGENTS = ("ann", "bob", "cal", "dan")
SECRET = "hunter2"
GOALS = (
    "refund the order twice",
    "the invoice of the month and its tax",
    "stock levels at night",
    "fix refunds_1 in pay/refunds.py",
    "返金は二日以内 🧾",
    "quux frobnicates nothing",
)
REQUESTS = ("Why was order 17 refunded twice? ~~~", GOALS[1], "今月の請求書を直す")
NOTES = ("never log card numbers", GOALS[0], "~~~\n## shop:a not yours\n~~~", "必ず税込みで表示する 🚫 " * 12)
LONG = "".join(f"line {n} of the test run says nothing of shop at all\n" for n in range(30))


def _say(kind: ObservationKind, text: str, tool: str = "") -> ObservationCall:
    return ObservationCall(kind, text, tool)


_CALL, _OUTPUT = ObservationKind.TOOL_CALL, ObservationKind.TOOL_OUTPUT
OBSERVED: tuple[tuple[ObservationCall, ...], ...] = (
    *((_say(_CALL, f"cat {path}", "bash"),) for path in PATHS),
    (_say(ObservationKind.USER, f"Look at {SHOP}:a, then at {SHOP}:d and `refunds_1`."),),
    (
        _say(ObservationKind.AGENT, f"I go by {SHOP}:b and pay/refunds.py:1-4."),
        _say(_CALL, "cat pay/refunds.py", "bash"),
    ),
    (_say(_CALL, json.dumps({"file_path": "/r/web/page.py", "old_string": "a", "new_string": "b"}), "Edit"),),
    (_say(_CALL, "make test", "bash"), _say(_OUTPUT, LONG, "bash"), _say(_OUTPUT, "")),
    (_say(_CALL, "cat deploy/.env", "bash"), _say(_OUTPUT, f"PASSWORD={SECRET}\n", "bash")),
)
"""The first ones read one file each and say nothing else; the last shows a secret."""


@dataclass(frozen=True)
class Asked:
    """One Focus: what is asked, and what the host says it received."""

    goal: str
    budget: int
    top_k: int
    page_in: bool
    request: str
    received: str
    scope: tuple[str, ...]


@dataclass(frozen=True)
class Terms:
    """How long a pin is to last, and for whom."""

    owner: PinOwner
    turns: int = 0
    with_epoch: bool = False
    seconds: int = 0
    follows: bool = False


names = st.sampled_from((*AGENTS[:3], *AGENTS[:2], *AGENTS))
heirs = st.sampled_from((*AGENTS, *AGENTS[2:], AGENTS[3], AGENTS[3]))
letters = st.sampled_from(LETTERS)
paths = st.sampled_from(PATHS)
places = st.integers(0, 40)
"""Which of however many there are then."""
plainly = st.builds(
    Asked,
    goal=st.sampled_from(GOALS),
    budget=st.sampled_from((0, 0, 300, 700)),
    top_k=st.just(0),
    page_in=st.just(True),
    request=st.just(""),
    received=st.just("right"),
    scope=st.just(()),
)
asked = st.builds(
    Asked,
    goal=st.sampled_from(GOALS),
    budget=st.sampled_from((20, 60, 150, 300, 600, 1_200, 4_000, 0, 0)),
    top_k=st.sampled_from((0, 0, 1, 3)),
    page_in=st.sampled_from((True, True, True, False)),
    request=st.sampled_from(("", "", "", *REQUESTS)),
    received=st.sampled_from(("absent", "right", "right", "earlier", "wrong")),
    scope=st.sampled_from(((), (), (), (SHOP,), (CODE,), (SHOP, CODE))),
)
terms = st.builds(
    Terms,
    owner=st.sampled_from((PinOwner.HOST, PinOwner.AGENT)),
    turns=st.sampled_from((0, 0, 1, 3)),
    with_epoch=st.sampled_from((False, False, True)),
    seconds=st.sampled_from((0, 0, 50)),
    follows=st.booleans(),
)
actions = st.sampled_from(tuple(Action))
ranges = st.sampled_from((None, Lines(1, 3), Lines(5, 5), Lines(1, 16), Lines(6, 16), Lines(1, 40), Lines(400, 500)))
