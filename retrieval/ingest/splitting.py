"""Cutting long ranges of rows into parts: at statements where a syntax tree knows them, else at blank rows."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from retrieval.ingest.pieces import SourceLines
from retrieval.ingest.settings import PieceSettings

_DEPTH = 40
"""Guess: deeper nesting is not worth looking for a place to cut."""
_BODIES = frozenset(
    (
        *("block", "statement_block", "class_body", "statement_list", "string_content", "string_end"),
        *("compound_statement", "declaration_list", "field_declaration_list", "constructor_body", "enum_body"),
        *("interface_body", "annotation_type_body", "accessor_list", "switch_body", "switch_block", "match_block"),
        *("body_statement", "block_body", "then", "do", "do_block", "do_group", "heredoc_body", "heredoc_content"),
        *("heredoc_end", "raw_string_content", "string_literal_content", "raw_string_literal_content", "subshell"),
        *("enumerator_list", "enum_member_declaration_list", "field_initializer_list", "initializer_list"),
    )
)
"""Nodes that belong to the line above them, in any language."""
_BLANK_BEFORE = 1_000
"""A row after a blank one, where no tree knows better; worse than any statement, better than any other row."""


def is_long(lines: SourceLines, first: int, last: int, settings: PieceSettings) -> bool:
    """True where the rows are too long for one record."""
    return last - first + 1 > settings.long_lines or lines.length(first, last) > 2 * settings.part_characters


def split_rows(
    lines: SourceLines, first: int, last: int, statements: Mapping[int, int], settings: PieceSettings
) -> list[tuple[int, int]]:
    """Cut the rows into parts of at most `part_lines` rows (the last, half as many again) and, where rows allow,
    `part_characters`.

    `statements` maps the rows at which a statement begins to its depth. Of the rows in the second half of a part's
    room the next part begins at the shallowest, and of these at the last.
    """
    parts: list[tuple[int, int]] = []
    begin = first
    while begin < last and _is_rest_long(lines, begin, last, settings):
        end = _room(lines, begin, last, settings)
        middle = begin + (end - begin) // 2
        best = min(
            range(end, middle, -1),
            key=lambda row: statements.get(row, _BLANK_BEFORE if lines.is_blank(row - 1) else 2 * _BLANK_BEFORE),
            default=end,
        )
        parts.append((begin, best - 1))
        begin = best
    parts.append((begin, last))
    return parts


def pack_rows(lines: SourceLines, first: int, last: int, settings: PieceSettings) -> list[tuple[int, int]]:
    """Gather paragraphs into chunks of at most `chunk_lines` rows and `chunk_characters`, where paragraphs allow.

    Blank rows stay with the paragraph above. A longer paragraph is cut between rows.
    """
    chunks: list[tuple[int, int]] = []
    begin = first
    for start, end in _paragraphs(lines, first, last):
        if start > begin and not _fits(lines, begin, end, settings):
            chunks.append((begin, start - 1))
            begin = start
        while not _fits(lines, begin, end, settings) and begin < end:
            cut = begin
            while cut < end and _fits(lines, begin, cut + 1, settings):
                cut += 1
            chunks.append((begin, cut))
            begin = cut + 1
            if begin > end:
                break
    if begin <= last:
        chunks.append((begin, last))
    return chunks


def statement_rows(root: Node, lines: SourceLines, first: int, last: int) -> dict[int, int]:
    """Map the rows between which something begins a line to how deep it lies in the tree."""
    found: dict[int, int] = {}
    pending = [(root, 0)]
    while pending:
        node, depth = pending.pop()
        for child in node.named_children:
            row, column = child.start_point
            if row > last:
                break
            if child.end_point[0] < first:
                continue
            if first < row and not lines.rows[row].encode()[:column].strip() and not _is_body(child):
                found[row] = min(depth, found.get(row, depth))
            if child.end_point[0] > row and depth < _DEPTH:
                pending.append((child, depth + 1))
    return found


def _is_body(node: Node) -> bool:
    """A block begins with its first statement: cutting there would part `if x:` from all it guards."""
    return node.type in _BODIES


def _is_rest_long(lines: SourceLines, first: int, last: int, settings: PieceSettings) -> bool:
    too_many = 2 * (last - first + 1) > 3 * settings.part_lines
    return too_many or 2 * lines.length(first, last) > 3 * settings.part_characters


def _room(lines: SourceLines, begin: int, last: int, settings: PieceSettings) -> int:
    """The last row at which the part after one that begins at `begin` may begin."""
    end = min(begin + settings.part_lines, last)
    while end > begin + 1 and lines.length(begin, end - 1) > settings.part_characters:
        end -= 1
    return end


def _fits(lines: SourceLines, first: int, last: int, settings: PieceSettings) -> bool:
    return last - first < settings.chunk_lines and lines.length(first, last) <= settings.chunk_characters


def _paragraphs(lines: SourceLines, first: int, last: int) -> list[tuple[int, int]]:
    """Runs of rows that end with their blank rows."""
    found: list[tuple[int, int]] = []
    begin = first
    for row in range(first + 1, last + 1):
        if lines.is_blank(row - 1) and not lines.is_blank(row):
            found.append((begin, row - 1))
            begin = row
    found.append((begin, last))
    return found
