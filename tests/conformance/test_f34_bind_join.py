"""F34: bind join from 10 keys to a 1e6 table / run / <= 10 probes (+pages), result equals full join."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from retrieval.algebra.domain import Domain
from retrieval.algebra.join import JoinSettings, Page, bind_join
from retrieval.algebra.named_records import NamedRecords
from retrieval.record import NameKind
from tests.world import CODE, TENANT, World, record

ROWS = 1_000_000
PLACES = Domain("place")


@dataclass
class Numbers:
    """A million rows by key: row n has the key n // `each`."""

    each: int
    domain: Domain = PLACES
    asked: list[str] = field(default_factory=list[str])

    def rows(self, key: str, after: int, limit: int) -> Page[int]:
        self.asked.append(key)
        first = int(key) * self.each + after
        last = min((int(key) + 1) * self.each, ROWS)
        page = tuple(range(first, min(first + limit, last)))
        return Page(page, after + limit if first + limit < last else None)


@pytest.mark.parametrize("each", [1, 100, 700])
def test_f34_ten_keys_ask_ten_times_and_once_more_for_each_further_page(each: int) -> None:
    table, settings = Numbers(each), JoinSettings()
    keys = [str(key) for key in range(0, ROWS // each, ROWS // each // 10)][:10]

    joined = bind_join(keys, PLACES, table, settings)

    pages = -(-each // settings.page_rows)
    assert joined.probes == len(table.asked) <= 10 * pages
    full = {(str(row // each), row) for row in range(ROWS) if str(row // each) in set(keys)}
    assert set(joined.pairs) == full
    assert len(joined.pairs) == len(full)
    assert joined.truncated == ()


def test_f34_rows_beyond_the_bound_are_said() -> None:
    joined = bind_join(["0"], PLACES, Numbers(5_000), JoinSettings())
    assert joined.truncated == ("0",)
    assert len(joined.pairs) == 4 * 256


def test_f34_records_are_joined_by_their_exact_names() -> None:
    world = World()
    carts = [record(f"cart{at}", f"cart {at}", symbols=["Cart", f"Cart{at}"]) for at in range(5)]
    world.put(*carts, record("other", "nothing"))
    with world.store.snapshot(TENANT) as txn:
        side = NamedRecords(txn, CODE, NameKind.SYMBOL)
        joined = bind_join(["Cart3", "Cart", "Nowhere"], side.domain, side, JoinSettings(page_rows=2))

    assert [(key, row.ref) for key, row in joined.pairs] == [
        *(("Cart", cart.ref) for cart in carts),
        ("Cart3", carts[3].ref),
    ]
    assert joined.probes == 3 + 1 + 1
