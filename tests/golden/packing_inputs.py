"""Inputs of packing as real turns made them: kept as JSON, and recorded anew from this repository's own tree.

A recording ingests the tree into a store, once as it is and once with needs between its records (each part of a file
needs the file's head, and a head needs that of the first module it imports), and takes down what `pack` is given in
turns of several goals, budgets and windows. A file holds the inputs of one corpus and budget, one a line. It takes
half a minute; HOTSET_WRITE_GOLDEN=1 before the tests asks for it.
"""

from __future__ import annotations

import ast
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from xxhash import xxh3_64_hexdigest

from retrieval.ingest.typed_records import EdgeInput
from retrieval.record import Record
from tests.daemon_room import Room, opened
from workingset.choices import Choice, Unit
from workingset.packing import Packed, pack
from workingset.settings import SearchSettings
from workingset.transitions import choosing
from workingset.vocabulary import Fidelity, Namespace, Ref, Tokens

FILES = Path(__file__).parent / "packing"
TREE = Path(__file__).parents[2]
BUDGETS = (250, 1_000, 4_000, 16_000)
WINDOWS = (20, 200)
PLAIN, NEEDING = Namespace("plain"), Namespace("needing")
GOALS = (
    ("how does packing choose the rendering of an entry", "which entries leave the set first under pressure"),
    ("the lexical index is behind the store", "undo a refocus and what it took out"),
)
"""Each pair is one agent's: the second goal is packed beside what the first one brought in."""
_FOLDERS = ("workingset", "retrieval", "daemon/hotsetd")
_FIDELITIES = (Fidelity.FULL, Fidelity.OUTLINE, Fidelity.GIST)
_IMPORTS = 1
"""Of how many modules that it imports a head is taken to need the heads."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One call of `pack`, refs replaced by digests."""

    name: str
    units: tuple[Unit, ...]
    needed: Mapping[Ref, Tokens]
    room: Tokens
    held: frozenset[Ref]

    def packed(self) -> Packed:
        """Pack it."""
        return pack(self.units, self.needed, self.room, self.held)


def read() -> list[Recorded]:
    """Return every kept input."""
    return [_decoded(line) for file in sorted(FILES.glob("*.jsonl")) for line in file.read_text().splitlines()]


def write() -> None:
    """Record all inputs anew and keep them."""
    FILES.mkdir(exist_ok=True)
    for old in FILES.glob("*.jsonl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "home") as room:
        for namespace in (PLAIN, NEEDING):
            room.documents(_documents(), namespace)
        room.records([], _needs(room), NEEDING)
        for namespace in (PLAIN, NEEDING):
            for budget in BUDGETS:
                lines = [_encoded(recorded) for recorded in _recorded(room, namespace, budget)]
                (FILES / f"{namespace}-{budget:05}.jsonl").write_text("".join(f"{line}\n" for line in lines))


def _recorded(room: Room, namespace: Namespace, budget: int) -> Iterator[Recorded]:
    for at, goals in enumerate(GOALS):
        for window in WINDOWS:
            agent = f"{namespace}-{budget}-{window}-{at}"
            for turn, goal in enumerate(goals):
                calls: list[Recorded] = []

                def recording(
                    units: Sequence[Unit],
                    needed: Mapping[Ref, Tokens],
                    left: Tokens,
                    held: frozenset[Ref],
                    search: SearchSettings,
                ) -> Packed:
                    name = f"{namespace} budget {budget} window {window} goal {at}.{turn}"  # noqa: B023
                    calls.append(Recorded(name, tuple(units), dict(needed), left, held))  # noqa: B023
                    return pack(units, needed, left, held, search)

                with patch.object(choosing, "pack", recording):
                    room.focus(goal, agent, budget_tokens=budget, top_k=window, namespaces=(namespace,))
                # A choice made again with a little less room is hardly another input.
                yield from calls[:1]


def _documents() -> dict[str, str]:
    paths = [path for folder in _FOLDERS for path in sorted((TREE / folder).rglob("*.py"))]
    return {str(path.relative_to(TREE)): path.read_text(encoding="utf-8") for path in paths}


def _needs(room: Room) -> list[EdgeInput]:
    texts = _documents()
    with room.parts.store.snapshot(room.parts.caller.tenant) as txn:
        parts = {path: sorted(txn.path_records(NEEDING, path), key=_first_line) for path in texts}
    heads = {path: records[0].ref for path, records in parts.items() if records}
    edges: list[EdgeInput] = []
    for path, head in heads.items():
        edges += [EdgeInput(part.ref, "depends_on", head) for part in parts[path][1:]]
        imported = [heads[other] for other in _imported(texts[path]) if heads.get(other, head) != head]
        edges += [EdgeInput(head, "depends_on", other) for other in imported[:_IMPORTS]]
    return edges


def _first_line(record: Record) -> tuple[int, str]:
    return (record.lines.start if record.lines else 0, record.ref)


def _imported(text: str) -> list[str]:
    modules = [node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.module]
    return [f"{'daemon/' if name.startswith('hotsetd') else ''}{name.replace('.', '/')}.py" for name in modules]


def _encoded(recorded: Recorded) -> str:
    units = [
        [_name(u.ref), [[c.tokens, round(c.worth, 9)] for c in u.choices], [_name(ref) for ref in u.needs]]
        for u in recorded.units
    ]
    needed = {_name(ref): tokens for ref, tokens in recorded.needed.items()}
    wanted = {ref for unit in recorded.units for ref in unit.needs}
    held = sorted(_name(ref) for ref in recorded.held & wanted)
    values = {"name": recorded.name, "room": recorded.room, "held": held, "needed": needed, "units": units}
    return json.dumps(values, separators=(",", ":"))


def _decoded(line: str) -> Recorded:
    values = json.loads(line)
    units = tuple(
        Unit(
            Ref(name),
            tuple(Choice(fidelity, Tokens(c[0]), c[1]) for fidelity, c in zip(_FIDELITIES, choices, strict=False)),
            tuple(map(Ref, needs)),
        )
        for name, choices, needs in values["units"]
    )
    needed = {Ref(name): Tokens(tokens) for name, tokens in values["needed"].items()}
    return Recorded(values["name"], units, needed, Tokens(values["room"]), frozenset(map(Ref, values["held"])))


def _name(ref: Ref) -> str:
    return xxh3_64_hexdigest(ref.encode())[:8]
