"""F41: 1,000 random edits applied incrementally against a full rebuild / compare / same digests.

Edits of a tree are taken in one by one by ingest and followed by both indexes; then the tree as it stands is ingested
into an empty store. A tenth of the edits here; all of them where HOTSET_SOAK is set.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import xxhash

from tests.contract.indexes_room import Room, open_room
from tests.ingest_room import CODE, TENANT, contents, live_records, take

EDITS = 1_000 if os.environ.get("HOTSET_SOAK") else 100
WORDS = ("ledger", "refund", "voucher", "carrier", "invoice", "basket", "auditor", "lantern", "harbour", "meadow")


class Tree:
    """Files on disk and the ways in which they change."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root = root
        self._chance = chance
        self._made = 0
        root.mkdir()
        for _ in range(12):
            self.add()

    def edit(self) -> None:
        """One random edit."""
        ways: list[Callable[[], None]] = [self.add, self.change, self.change, self.change, self.move, self.remove]
        self._chance.choice(ways)()

    def add(self) -> None:
        """A new file, or now and then a copy of one there is."""
        self._made += 1
        files = self._files()
        suffix = self._chance.choice([".py", ".py", ".md"])
        path = self.root / f"d{self._made % 4}" / f"f{self._made}{suffix}"
        path.parent.mkdir(exist_ok=True)
        same = [file for file in files if file.suffix == suffix]
        if same and self._chance.random() < 0.2:
            path.write_text(self._chance.choice(same).read_text())
        else:
            path.write_text("".join(self._piece(suffix) for _ in range(self._chance.randint(1, 5))))

    def change(self) -> None:
        """Put a piece in front, at the end, or in place of everything from some piece on."""
        path = self._chance.choice(self._files())
        mark = "\n\n\ndef " if path.suffix == ".py" else "\n\n## "
        pieces = path.read_text().split(mark)
        new = self._piece(path.suffix)
        at = self._chance.randrange(len(pieces) + 1)
        if self._chance.random() < 0.5 and pieces:
            pieces = pieces[:at]
        kept = mark.join(pieces)
        path.write_text(new + kept if self._chance.random() < 0.5 else kept + "\n\n\n" + new)

    def move(self) -> None:
        """A file under another name, its content as it was."""
        self._made += 1
        path = self._chance.choice(self._files())
        target = self.root / f"d{self._made % 4}" / f"f{self._made}{path.suffix}"
        target.parent.mkdir(exist_ok=True)
        path.rename(target)

    def remove(self) -> None:
        """A file less, while there are some."""
        files = self._files()
        if len(files) > 6:
            self._chance.choice(files).unlink()

    def _files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def _piece(self, suffix: str) -> str:
        one, two, three = (self._chance.choice(WORDS) for _ in range(3))
        number = self._chance.randrange(6)
        if suffix == ".py":
            return f"def {one}_{number}(x):\n    # {two} of the {three}\n    return {two}_{number}(x) + {number}\n\n\n"
        return f"## {one} {number}\n\nThe {two} of the {three}.\n\n"


@pytest.mark.timeout(3_600)
def test_f41_edits_taken_in_one_by_one_equal_a_rebuild(tmp_path: Path) -> None:
    chance = random.Random(41)
    tree = Tree(tmp_path / "tree", chance)
    grown = open_room(tmp_path / "grown")
    for _ in range(EDITS):
        tree.edit()
        take(grown.store, tree.root)
        if chance.random() < 0.3:
            grown.catch_up()
    grown.catch_up()
    built = open_room(tmp_path / "built")
    take(built.store, tree.root)
    built.catch_up()

    records, edges = contents(grown.store)
    assert (records, edges) == contents(built.store)
    assert _digest(records, edges) == _digest(*contents(built.store))
    assert _digest(_found(grown)) == _digest(_found(built))
    for room in (grown, built):
        with room.store.snapshot(TENANT) as txn:
            live = txn.counts(CODE).records
        assert room.vector.count(TENANT, CODE) == room.lexical.documents() == live == len(live_records(room.store))
        room.close()


def _found(room: Room) -> list[object]:
    """What each index finds for every word, as places in files: all that match, and the nearest with their cosines."""
    places = {record.ref: (record.path, record.lines, record.kind, record.title) for record in live_records(room.store)}
    found: list[object] = []
    for word in WORDS:
        matches = room.words(word, tenant=TENANT, namespaces=[CODE], limit=10_000)
        found.append(sorted(map(repr, (places[ref] for ref in matches))))  # type: ignore[index]
        hits = room.vector.search(TENANT, CODE, room.embedder.embed([word])[0], 10_000)
        named = zip(room.names(hits, TENANT), hits, strict=True)
        found.append(sorted((repr(places[ref]), hit.score) for ref, hit in named))  # type: ignore[index]
    return found


def _digest(*values: object) -> str:
    return xxhash.xxh3_128_hexdigest(repr(values).encode())
