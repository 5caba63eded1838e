"""C#, by tree-sitter-c-sharp. Namespaces are not part of titles: files of one namespace see one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import tree_sitter_c_sharp
from tree_sitter import Node

from retrieval.ingest.languages.above import Above
from retrieval.ingest.languages.language import Language, PathLookup, Sketch, no_names
from retrieval.ingest.languages.naming import written
from retrieval.ingest.languages.reading import (
    CompiledGrammar,
    Found,
    after_attributes,
    last_row,
    nest,
    simple_name,
    text_of,
    used_names,
    without_arguments,
)

_QUERY = """
(method_declaration) @function
(constructor_declaration) @function
(destructor_declaration) @function
(local_function_statement) @function
(property_declaration) @property
(class_declaration) @class
(interface_declaration) @class
(struct_declaration) @class
(enum_declaration) @class
(record_declaration) @class
(delegate_declaration) @class
(declaration_list (field_declaration (variable_declaration (variable_declarator name: (identifier) @value))))
(declaration_list (event_field_declaration (variable_declaration (variable_declarator name: (identifier) @value))))
(enum_member_declaration name: (identifier) @value)
(invocation_expression function: (identifier) @use)
(invocation_expression function: (member_access_expression) @use)
(invocation_expression function: (generic_name (identifier) @use))
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @use)))
(object_creation_expression type: (identifier) @use)
(object_creation_expression type: (generic_name (identifier) @use))
(object_creation_expression type: (qualified_name) @use)
(attribute name: (identifier) @refer)
(base_list (_) @refer)
(parameter type: (_) @refer)
(variable_declaration type: (_) @refer)
(method_declaration returns: (_) @refer)
(property_declaration type: (_) @refer)
(type_argument_list (identifier) @refer)
(using_directive) @import
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
"""

_COMMON_NAMES = """
    String Object Console Exception ArgumentException ArgumentNullException InvalidOperationException List Dictionary
    HashSet IEnumerable IList ICollection IDictionary Task ValueTask Func Action Guid DateTime TimeSpan Type Fact Theory
    Test TestMethod TestFixture Serializable Obsolete ToString Equals GetHashCode GetType Add Remove Contains Count Any
    All Select Where First FirstOrDefault Single SingleOrDefault ToList ToArray OrderBy GroupBy Join Split Trim Replace
    StartsWith EndsWith Format WriteLine Write Read Dispose Invoke ConfigureAwait Clear TryGetValue ContainsKey nameof
    AreEqual IsTrue IsFalse IsNull Equal True False NotNull Throws That int string bool object var void long double
    float byte char decimal
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_OWN = ("this", "base")
_ATTRIBUTES = frozenset(("attribute_list",))
_PROPERTY_ROWS = 3
"""Guess: a shorter property has no logic of its own; it is a value of its class."""


def read(source: bytes, path: str) -> Sketch:
    """Read a C# file."""
    del path
    root, captured = _grammar().capture(source)
    above = Above(source, "//", ("/*", "*/"), tagged=True)
    found = list(_found(source, captured))
    declarations = nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0]))
    return Sketch(
        declarations=declarations,
        values=tuple(_values(source, captured)),
        uses=tuple(_names(source, captured.get("use", ()), _OWN)),
        refers=tuple(_names(source, captured.get("refer", ()), ())),
        imports=_imports(source, captured.get("import", ())),
        description=above.head({d.first_row for d in declarations}),
        root=root,
        packages=tuple(dict.fromkeys("".join(text_of(source, n).split()) for n in captured.get("package", ()))),
    )


@cache
def _grammar() -> CompiledGrammar:
    return CompiledGrammar(tree_sitter_c_sharp.language(), _QUERY)


def _found(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[Found]:
    properties = [n for n in captured.get("property", ()) if _has_logic(n)]
    for is_class, nodes in (
        (False, captured.get("function", ())),
        (False, properties),
        (True, captured.get("class", ())),
    ):
        for node in nodes:
            name = node.child_by_field_name("name")
            if name is not None:
                prefix = "~" if node.type == "destructor_declaration" else ""
                yield Found(is_class, node, node, prefix + text_of(source, name), bases=tuple(_bases(source, node)))


def _has_logic(node: Node) -> bool:
    return last_row(node) - node.start_point[0] + 1 >= _PROPERTY_ROWS


def _values(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[tuple[int, str]]:
    for node in captured.get("value", ()):
        yield node.start_point[0], text_of(source, node)
    for node in captured.get("property", ()):
        name = node.child_by_field_name("name")
        if name is not None and not _has_logic(node):
            yield node.start_point[0], text_of(source, name)


def _names(source: bytes, nodes: list[Node] | tuple[()], own: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Names used, type arguments left out: `Go<int>` is Go."""
    plain = [node for node in nodes if node.end_byte - node.start_byte > 1 and source[node.end_byte - 1] != ord(">")]
    yield from used_names(source, plain, _COMMON, own)
    for node in nodes:
        if node.end_byte > node.start_byte and source[node.end_byte - 1] == ord(">"):
            receiver, _, name = without_arguments(text_of(source, node)).rpartition(".")
            if name.isidentifier() and len(name) > 1 and (name not in _COMMON or receiver in own):
                yield node.start_point[0], written(name, receiver, receiver in own, receiver == "base", {})


def _bases(source: bytes, node: Node) -> Iterator[str]:
    for clause in node.named_children:
        if clause.type == "base_list":
            yield from (
                simple_name(text_of(source, child)) for child in clause.named_children if child.type != "argument_list"
            )


def _signature(source: bytes, found: Found) -> str:
    for field in ("body", "accessors", "value"):
        end = found.node.child_by_field_name(field)
        if end is not None:
            return after_attributes(source, found.node, end, _ATTRIBUTES).removesuffix("=>").rstrip()
    return after_attributes(source, found.node, None, _ATTRIBUTES)


def _imports(source: bytes, nodes: list[Node] | tuple[()]) -> tuple[str, ...]:
    """Namespaces used; of `using static A.B` and of an alias both A.B and A, since B may be a type."""
    names: dict[str, None] = {}
    for node in sorted(nodes, key=lambda n: n.start_byte):
        words = text_of(source, node).rstrip(" ;\n\r").removeprefix("global ").split()
        name = "".join(words[1:]).removeprefix("static").rpartition("=")[2]
        names.setdefault(without_arguments(name))
        if "static" in words or "=" in words:
            names.setdefault(without_arguments(name).rpartition(".")[0])
    names.pop("", None)
    return tuple(names)


class CSharpImporter:
    """A namespace is all files that declare something in it."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        return lookup.packages_of(path)

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        return tuple(path for path in lookup.in_package(name) if path != importer)

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for package in lookup.packages_of(path):
            found.update(dict.fromkeys(lookup.in_package(package)))
        found.pop(path, None)
        return tuple(found)


CSHARP = Language(
    name="csharp",
    extensions=(".cs", ".csx"),
    interpreters=("dotnet-script",),
    line_comment="//",
    block_comment=("/*", "*/"),
    read=read,
    importer=CSharpImporter(),
    module_names=no_names,
)
