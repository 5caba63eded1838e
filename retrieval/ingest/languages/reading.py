"""What the readers share: compiled queries, text of nodes, and the nesting of declarations.

Readers ask a compiled query for all nodes of interest at once; walking the tree in Python costs ten times as much.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

from retrieval.ingest.languages.language import Declaration

PARSE_CPU_SECONDS = 5.0
"""Guess: ten times what 2 MB of CPython's library take, the most a file may have. Parsers repair broken syntax, and
read long runs of comments, in time that grows with the square of the length: 18 kB of `/*` in Go took 30 s."""
_SLICE_BYTES = 65_536
"""Measured: as quick as the whole file at once, which could not be given up."""
USE_BYTES = 200
"""Guess: a longer callee is an expression, of which the last name still counts."""


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
        return root, QueryCursor(self._query).captures(root)


@dataclass(frozen=True, slots=True)
class Found:
    """A declaration's node before its nesting is known; `outer` is the node with decorators or `export`."""

    is_class: bool
    node: Node
    outer: Node
    name: str
    qualifier: str = ""


def text_of(source: bytes, node: Node) -> str:
    """The node's text."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def between(source: bytes, start: Node, end: Node | None) -> str:
    """The text from the start of one node to the start of another, or to the end of the first."""
    stop = start.end_byte if end is None else end.start_byte
    return source[start.start_byte : stop].decode("utf-8", "replace").rstrip()


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
        open_scopes.append((item.outer.end_byte, title, nested or not item.is_class))
        declarations.append(
            Declaration(
                is_class=item.is_class,
                name=item.name,
                title=title,
                first_row=item.outer.start_point[0],
                last_row=last_row(item.outer),
                signature=signature(item),
                description="" if nested else description(item),
                nested=nested,
            )
        )
    return tuple(declarations)


def last_row(node: Node) -> int:
    """The last row that holds something of the node."""
    row, column = node.end_point
    return max(node.start_point[0], row - 1 if column == 0 else row)


def used_names(
    source: bytes, nodes: Iterable[Node], common: frozenset[str], own: tuple[str, ...]
) -> Iterator[tuple[int, str]]:
    """Yield (row, last name) of used expressions, without the language's `common` names.

    What is called on the object itself (`own`, as in `self.`) counts whatever its name.
    """
    for node in nodes:
        start, end = node.start_byte, node.end_byte
        expression = source[max(start, end - USE_BYTES) : end].decode("utf-8", "replace")
        receiver, _, name = expression.rpartition(".")
        name = name.strip().lstrip("?#")
        if name.isidentifier() and (name not in common or receiver in own):
            yield (node.end_point[0] if receiver else node.start_point[0]), name
