"""Receipts for people: the tree, and what a replay came to."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from hotset.cli.render.text import spaced, visible
from hotset.types import ExplainAnswer, ReceiptNode, ReplayAnswer, ReplayVerdict

_SAID = {
    ReplayVerdict.EQUAL: ("decides the same again", "bold green"),
    ReplayVerdict.DIFFERENT: ("decides otherwise now", "bold red"),
    ReplayVerdict.OTHER_SETTINGS: ("cannot be compared: the daemon has other settings than then", "bold yellow"),
    ReplayVerdict.OTHER_CODE: ("cannot be compared: the daemon has other code than then", "bold yellow"),
    ReplayVerdict.UNSPECIFIED: ("came to something that this client does not know", "bold yellow"),
}


def render_receipt(answer: ExplainAnswer) -> RenderableType:
    """Return the receipt as a tree."""
    again = "can be replayed" if answer.retained else "its inputs are not kept"
    tree = Tree(_line(answer.root))
    _grow(tree, answer.root)
    return Group(
        tree, Text(f"{visible(answer.receipt)}, digest {visible(answer.receipt_digest)}; {again}", style="dim")
    )


def render_replay(answer: ReplayAnswer) -> RenderableType:
    """Return whether the turn came out the same, and what differs."""
    said, style = _SAID[answer.verdict]
    lines = [Text(f"{visible(answer.receipt)} {said}", style=style)]
    for what, then, now in (
        ("receipt", answer.receipt_digest_then, answer.receipt_digest_now),
        ("state", answer.state_digest_then, answer.state_digest_now),
    ):
        lines.append(Text(f"{what} {visible(then)}" + (f", now {visible(now)}" if now else ""), style="dim"))
    return Group(*lines, *(Text(visible(each)) for each in answer.differences))


def _grow(tree: Tree, node: ReceiptNode) -> None:
    for part in node.parts:
        _grow(tree.add(_line(part)), part)


def _line(node: ReceiptNode) -> Text:
    value = f"{node.value:.4g}" if isinstance(node.value, float) else visible(str(node.value))
    line = Text(spaced(node.what))
    if value:
        line.append(f" {value}", style="bold")
    if node.because:
        line.append(f"  {visible(node.because)}", style="dim")
    return line
