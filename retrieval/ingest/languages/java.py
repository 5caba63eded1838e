"""Java, by tree-sitter-java."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import tree_sitter_java
from tree_sitter import Node

from retrieval.ingest.languages.above import Above
from retrieval.ingest.languages.language import Language, PathLookup, Sketch, no_names
from retrieval.ingest.languages.naming import written
from retrieval.ingest.languages.reading import (
    CompiledGrammar,
    Found,
    after_attributes,
    nest,
    simple_name,
    text_of,
    used_names,
)

_QUERY = """
(method_declaration) @function
(constructor_declaration) @function
(compact_constructor_declaration) @function
(class_declaration) @class
(interface_declaration) @class
(enum_declaration) @class
(record_declaration) @class
(annotation_type_declaration) @class
(class_body (field_declaration (variable_declarator name: (identifier) @value)))
(interface_body (constant_declaration (variable_declarator name: (identifier) @value)))
(enum_constant name: (identifier) @value)
(method_invocation !object name: (identifier) @use)
(method_invocation object: (_) @object name: (identifier) @method)
(object_creation_expression type: (type_identifier) @use)
(object_creation_expression type: (generic_type (type_identifier) @use))
(method_reference (identifier) @use .)
(marker_annotation name: (identifier) @refer)
(annotation name: (identifier) @refer)
(type_identifier) @refer
(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration) @import
"""

_COMMON_NAMES = """
    String Object Integer Long Boolean Double Float Byte Short Character Void Number List Map Set Collection Iterator
    Iterable Optional Exception RuntimeException Throwable Error IOException IllegalArgumentException
    IllegalStateException NullPointerException ArrayList HashMap HashSet LinkedList Arrays Collections Override Test
    Deprecated SuppressWarnings FunctionalInterface Class StringBuilder Thread Runnable Callable Comparator Comparable
    get set put add remove contains containsKey size isEmpty equals hashCode toString compareTo valueOf length charAt
    substring indexOf append format println print close run call apply accept test stream map filter collect forEach
    of asList iterator next hasNext join split trim replace startsWith endsWith toArray keySet values entrySet getKey
    getValue getClass getName getMessage assertEquals assertTrue assertFalse assertNull assertNotNull assertThat
    assertThrows requireNonNull orElse orElseThrow isPresent build builder
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_ANNOTATIONS = frozenset(("annotation", "marker_annotation"))
_ALL = ".*"
_PLAIN = frozenset(("identifier", "this", "super", "field_access"))
_OBJECT = "()"
_DOT_BYTES = 200
"""Guess: type arguments and blanks between a dot and a method's name."""


def read(source: bytes, path: str) -> Sketch:
    """Read a Java file."""
    del path
    root, captured = _grammar().capture(source)
    above = Above(source, "//", ("/*", "*/"))
    found = [
        Found(kind == "class", node, node, text_of(source, name), bases=tuple(_bases(source, node)))
        for kind in ("function", "class")
        for node in captured.get(kind, ())
        if (name := node.child_by_field_name("name")) is not None
    ]
    declarations = nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0]))
    names = {name.start_byte for f in found if (name := f.node.child_by_field_name("name")) is not None}
    mentioned = (n for n in captured.get("refer", ()) if n.start_byte not in names and n.end_byte - n.start_byte > 1)
    return Sketch(
        declarations=declarations,
        values=tuple((n.start_point[0], text_of(source, n)) for n in captured.get("value", ())),
        uses=(*used_names(source, captured.get("use", ()), _COMMON, ()), *_methods(source, captured)),
        refers=tuple(used_names(source, mentioned, _COMMON, ())),
        imports=_imports(source, captured.get("import", ())),
        description=above.head({d.first_row for d in declarations}),
        root=root,
        packages=tuple("".join(text_of(source, n).split()) for n in captured.get("package", ())[:1]),
    )


@cache
def _grammar() -> CompiledGrammar:
    return CompiledGrammar(tree_sitter_java.language(), _QUERY)


def _methods(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[tuple[int, str]]:
    """Methods called on something: common names only on the object itself."""
    receivers = {n.end_byte: text_of(source, n) for n in captured.get("object", ()) if n.type in _PLAIN}
    for node in captured.get("method", ()):
        name = text_of(source, node)
        dot = source.rfind(b".", max(0, node.start_byte - _DOT_BYTES), node.start_byte)
        receiver = receivers.get(_end_before(source, dot), _OBJECT) if dot > 0 else _OBJECT
        is_own = receiver in {"this", "super"}
        if name not in _COMMON or is_own:
            yield node.start_point[0], written(name, receiver, is_own, receiver == "super", {})


def _end_before(source: bytes, at: int) -> int:
    """Where what stands before a place ends, blanks passed over."""
    while at > 0 and source[at - 1 : at].isspace():
        at -= 1
    return at


def _bases(source: bytes, node: Node) -> Iterator[str]:
    for clause in node.named_children:
        if clause.type in {"superclass", "super_interfaces", "extends_interfaces"}:
            types = clause.named_children
            if types and types[0].type == "type_list":
                types = types[0].named_children
            yield from (simple_name(text_of(source, child)) for child in types)


def _signature(source: bytes, found: Found) -> str:
    return after_attributes(source, found.node, found.node.child_by_field_name("body"), _ANNOTATIONS)


def _imports(source: bytes, nodes: list[Node] | tuple[()]) -> tuple[str, ...]:
    """Names imported, with `.*` where all of a package is; of a static import also the class."""
    names: dict[str, None] = {}
    for node in sorted(nodes, key=lambda n: n.start_byte):
        words = text_of(source, node).rstrip(" ;\n").split()
        name = "".join(words[1:]).removeprefix("static")
        names.setdefault(name)
        if "static" in words:
            names.setdefault(name.rpartition(".")[0])
    names.pop("", None)
    return tuple(names)


class JavaImporter:
    """`a.b.C` is a file that ends in `a/b/C.java`, or holds C's outer class; a package is all files that name it."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del lookup
        parts = path.removesuffix(".java").split("/")
        return tuple(".".join(parts[at:]) for at in range(len(parts)))

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        if name.endswith(_ALL):
            return tuple(p for p in lookup.in_package(name.removesuffix(_ALL)) if p != importer)
        places = lookup.ending_in(name.replace(".", "/") + ".java")
        return places if len(places) == 1 else ()

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        return tuple(p for package in lookup.packages_of(path) for p in lookup.in_package(package) if p != path)


JAVA = Language(
    name="java",
    extensions=(".java",),
    interpreters=(),
    line_comment="//",
    block_comment=("/*", "*/"),
    read=read,
    importer=JavaImporter(),
    module_names=no_names,
)
