"""F35: join over two identity domains without a mapping / validate / rejected."""

from __future__ import annotations

import pytest

from retrieval.algebra.domain import Domain, Mapping
from retrieval.algebra.join import JoinSettings, Page, bind_join
from retrieval.errors import BadField

PEOPLE, ACCOUNTS = Domain("person"), Domain("account")
OWNERS = {"ada": "a-1", "grace": "a-2"}


class Accounts:
    """Rows by account; being asked at all is counted."""

    domain = ACCOUNTS

    def __init__(self) -> None:
        self.asked = 0

    def rows(self, key: str, after: int, limit: int) -> Page[str]:
        del after, limit
        self.asked += 1
        return Page((f"balance of {key}",))


def test_f35_without_a_mapping_nothing_is_read() -> None:
    accounts = Accounts()
    with pytest.raises(BadField, match=r"'person' are not keys of 'account': give a mapping"):
        bind_join(["ada"], PEOPLE, accounts, JoinSettings())
    assert accounts.asked == 0


def test_f35_a_mapping_of_other_domains_is_refused_too() -> None:
    accounts = Accounts()
    wrong = Mapping(ACCOUNTS, PEOPLE, OWNERS.get)
    with pytest.raises(BadField, match=r"join\.mapping"):
        bind_join(["ada"], PEOPLE, accounts, JoinSettings(), wrong)
    assert accounts.asked == 0


def test_f35_with_one_it_is_joined_and_who_has_no_counterpart_is_named() -> None:
    joined = bind_join(["ada", "alan"], PEOPLE, Accounts(), JoinSettings(), Mapping(PEOPLE, ACCOUNTS, OWNERS.get))
    assert joined.pairs == (("ada", "balance of a-1"),)
    assert joined.unmapped == ("alan",)
