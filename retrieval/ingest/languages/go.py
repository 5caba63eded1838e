"""Go, by tree-sitter-go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import tree_sitter_go
from tree_sitter import Node

from retrieval.ingest.languages.above import Above
from retrieval.ingest.languages.language import Language, PathLookup, Sketch, no_names
from retrieval.ingest.languages.reading import CompiledGrammar, Found, between, nest, simple_name, text_of, used_names

_QUERY = """
(function_declaration) @function
(method_declaration) @function
(source_file (type_declaration) @type)
(call_expression function: (identifier) @use)
(call_expression function: (selector_expression) @use)
(composite_literal type: (type_identifier) @refer)
(composite_literal type: (qualified_type) @refer)
(_ parameters: (parameter_list (parameter_declaration type: (type_identifier) @refer)))
(_ parameters: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @refer))))
(field_declaration type: (type_identifier) @refer)
(field_declaration type: (pointer_type (type_identifier) @refer))
(import_spec path: (interpreted_string_literal) @import) @spec
(source_file (const_declaration (const_spec) @values))
(source_file (var_declaration (var_spec) @values))
(source_file (var_declaration (var_spec_list (var_spec) @values)))
(package_clause) @package
"""

_COMMON_NAMES = """
    append cap clear close complex copy delete imag len make max min new panic print println real recover string int
    int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune bool error any float32 float64 Error
    Errorf Sprintf Printf Println Fatalf Fatal Logf Run Helper Len String Close
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_VERSION = re.compile(r"v\d+")


def read(source: bytes, path: str) -> Sketch:
    """Read a Go file."""
    del path
    root, captured = _grammar().capture(source)
    above = Above(source, "//", ("/*", "*/"))
    found = [
        Found(False, node, node, text_of(source, name), _receiver(source, node))
        for node in captured.get("function", ())
        if (name := node.child_by_field_name("name")) is not None
    ]
    for node in captured.get("type", ()):
        found.extend(_types(source, node))
    imported = _bound(source, captured.get("spec", ()))
    return Sketch(
        declarations=nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0])),
        values=tuple(
            (name.start_point[0], text_of(source, name))
            for spec in captured.get("values", ())
            for name in spec.children_by_field_name("name")
            if name.type == "identifier"
        ),
        uses=tuple(used_names(source, captured.get("use", ()), _COMMON, (), imported)),
        refers=tuple(used_names(source, captured.get("refer", ()), _COMMON, (), imported)),
        imports=tuple(dict.fromkeys(text_of(source, n).strip('"') for n in captured.get("import", ()))),
        description="\n".join(above.comment(n.start_point[0]) for n in captured.get("package", ())[:1]),
        root=root,
    )


@cache
def _grammar() -> CompiledGrammar:
    return CompiledGrammar(tree_sitter_go.language(), _QUERY)


def _types(source: bytes, node: Node) -> list[Found]:
    """One for each type of a group; a type declared alone takes the whole declaration."""
    specs = [child for child in node.named_children if child.type in {"type_spec", "type_alias"}]
    found: list[Found] = []
    for spec in specs:
        name = spec.child_by_field_name("name")
        if name is not None:
            outer = node if len(specs) == 1 else spec
            found.append(Found(True, spec, outer, text_of(source, name), bases=tuple(_embedded(source, spec))))
    return found


def _embedded(source: bytes, spec: Node) -> Iterator[str]:
    """The types whose methods a struct or an interface takes over."""
    kind = spec.child_by_field_name("type")
    if kind is None or kind.type not in {"struct_type", "interface_type"}:
        return
    fields = kind.named_children[0].named_children if kind.type == "struct_type" and kind.named_children else ()
    for field in (*fields, *(child for child in kind.named_children if child.type == "type_elem")):
        if field.child_by_field_name("name") is None and field.type in {"field_declaration", "type_elem"}:
            inner = field.child_by_field_name("type") or (field.named_children[0] if field.named_children else None)
            if inner is not None and inner.type in {"type_identifier", "qualified_type", "generic_type"}:
                yield simple_name(text_of(source, inner).partition("[")[0])


def _receiver(source: bytes, node: Node) -> str:
    """The type that a method belongs to, without pointer and type parameters."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None or not receiver.named_children:
        return ""
    kind = receiver.named_children[0].child_by_field_name("type")
    if kind is None:
        return ""
    return text_of(source, kind).lstrip("*( ").partition("[")[0].strip()


def _signature(source: bytes, found: Found) -> str:
    if not found.is_class:
        return between(source, found.node, found.node.child_by_field_name("body"))
    text = text_of(source, found.node).partition("\n")[0].rstrip(" {")
    return text if text.startswith("type ") else f"type {text}"


def _bound(source: bytes, specs: Iterable[Node]) -> dict[str, str]:
    """Import paths by the name they have in the file: as written, else the last element that is no version."""
    bound: dict[str, str] = {}
    for spec in specs:
        alias, path = spec.child_by_field_name("name"), spec.child_by_field_name("path")
        if path is not None:
            full = text_of(source, path).strip('"')
            parts = [part for part in full.split("/") if not _VERSION.fullmatch(part)] or [full]
            bound[parts[-1] if alias is None else text_of(source, alias)] = full
    return bound


class GoImporter:
    """Import paths begin with the module path of a `go.mod` above the package's folder."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        folder = path.rpartition("/")[0]
        names: list[str] = []
        for module, base in lookup.go_modules():
            if not base or folder == base or folder.startswith(base + "/"):
                inner = folder[len(base) :].strip("/")
                names.append(f"{module}/{inner}" if inner else module)
        return tuple(names)

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        del importer
        for module, base in lookup.go_modules():
            if name == module or name.startswith(module + "/"):
                folder = "/".join(part for part in (base, name[len(module) :].strip("/")) if part)
                return tuple(p for p in lookup.in_folder(folder) if not p.endswith("_test.go"))
        return ()

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        return tuple(other for other in lookup.in_folder(path.rpartition("/")[0]) if other != path)


GO = Language(
    name="go",
    extensions=(".go",),
    interpreters=(),
    line_comment="//",
    block_comment=("/*", "*/"),
    read=read,
    importer=GoImporter(),
    module_names=no_names,
)
