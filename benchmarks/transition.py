"""How long does one Focus of the pure core take, how does that grow, and where does the time go?

A set of N entries meets a projection of N candidates, half of them entries, for N of 200, 2,000 and 20,000, four ways:
*roomy*, where the budget holds all entries and all results; *pressed*, where it holds half of the entries; *needing*,
as pressed, where half of the records need one or two others; *repeated*, as roomy, where the same is asked again and
nothing moves. Of the candidates as many may enter as the largest window lets. Records
are made up, texts of some 20 to 400 tokens, counted with the product's own counter and its memory of counts: in a
session few texts are new. Prints p50 and p99, the exponent of growth between sizes, and the share of each part, taken
in turns of their own with a stopwatch around each. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from importlib import import_module
from math import log, nan
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

from xxhash import xxh3_128_hexdigest

from benchmarks.results import percent, result_line, table
from retrieval.text.token_count import MemoisedCounter, TokenCountSettings, counter_named
from workingset.candidate import Candidate, GoalView, Projection, Renderings
from workingset.rendering import CountTokens
from workingset.settings import WorkingSetSettings
from workingset.transitions.focus import FocusOrder, FocusOutcome, focus
from workingset.vocabulary import (
    AgentId,
    Cut,
    Digest,
    Generation,
    Lines,
    Namespace,
    Ref,
    Relevance,
    SupportClosure,
    Tokens,
)
from workingset.working_set import WorkingSet

SIZES = (200, 2_000, 20_000)
CASES = ("roomy", "pressed", "needing", "repeated")
NAMESPACE = Namespace("bench")
SETTINGS = WorkingSetSettings()
AMPLE = Tokens(10**9)
NEEDING_SHARE = 0.5
"""Guess: share of the records that need others, as a method needs its class."""
NEEDED_EVERY = 10
"""Guess: of so many records one is needed by others, and needs nothing."""
PARTS: dict[str, tuple[str, ...]] = {
    "bringing up to the cut": ("focus.refresh_entries", "focus.replace_own_words", "texts.records_of"),
    "drift": ("focus.detect", "focus.baseline_after"),
    "situation": ("focus.asked_of", "focus.situation_of", "filling.situation_of"),
    "choosing": ("choosing.Choosing.choose",),
    "eviction policy": ("draft.Draft.victims",),
    "packing": ("choosing.pack",),
    "sizes": ("texts.Texts.tokens",),
    "moving": ("filling.apply_choice", "filling.give_way", "filling.fixed_entries"),
    "settling": ("filling.settle",),
    "rendering": ("filling.render",),
    "remainder": ("focus.remainder", "focus.captured", "focus.judge"),
    "delivery": ("focus.deliver", "focus.delta", "focus.prefix_stable"),
    "receipt": ("focus.focus_receipt",),
    "the next state": ("draft.Draft.into", "focus.ledger"),
}
"""What is timed as what: functions under `workingset.transitions`. Time in another part counts there; the rest, such as
copying the draft, is `other`."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One Focus to be timed again and again: a function of values gives the same each time."""

    case: str
    number: int
    state: WorkingSet
    projection: Projection
    order: FocusOrder

    def run(self, count: CountTokens) -> FocusOutcome:
        """The transition."""
        return focus(self.state, self.projection, self.order, SETTINGS, count)


@dataclass(frozen=True, slots=True)
class Timed:
    """What one scene took."""

    scene: Scene
    milliseconds: tuple[float, ...]
    cpu_milliseconds: tuple[float, ...]
    shares: dict[str, float]
    entries_after: int

    @property
    def p50(self) -> float:
        """The median, in milliseconds."""
        return statistics.median(self.milliseconds)

    @property
    def cpu_p50(self) -> float:
        """The median of the processor's time, in milliseconds: what it takes where nothing else runs."""
        return statistics.median(self.cpu_milliseconds)

    @property
    def p99(self) -> float:
        """The 99th percentile, in milliseconds; of fewer than a hundred runs the slowest."""
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def main() -> None:
    """Make the scenes, time them, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES)
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each is repeated, 5 times at least")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for case in options.cases:
        timed = [measure(scene_of(case, number, options.seed), options.seconds) for number in options.sizes]
        report(case, timed)


def scene_of(case: str, number: int, seed: int) -> Scene:
    """Return a set of `number` entries and the Focus that it is to meet."""
    records = made_records(number + number // 2, random.Random(seed))
    if case == "needing":
        records = with_needs(records, random.Random(seed + 2))
    held, window = records[:number], SETTINGS.packing.top_k_limit_results
    first = projected("how the first thing is done", held, held)
    count = new_counter()
    # Everything enters at first: a window as wide as the set.
    built = focus(WorkingSet(AgentId("bench")), first, FocusOrder(AMPLE, number, (NAMESPACE,)), SETTINGS, count)
    candidates = reweighed(records[number // 2 : number // 2 + number], random.Random(seed + 1))
    projection = projected("how the first thing is done elsewhere", candidates, held)
    budget = Tokens(built.ledger.used // 2) if case in ("pressed", "needing") else AMPLE
    order = FocusOrder(budget, window, (NAMESPACE,))
    scene = Scene(case, number, built.state, projection, order)
    return replace(scene, state=scene.run(count).state) if case == "repeated" else scene


def made_records(number: int, chance: random.Random) -> list[Candidate]:
    """Return records of a few lines to some dozens, as declarations are, with falling relevance."""
    words = [f"{verb}_{noun}" for verb in ("read", "write", "check", "pay") for noun in ("order", "row", "key", "page")]
    records: list[Candidate] = []
    for place in range(number):
        lines = min(45, 2 + int(chance.lognormvariate(2.2, 0.7)))
        rows = [f"    {chance.choice(words)} = {chance.choice(words)}(item_{place}, {row})" for row in range(lines)]
        full = "\n".join((f"def function_{place}(item_{place}):", *rows)) + "\n"
        records.append(
            Candidate(
                ref=Ref(f"{NAMESPACE}:function_{place:05}"),
                namespace=NAMESPACE,
                kind="function",
                title=f"function_{place}",
                generation=Generation(1),
                digest=Digest(xxh3_128_hexdigest(full.encode())),
                renderings=Renderings(full, "\n".join(full.split("\n")[:3]), rows[0].strip()),
                path=f"package_{place % 50}/module_{place % 500}.py",
                lines=Lines(1, lines + 1),
                relevance=Relevance(0.95 - 0.9 * place / number),
                closure=SupportClosure.CLOSED,
            )
        )
    return records


def with_needs(records: Sequence[Candidate], chance: random.Random) -> list[Candidate]:
    """Return the records, a share of them in need of one or two before them; so entries need nothing but entries."""
    heads = [record.ref for record in records[::NEEDED_EVERY]]
    made: list[Candidate] = []
    for place, record in enumerate(records):
        before = heads[: place // NEEDED_EVERY + 1]
        if place % NEEDED_EVERY == 0 or chance.random() >= NEEDING_SHARE:
            made.append(record)
        else:
            made.append(replace(record, requires=tuple(chance.sample(before, min(len(before), chance.randint(1, 2))))))
    return made


def reweighed(records: Sequence[Candidate], chance: random.Random) -> list[Candidate]:
    """Return the records as another goal ranks them."""
    return [replace(record, relevance=Relevance(chance.uniform(0.2, 0.95))) for record in records]


def projected(goal: str, ranked: Sequence[Candidate], held: Sequence[Candidate]) -> Projection:
    """Return what retrieval would say: the ranked in order, and the records of the set."""
    ordered = sorted(
        (replace(candidate, selection_score=float(candidate.relevance)) for candidate in ranked),
        key=lambda candidate: (-candidate.selection_score, candidate.ref),
    )
    return Projection(
        goal=GoalView(goal, frozenset(goal.split())),
        cut=Cut.of({NAMESPACE: Generation(1)}),
        ranked=tuple(ordered),
        known=tuple(held),
        records_in_scope=len(held) * 2,
    )


def new_counter() -> CountTokens:
    """Return the daemon's counter with room for all texts of the largest scene."""
    settings = TokenCountSettings(memoised_entries=400_000, memoised_bytes=2**30)
    return MemoisedCounter(counter_named("o200k_base"), settings).count


def measure(scene: Scene, seconds: float) -> Timed:
    """Time a scene over and over, then once more in parts."""
    count = new_counter()
    entries = len(scene.run(count).state.entries)
    took: list[float] = []
    busy: list[float] = []
    ends = perf_counter() + seconds
    while len(took) < 5 or (perf_counter() < ends and len(took) < 2_000):
        began, began_cpu = perf_counter(), process_time()
        scene.run(count)
        took.append((perf_counter() - began) * 1e3)
        busy.append((process_time() - began_cpu) * 1e3)
    return Timed(scene, tuple(took), tuple(busy), shares_of(scene, count), entries)


class Stopwatch:
    """Time by part; while a part runs within another, it is counted for itself alone."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._running = ["other"]
        self._since = 0.0

    def start(self) -> None:
        """Begin to count."""
        self._since = perf_counter()

    def around(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its time counted for the part."""

        def timed(*args: Any, **names: Any) -> Any:
            self._switch()
            self._running.append(part)
            try:
                return function(*args, **names)
            finally:
                self._switch()
                self._running.pop()

        return timed

    def stop(self) -> dict[str, float]:
        """Return the share of each part, the largest first."""
        self._switch()
        total = sum(self.seconds.values())
        return {part: took / total for part, took in sorted(self.seconds.items(), key=lambda item: -item[1])}

    def _switch(self) -> None:
        now = perf_counter()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now


def shares_of(scene: Scene, count: CountTokens) -> dict[str, float]:
    """Return the share of each part in a few runs; stopwatches make what is called often look a little dearer."""
    with ExitStack() as stack:
        watch = Stopwatch()
        for part, names in PARTS.items():
            for name in names:
                stack.enter_context(_watched(watch, part, name))
        counted = watch.around("counting", count)
        watch.start()
        for _ in range(3):
            scene.run(counted)
        return watch.stop()


def _watched(watch: Stopwatch, part: str, name: str) -> AbstractContextManager[object]:
    module, *classes, function = name.split(".")
    owner: Any = import_module(f"workingset.transitions.{module}")
    for inner in classes:
        owner = getattr(owner, inner)
    return patch.object(owner, function, watch.around(part, getattr(owner, function)))


def report(case: str, timed: Sequence[Timed]) -> None:
    """Print one case: a table of sizes, the shares, and RESULT lines."""
    print(f"\n{case}")
    rows: list[tuple[str, ...]] = []
    for place, one in enumerate(timed):
        exponent = exponent_of(timed[place - 1], one) if place else nan
        grown = "" if place == 0 else f"{exponent:.2f}"
        rows.append(
            (
                f"{one.scene.number:,}",
                f"{one.entries_after:,}",
                f"{len(one.milliseconds)}",
                f"{one.p50:.2f}",
                f"{one.p99:.2f}",
                f"{one.cpu_p50:.2f}",
                grown,
            )
        )
    print(
        table(("entries and candidates", "entries after", "runs", "p50 ms", "p99 ms", "cpu p50 ms", "exponent"), rows)
    )
    parts = list(dict.fromkeys(part for one in timed for part in one.shares))
    head = ("share of", *(f"{one.scene.number:,}" for one in timed))
    ordered = sorted(parts, key=lambda part: -timed[-1].shares.get(part, 0.0))
    print(table(head, [(part, *(percent(one.shares.get(part, 0.0)) for one in timed)) for part in ordered]))
    for place, one in enumerate(timed):
        values: dict[str, str | int | float] = {
            "case": case,
            "entries": one.scene.number,
            "candidates": one.scene.number,
            "n": len(one.milliseconds),
            "p50_ms": one.p50,
            "p99_ms": one.p99,
            "cpu_p50_ms": one.cpu_p50,
            "exponent": exponent_of(timed[place - 1], one) if place else nan,
        }
        print(result_line("transition", values))


def exponent_of(smaller: Timed, larger: Timed) -> float:
    """Return by which power of the size the processor's time grows from one size to the next: 1 is linear."""
    return log(larger.cpu_p50 / smaller.cpu_p50) / log(larger.scene.number / smaller.scene.number)


if __name__ == "__main__":
    main()
