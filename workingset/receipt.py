"""The receipt: a tree of (what, value, because) that says how an answer came about.

Equal inputs give equal bytes: names are ordered by who writes them, numbers are written by `repr`, nothing in it comes
from a clock.
"""

from __future__ import annotations

from dataclasses import dataclass

from xxhash import xxh3_128_hexdigest

from workingset.vocabulary import Digest

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Node:
    """One statement of a receipt with the statements it rests on."""

    what: str
    value: Value
    because: str = ""
    parts: tuple[Node, ...] = ()


def canonical(node: Node) -> bytes:
    """Return the tree's bytes: one line a node, depth by indentation, strings quoted by `repr`."""
    return "\n".join(_lines(node, 0)).encode("utf-8", "surrogatepass")


def receipt_digest(node: Node) -> Digest:
    """Return the digest of the tree's canonical bytes."""
    return Digest(xxh3_128_hexdigest(canonical(node)))


def _lines(node: Node, depth: int) -> list[str]:
    own = f"{' ' * depth}{node.what!r}={node.value!r} {node.because!r}"
    return [own, *(line for part in node.parts for line in _lines(part, depth + 1))]
