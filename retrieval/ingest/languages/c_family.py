"""C and C++, by tree-sitter-c and tree-sitter-cpp; one query has what they share.

Namespaces are not part of titles: the same names stand in a header within one and in a source file before `::`.
Prototypes are names of the rows they stand in, not records: a call means the definition. A pure virtual function has
none, and is a record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial

import tree_sitter_c
import tree_sitter_cpp
from tree_sitter import Node

from retrieval.ingest.languages.above import Above
from retrieval.ingest.languages.includes import CFamilyImporter, include_names
from retrieval.ingest.languages.language import Language, Sketch, no_names
from retrieval.ingest.languages.reading import (
    CompiledGrammar,
    Found,
    between,
    nest,
    simple_name,
    text_of,
    used_names,
    without_arguments,
    wrappers,
)

_PLACES = ("translation_unit", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "declaration_list")
_SHARED = """
(function_definition) @function
(preproc_function_def) @macro
(struct_specifier body: (_)) @class
(union_specifier body: (_)) @class
(enum_specifier body: (_)) @class
(type_definition) @typedef
(declaration type: [(struct_specifier) (union_specifier) (enum_specifier)]) @wrapper
(preproc_def name: (identifier) @value value: (_))
(enumerator name: (identifier) @value)
(call_expression function: (identifier) @use)
(call_expression function: (field_expression) @use)
(type_identifier) @refer
(preproc_include path: (_) @import)
""" + "".join(f"({place} (declaration) @declared)\n" for place in _PLACES)
_CPP = """
(class_specifier body: (_)) @class
(alias_declaration) @class
(concept_definition) @class
(template_declaration) @template
(declaration type: (class_specifier)) @wrapper
(field_declaration declarator: (function_declarator) default_value: (number_literal)) @function
(field_declaration_list (field_declaration declarator: (_)) @declared)
(field_declaration_list (declaration declarator: (_)) @declared)
(namespace_definition name: (_) @namespace)
(call_expression function: (qualified_identifier) @use)
(call_expression function: (template_function name: (identifier) @use))
(call_expression function: (field_expression field: (template_method name: (field_identifier) @use)))
(new_expression type: (type_identifier) @use)
(new_expression type: (template_type name: (type_identifier) @use))
"""

_COMMON_NAMES = """
    NULL sizeof assert malloc calloc realloc free memcpy memset memcmp memmove strlen strcmp strncmp strcpy strncpy
    strdup strchr strstr printf fprintf sprintf snprintf vsnprintf puts putchar exit abort size_t ssize_t uint8_t
    uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t intptr_t ptrdiff_t bool FILE va_list va_start
    va_end offsetof likely unlikely std string vector map set pair unique_ptr shared_ptr make_unique make_shared move
    forward swap size begin end push_back emplace_back empty clear front back find insert erase c_str str get data
    static_cast dynamic_cast reinterpret_cast const_cast ASSERT_EQ EXPECT_EQ EXPECT_TRUE EXPECT_FALSE ASSERT_TRUE
    EXPECT_NE ASSERT_NE EXPECT_THROW defined
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_OWN = ("this",)
_TESTS = frozenset(("TEST", "TEST_F", "TEST_P", "TYPED_TEST"))
_DEPTH = 12
"""Guess: no declarator written by hand is wrapped deeper."""
_MACRO_ROWS = 2
"""Guess: a macro of one row is a name; a longer one has a body worth a record."""


def read(source: bytes, path: str, *, dialect: str) -> Sketch:
    """Read a C or C++ file."""
    root, captured = _grammar(dialect).capture(source)
    above = Above(source, "//", ("/*", "*/"))
    namespaces = frozenset(
        part for node in captured.get("namespace", ()) for part in text_of(source, node).replace(" ", "").split("::")
    )
    found = list(_found(source, captured, namespaces))
    declarations = nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0]))
    names = {name.start_byte for f in found if (name := f.node.child_by_field_name("name")) is not None}
    mentioned = (n for n in captured.get("refer", ()) if n.start_byte not in names and n.end_byte - n.start_byte > 1)
    return Sketch(
        declarations=declarations,
        values=tuple(_values(source, captured)),
        uses=tuple(used_names(source, captured.get("use", ()), _COMMON, _OWN)),
        refers=tuple(used_names(source, mentioned, _COMMON, ())),
        imports=include_names((text_of(source, n) for n in captured.get("import", ())), path),
        description=above.head({d.first_row for d in declarations}),
        root=root,
    )


@cache
def _grammar(dialect: str) -> CompiledGrammar:
    if dialect == "c":
        return CompiledGrammar(tree_sitter_c.language(), _SHARED)
    return CompiledGrammar(tree_sitter_cpp.language(), _SHARED + _CPP)


def _found(source: bytes, captured: Mapping[str, list[Node]], namespaces: frozenset[str]) -> Iterator[Found]:
    outer = wrappers([*captured.get("wrapper", ()), *captured.get("typedef", ())], "type")
    for template in sorted(captured.get("template", ()), key=lambda n: n.end_byte - n.start_byte):
        for child in template.named_children[-1:]:
            outer[child.start_byte, child.end_byte] = template
    for node in captured.get("function", ()):
        scope, name = _function_name(source, node, namespaces)
        if name:
            yield Found(False, node, _outer(node, outer), name, scope)
    for node in captured.get("macro", ()):
        name_node = node.child_by_field_name("name")
        if name_node is not None and node.end_point[0] - node.start_point[0] >= _MACRO_ROWS:
            yield Found(False, node, node, text_of(source, name_node))
    for node in captured.get("class", ()):
        wrapper = _outer(node, outer)
        name = _class_name(source, node, wrapper)
        if name:
            yield Found(True, node, wrapper, name, bases=tuple(_bases(source, node)))


def _outer(node: Node, outer: Mapping[tuple[int, int], Node]) -> Node:
    """The template, typedef or declaration that the node is the whole of."""
    for _ in range(_DEPTH):
        wrapper = outer.get((node.start_byte, node.end_byte))
        if wrapper is None:
            break
        node = wrapper
    return node


def _class_name(source: bytes, node: Node, wrapper: Node) -> str:
    if wrapper.type == "type_definition":
        alias = _innermost(wrapper)
        if alias is not None and alias.type == "type_identifier":
            return text_of(source, alias)
    name = node.child_by_field_name("name")
    return "" if name is None else simple_name(text_of(source, name))


def _innermost(node: Node) -> Node | None:
    """What is declared, below pointers, arrays and parentheses."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_DEPTH):
        if inner is None:
            return None
        below = inner.child_by_field_name("declarator")
        if below is None and inner.type in {"parenthesized_declarator", "reference_declarator"}:
            below = inner.named_children[0] if inner.named_children else None
        if below is None:
            return inner
        inner = below
    return None


def _function_name(source: bytes, node: Node, namespaces: frozenset[str]) -> tuple[str, str]:
    """Scope and name of a function; those of the test for the macros of test frameworks."""
    inner = _innermost(node)
    if inner is None:
        return "", ""
    name = without_arguments(text_of(source, inner)) if inner.type != "operator_name" else text_of(source, inner)
    if name in _TESTS:
        return _test_name(source, node)
    parts = [part for part in name.split("::") if part]
    while len(parts) > 1 and parts[0] in namespaces:
        parts.pop(0)
    return ".".join(parts[:-1]), parts[-1] if parts else ""


def _test_name(source: bytes, node: Node) -> tuple[str, str]:
    text = between(source, node, node.child_by_field_name("body"))
    suite, _, test = text.partition("(")[2].rpartition(")")[0].partition(",")
    return suite.strip(), test.strip()


def _bases(source: bytes, node: Node) -> Iterator[str]:
    for clause in node.named_children:
        if clause.type == "base_class_clause":
            for child in clause.named_children:
                if child.type in {"type_identifier", "template_type", "qualified_identifier"}:
                    yield simple_name(text_of(source, child))


def _values(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[tuple[int, str]]:
    """Constants, variables, type names and prototypes outside functions."""
    for node in captured.get("value", ()):
        yield node.start_point[0], text_of(source, node)
    for node in captured.get("macro", ()):
        name = node.child_by_field_name("name")
        if name is not None and node.end_point[0] - node.start_point[0] < _MACRO_ROWS:
            yield name.start_point[0], text_of(source, name)
    yield from _declared(source, (*captured.get("declared", ()), *captured.get("typedef", ())))


def _declared(source: bytes, nodes: Iterable[Node]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if node.type == "type_definition":
            kind = node.child_by_field_name("type")
            if kind is not None and kind.child_by_field_name("body") is not None:
                continue
        inner = _innermost(node)
        if inner is not None and inner.type in {"identifier", "type_identifier", "field_identifier"}:
            yield inner.start_point[0], text_of(source, inner)


def _signature(source: bytes, found: Found) -> str:
    if found.node.type == "preproc_function_def":
        return between(source, found.node, found.node.child_by_field_name("value"))
    body = found.node.child_by_field_name("body")
    text = between(source, found.outer, body)
    return text.partition("{")[0].rstrip() if body is None else text


def _language(name: str, extensions: tuple[str, ...]) -> Language:
    return Language(
        name=name,
        extensions=extensions,
        interpreters=(),
        line_comment="//",
        block_comment=("/*", "*/"),
        read=partial(read, dialect=name),
        importer=CFamilyImporter(),
        module_names=no_names,
    )


C = _language("c", (".c",))
CPP = _language(
    "cpp",
    (".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".cu", ".cuh"),
)
"""Headers are read as C++, which reads C as well but for names that are its keywords."""
