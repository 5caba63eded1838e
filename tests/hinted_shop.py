"""A small shop in a git work tree with work in it: committed on a branch, staged, not staged, and new."""

from __future__ import annotations

from pathlib import Path

from tests.git_room import Repository


def module(*names: str, body: str = "return amount") -> str:
    return "\n\n".join(f"def {name}(amount):\n    {body}\n" for name in names)


TREE: dict[str, str | bytes | None] = {
    "shop/basket.py": module("add_item", "drop_item", "count_items"),
    "shop/price.py": module("net_price", "gross_price", "rounding"),
    "shop/tax.py": module("vat_rate", "tax_due"),
    "shop/ship.py": module("parcel_weight", "carrier"),
    "shop/bits.py": module("commit_order", "other_bit", "review_order", "branch_office", "local_currency"),
    "README.md": "# Shop\n\nReview the changes of a local branch office before you commit an order.\n",
}


def with_body(text: object, name: str, body: str) -> str:
    assert isinstance(text, str)
    head = f"def {name}(amount):\n    "
    assert head in text
    before, after = text.split(head)
    return before + head + body + after[after.index("\n") :]


def shop_at(root: Path) -> Repository:
    """On a branch: one commit that changed `tax_due`, then `gross_price` staged, `drop_item` not, and a new file."""
    made = Repository.begin(root, TREE)
    made.git("switch", "-q", "-c", "taxes")
    made.commit("Round what is due", {"shop/tax.py": with_body(TREE["shop/tax.py"], "tax_due", "return round(amount)")})
    made.write({"shop/price.py": with_body(TREE["shop/price.py"], "gross_price", "return amount * 2")})
    made.git("add", "shop/price.py")
    made.write({"shop/basket.py": with_body(TREE["shop/basket.py"], "drop_item", "return -amount")})
    made.write({"shop/gift.py": module("wrap_gift")})
    return made
