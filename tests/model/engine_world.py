"""The naive world of the engine's model test: records, needs, successions and files as plain dicts.

It says what must be true of a record at any time without asking retrieval: its text, how it stands, what it may not be
shown as whole without.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from retrieval.ingest.typed_records import EdgeInput, RecordInput
from tests.daemon_room import note
from workingset.vocabulary import Namespace, Ref, Standing

SHOP = Namespace("shop")
CODE = Namespace("code")
LETTERS = "abcdefgh"
PATHS = ("pay/refunds.py", "pay/invoices.py", "web/page.py", "stock.md")
TOPICS = (
    "Refund the order once: a second request with the same key must not pay again.\n",
    "The invoice of the month lists every order, its number and its tax.\n",
    "Stock levels are counted at night ~~~ and corrected by hand.\n~~~\n",
    "支払いは税込みで表示する。返金は二日以内 🧾\n",
    "def settle(order):\n    return order.total\n",
)


def ref_of(letter: str) -> Ref:
    """The ref of a typed record."""
    return Ref(f"{SHOP}:{letter}")


def words(topic: int, times: int, version: int) -> str:
    """A text about a topic, so many times, that no other version has."""
    return f"{TOPICS[topic % len(TOPICS)] * times}version {version}\n"


def source(path: str, version: int) -> str:
    """A file whose pieces change from version to version, one after another."""
    if path.endswith(".md"):
        pages = (f"# Part {n}\n\n{TOPICS[(n + version) % 3]}\n" for n in range(3))
        return "".join(pages)
    functions = (
        f"def {path[4:-3]}_{n}(order):\n" + f"    total = order.total * {n + version // (n + 1)}\n" * (2 + n * 3)
        for n in range(3 - version % 2)
    )
    return "\n\n".join(function + "    return total\n" for function in functions)


@dataclass
class Item:
    """A typed record: what it says since which batch, what it needs by live edges, what it lost, what supersedes it."""

    text: str
    live: bool = True
    valid_until: int = 0
    batch: int = 0
    needs: set[Ref] = field(default_factory=set)
    lost: set[Ref] = field(default_factory=set)
    replaced_by: set[Ref] = field(default_factory=set)


@dataclass
class World:
    """All that was ingested. `files` are texts by path, `batches` counts what was sent."""

    items: dict[Ref, Item] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    versions: int = 0
    batches: int = 0

    def version(self) -> int:
        """A number that was never given out before."""
        self.versions += 1
        return self.versions

    def put(self, letter: str, text: str, valid_until: int = 0) -> RecordInput:
        """Write a record; a new version of it has lost nothing."""
        known = self.items.setdefault(ref_of(letter), Item(text, live=False))
        if not known.live or (known.text, known.valid_until) != (text, valid_until):
            known.text, known.live, known.valid_until, known.batch = text, True, valid_until, self.batches
            known.lost.clear()
        given = note(letter, text, title=f"note {letter}")
        return RecordInput(given.id, given.kind, given.title, given.text, valid_until_seconds=valid_until)

    def need(self, needing: str, needed: str, *, as_premise: bool) -> EdgeInput:
        """Let one live record need another one, in either way of writing that."""
        self.items[ref_of(needing)].needs.add(ref_of(needed))
        if as_premise:
            return EdgeInput(needed, "premise_of", needing)
        return EdgeInput(needing, "depends_on", needed)

    def supersede(self, old: str, new: str) -> EdgeInput:
        """Let one live record take another one's place."""
        self.items[ref_of(old)].replaced_by.add(ref_of(new))
        return EdgeInput(new, "supersedes", old)

    def leads_to(self, old: str, new: str) -> bool:
        """True where a record is, or is superseded over any steps by, another one."""
        found = {ref_of(old)}
        while more := {r for ref in found for r in self.items[ref].replaced_by} - found:
            found |= more
        return ref_of(new) in found

    def remove(self, ref: Ref) -> None:
        """Take a record out; its edges end with it, and who needed it has lost it."""
        gone = self.items[ref]
        gone.live = False
        gone.needs.clear()
        gone.lost.clear()
        gone.replaced_by.clear()
        for item in self.items.values():
            if ref in item.needs:
                item.needs.remove(ref)
                item.lost.add(ref)
            item.replaced_by.discard(ref)

    @property
    def live(self) -> list[str]:
        """The letters of the records that are there."""
        return [letter for letter in LETTERS if (item := self.items.get(ref_of(letter))) is not None and item.live]

    def usable(self, ref: Ref, scope: Collection[str], now: int) -> bool:
        """True where the record may be used at all."""
        item = self.items[ref]
        return item.live and SHOP in scope and (item.valid_until == 0 or item.valid_until > now)

    def standing(self, ref: Ref, scope: Collection[str], now: int) -> Standing:
        """What has to be said of the record."""
        item = self.items[ref]
        if not item.live:
            return Standing.REMOVED
        if not self.usable(ref, scope, now):
            return Standing.OUT_OF_SCOPE
        return Standing.SUPERSEDED if item.replaced_by else Standing.CURRENT

    def successor(self, ref: Ref, scope: Collection[str], now: int) -> Ref | None:
        """The end of the chain of usable records that supersede it, the newest of several; None where there is none."""
        end = None
        while later := [r for r in self.items[end or ref].replaced_by if self.usable(r, scope, now)]:
            end = min(later, key=lambda r: (-self.items[r].batch, r))
        return end

    def closure(self, ref: Ref, scope: Collection[str], now: int) -> tuple[set[Ref], bool]:
        """All that the record needs over all steps, and whether every need is there to be used."""
        found, steps, complete = {ref}, [ref], True
        while steps:
            item = self.items[steps.pop()]
            complete = complete and not any(not self.items[lost].live for lost in item.lost - item.needs)
            for need in item.needs - found:
                if self.usable(need, scope, now):
                    found.add(need)
                    steps.append(need)
                else:
                    complete = False
        return found - {ref}, complete
