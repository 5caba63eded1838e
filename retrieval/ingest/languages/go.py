"""Go, by tree-sitter-go."""

from __future__ import annotations

from functools import cache

import tree_sitter_go
from tree_sitter import Node

from retrieval.ingest.languages.language import Language, PathLookup, Sketch
from retrieval.ingest.languages.reading import CompiledGrammar, Found, between, nest, text_of, used_names

_QUERY = """
(function_declaration) @function
(method_declaration) @function
(source_file (type_declaration) @type)
(call_expression function: (identifier) @use)
(call_expression function: (selector_expression) @use)
(composite_literal type: (type_identifier) @use)
(composite_literal type: (qualified_type) @use)
(_ parameters: (parameter_list (parameter_declaration type: (type_identifier) @use)))
(_ parameters: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @use))))
(import_spec path: (interpreted_string_literal) @import)
(source_file (const_declaration (const_spec) @values))
(source_file (var_declaration (var_spec) @values))
(source_file (var_declaration (var_spec_list (var_spec) @values)))
(source_file . (comment)* @about . (package_clause))
"""

_COMMON_NAMES = """
    append cap clear close complex copy delete imag len make max min new panic print println real recover string int
    int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune bool error any float32 float64 Error
    Errorf Sprintf Printf Println Fatalf Fatal Logf Run Helper Len String Close
"""
_COMMON = frozenset(_COMMON_NAMES.split())


def read(source: bytes, path: str) -> Sketch:
    """Read a Go file."""
    del path
    root, captured = _grammar().capture(source)
    found = [
        Found(False, node, node, text_of(source, name), _receiver(source, node))
        for node in captured.get("function", ())
        if (name := node.child_by_field_name("name")) is not None
    ]
    for node in captured.get("type", ()):
        found.extend(_types(source, node))
    return Sketch(
        declarations=nest(found, lambda f: _signature(source, f), lambda f: _comment_above(source, f.outer)),
        values=tuple(
            (name.start_point[0], text_of(source, name))
            for spec in captured.get("values", ())
            for name in spec.children_by_field_name("name")
            if name.type == "identifier"
        ),
        uses=tuple(used_names(source, captured.get("use", ()), _COMMON, ())),
        imports=tuple(dict.fromkeys(text_of(source, n).strip('"') for n in captured.get("import", ()))),
        description="\n".join(_uncommented(text_of(source, n)) for n in captured.get("about", ())),
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
            found.append(Found(True, spec, node if len(specs) == 1 else spec, text_of(source, name)))
    return found


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


def _comment_above(source: bytes, node: Node) -> str:
    """The comment lines that end on the row before the declaration."""
    lines = source[: node.start_byte].decode("utf-8", "replace").split("\n")[-200:-1]
    kept: list[str] = []
    for line in reversed(lines):
        if not line.lstrip().startswith("//"):
            break
        kept.append(_uncommented(line))
    return "\n".join(reversed(kept))


def _uncommented(text: str) -> str:
    return "\n".join(line.strip().lstrip("/*").rstrip("*/").strip() for line in text.split("\n"))


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


def _no_names(path: str) -> tuple[str, ...]:
    del path
    return ()


GO = Language(
    name="go",
    extensions=(".go",),
    interpreters=(),
    line_comment="//",
    block_comment=("/*", "*/"),
    read=read,
    importer=GoImporter(),
    module_names=_no_names,
)
