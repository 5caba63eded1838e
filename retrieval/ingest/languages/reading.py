"""What the readers share: compiled queries, text of nodes, and the nesting of declarations.

Readers ask a compiled query for all nodes of interest at once; walking the tree in Python costs ten times as much.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

from retrieval.ingest.languages.language import Declaration
from retrieval.ingest.languages.naming import module_prefix, written

PARSE_CPU_SECONDS = 5.0
"""Guess: ten times what 2 MB of CPython's library take, the most a file may have. Parsers repair broken syntax, and
read long runs of comments, in time that grows with the square of the length: 18 kB of `/*` in Go took 30 s."""
_SLICE_BYTES = 65_536
"""Measured: as quick as the whole file at once, which could not be given up."""
_DECORATION = re.compile(r"'\\w+\\b|\\b(?:dyn|mut|const|virtual|public|private|protected|struct|class)\\b")
USE_BYTES = 200
"""Guess: a longer callee is an expression, of which the last name still counts."""

_ABOVE = frozenset(("super()", "super", "base"))
_NOTHING: Mapping[str, str] = {}


_PLACE = attrgetter("start_byte", "end_byte")


class ParseGivenUp(Exception):
    """The parser took longer for a file than any honest file takes."""


class CompiledGrammar:
    """A grammar with one query over it. Making one costs milliseconds: keep it. Safe from any thread."""

    def __init__(self, language: object, query: str) -> None:
        self._grammar = Grammar(language)
        self._query = Query(self._grammar, query)

    def capture(self, source: bytes) -> tuple[Node, dict[str, list[Node]]]:
        """Return the root and the captured nodes by capture name; raises ParseGivenUp.

        The limit is of this thread's processor time, so that a busy machine changes nothing. Other threads run
        between the parser's slices and questions, which they do not during a parse in one go.
        """
        end = time.thread_time() + PARSE_CPU_SECONDS
        try:
            root = (
                Parser(self._grammar)
                .parse(
                    lambda offset, _: source[offset : offset + _SLICE_BYTES],
                    progress_callback=lambda _, __: time.thread_time() > end,
                )
                .root_node
            )
        except ValueError as error:
            if time.thread_time() > end:
                raise ParseGivenUp(f"not parsed within {PARSE_CPU_SECONDS} s") from error
            raise
        found = QueryCursor(self._query).captures(root)
        # The library gathers nodes in sets, so their order is one of memory addresses.
        return root, {name: sorted(nodes, key=_PLACE) for name, nodes in found.items()}


@dataclass(frozen=True, slots=True)
class Found:
    """A declaration's node before its nesting is known; `outer` is the node with decorators or `export`.

    `qualifier` is the scope that the declaration itself names, `scope` that of its members where it is not its title.
    `first_row` is where what belongs to it begins, if that is above `outer`.
    """

    is_class: bool
    node: Node
    outer: Node
    name: str
    qualifier: str = ""
    scope: str = ""
    bases: tuple[str, ...] = ()
    first_row: int | None = None


def text_of(source: bytes, node: Node) -> str:
    """The node's text."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def between(source: bytes, start: Node, end: Node | None) -> str:
    """The text from the start of one node to the start of another, or to the end of the first."""
    stop = start.end_byte if end is None else end.start_byte
    return source[start.start_byte : stop].decode("utf-8", "replace").rstrip()


def after_attributes(source: bytes, node: Node, end: Node | None, kinds: frozenset[str]) -> str:
    """The text of a declaration up to `end`, without the attributes and annotations of these kinds before it."""
    start = node.start_byte
    for child in node.named_children[:1]:
        if child.type == "modifiers":
            start = max((inner.end_byte for inner in child.named_children if inner.type in kinds), default=start)
    for child in node.named_children:
        if child.type not in kinds:
            break
        start = child.end_byte
    stop = node.end_byte if end is None else end.start_byte
    return source[start:stop].decode("utf-8", "replace").strip()


def wrappers(nodes: Iterable[Node], *fields: str) -> dict[tuple[int, int], Node]:
    """Map the byte range of what each node wraps to the outermost such node."""
    wrapped: dict[tuple[int, int], Node] = {}
    for node in sorted(nodes, key=lambda n: n.end_byte - n.start_byte):
        for name in fields:
            inner = node.child_by_field_name(name)
            if inner is not None:
                wrapped[inner.start_byte, inner.end_byte] = node
    return wrapped


def nest(
    found: list[Found], signature: Callable[[Found], str], description: Callable[[Found], str]
) -> tuple[Declaration, ...]:
    """Order the declarations, give them qualified titles, and mark those that lie inside a function.

    Where two begin at one byte, the longer is the outer one; a node found twice counts once.
    """
    ordered = sorted(found, key=lambda f: (f.outer.start_byte, -f.outer.end_byte, f.node.start_byte))
    open_scopes: list[tuple[int, str, bool]] = []
    declarations: list[Declaration] = []
    seen: set[tuple[int, int]] = set()
    for item in ordered:
        span = (item.node.start_byte, item.node.end_byte)
        if span in seen:
            continue
        seen.add(span)
        while open_scopes and open_scopes[-1][0] <= span[0]:
            open_scopes.pop()
        nested = bool(open_scopes) and open_scopes[-1][2]
        scope = item.qualifier or (open_scopes[-1][1] if open_scopes else "")
        title = f"{scope}.{item.name}" if scope else item.name
        inner = f"{scope}.{item.scope}" if scope and item.scope else item.scope or title
        open_scopes.append((item.outer.end_byte, inner, nested or not item.is_class))
        declarations.append(
            Declaration(
                is_class=item.is_class,
                name=item.name,
                title=title,
                first_row=item.outer.start_point[0] if item.first_row is None else item.first_row,
                last_row=last_row(item.outer),
                signature=signature(item),
                description="" if nested else description(item),
                nested=nested,
                scope=inner,
                bases=() if nested else item.bases,
            )
        )
    return tuple(declarations)


def without_arguments(text: str) -> str:
    """The text without what stands between angle brackets, and without blanks."""
    kept: list[str] = []
    depth = 0
    for character in text:
        depth += character == "<"
        if depth == 0 and not character.isspace():
            kept.append(character)
        depth -= character == ">" and depth > 0
    return "".join(kept)


def simple_name(text: str) -> str:
    """The last name of a type as it is written, without type arguments, pointers, lifetimes and scopes."""
    flat = without_arguments(_DECORATION.sub(" ", text)).replace("::", ".")
    return flat.rpartition(".")[2].strip("*&?[]()@")


def last_row(node: Node) -> int:
    """The last row that holds something of the node."""
    row, column = node.end_point
    return max(node.start_point[0], row - 1 if column == 0 else row)


def used_names(
    source: bytes,
    nodes: Iterable[Node],
    common: frozenset[str],
    own: tuple[str, ...],
    imported: Mapping[str, str] = _NOTHING,
) -> Iterator[tuple[int, str]]:
    """Yield (row, use) of used expressions, as `naming` writes them, without the language's `common` names.

    What is called on the object itself (`own`, as in `self.`) or in an imported module counts whatever its name. `->`
    and `::` are dots, too.
    """
    known: dict[bytes, tuple[str, bool] | None] = {}
    for node in nodes:
        start, end = node.start_byte, node.end_byte
        expression = source[max(start, end - USE_BYTES) : end]
        if expression not in known:
            known[expression] = _use(expression.decode("utf-8", "replace"), common, own, imported)
        use = known[expression]
        if use is not None:
            yield (node.end_point[0] if use[1] else node.start_point[0]), use[0]


def _use(
    expression: str, common: frozenset[str], own: tuple[str, ...], imported: Mapping[str, str]
) -> tuple[str, bool] | None:
    """How a used expression is written down, and whether its name stands at its end; None for what does not count."""
    receiver, name = "", expression
    if not expression.isidentifier():
        receiver, _, name = expression.replace("->", ".").replace("::", ".").rpartition(".")
        name = name.strip().lstrip("?#")
        if not name.rstrip("?!").isidentifier():
            return None
    if name == "__class__":
        return None
    is_own = receiver in own
    use = written(name, receiver.strip(), is_own, receiver in _ABOVE, imported)
    if name not in common or is_own or use.startswith(module_prefix(name)):
        return use, bool(receiver)
    return None
