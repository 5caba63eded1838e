"""JavaScript and TypeScript, by tree-sitter-javascript and tree-sitter-typescript; one query has what they share."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cache, partial

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Node

from retrieval.ingest.languages.above import Above, uncommented
from retrieval.ingest.languages.language import Language, PathLookup, Sketch, no_names
from retrieval.ingest.languages.reading import (
    CompiledGrammar,
    Found,
    between,
    nest,
    simple_name,
    text_of,
    used_names,
    wrappers,
)

_SHARED = """
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(class_body (method_definition) @function)
(export_statement) @wrapper
(program (lexical_declaration . (variable_declarator value: [(arrow_function) (function_expression)]) .) @assigned)
(program (variable_declaration . (variable_declarator value: [(arrow_function) (function_expression)]) .) @assigned)
(program (export_statement declaration: (lexical_declaration
  . (variable_declarator value: [(arrow_function) (function_expression)]) .) @assigned))
(program (expression_statement (assignment_expression
  left: (member_expression) right: [(arrow_function) (function_expression) (class)])) @assigned)
(export_statement value: [(arrow_function) (function_expression)] @function)
(export_statement value: (class) @class)
(call_expression function: (identifier) @use)
(call_expression function: (member_expression) @use)
(new_expression constructor: (identifier) @use)
(new_expression constructor: (member_expression) @use)
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (import) arguments: (arguments . (string) @import))
(call_expression function: (identifier) arguments: (arguments . (string) @argument)) @requiring
(program (lexical_declaration (variable_declarator name: (identifier) @value)))
(program (variable_declaration (variable_declarator name: (identifier) @value)))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @value))))
(program . (comment) @about)
"""
_JAVASCRIPT = """
(class_heritage (identifier) @refer)
(decorator (identifier) @refer)
(class_body (field_definition value: [(arrow_function) (function_expression)]) @function)
(class_body (field_definition property: (property_identifier) @value))
"""
_JSX = """
(jsx_opening_element name: (identifier) @use)
(jsx_self_closing_element name: (identifier) @use)
"""
_TYPESCRIPT = """
(abstract_class_declaration) @class
(interface_declaration) @class
(enum_declaration) @class
(type_alias_declaration) @class
(class_body (public_field_definition value: [(arrow_function) (function_expression)]) @function)
(class_body (public_field_definition name: (property_identifier) @value))
(extends_clause value: (identifier) @refer)
(implements_clause (type_identifier) @refer)
(extends_type_clause (type_identifier) @refer)
(type_annotation (type_identifier) @refer)
(type_arguments (type_identifier) @refer)
(decorator (identifier) @refer)
"""

_COMMON_NAMES = """
    require parseInt parseFloat String Number Boolean Array Object Date Map Set Promise Error TypeError RegExp
    Symbol setTimeout clearTimeout setInterval clearInterval push pop shift unshift slice splice map filter reduce
    forEach some every find findIndex includes indexOf join split concat keys values entries trim replace test match
    toString hasOwnProperty call apply bind then catch finally resolve reject stringify parse log warn error get set
    has add delete toLowerCase toUpperCase startsWith endsWith charAt describe it expect toBe toEqual
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_OWN = ("this", "super")
_BASE_KINDS = frozenset(
    ("identifier", "type_identifier", "member_expression", "generic_type", "nested_type_identifier")
)
_REQUIRE = (b"require(", b"require (")
_HERE = "./"
_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_WRITTEN_AS = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}


def read(source: bytes, path: str, *, dialect: str) -> Sketch:
    """Read a JavaScript, TypeScript or TSX file."""
    root, captured = _grammar(dialect).capture(source)
    above = Above(source, "//", ("/*", "*/"))
    outer = wrappers(captured.get("wrapper", ()), "declaration", "value")
    found: list[Found] = []
    for capture in ("function", "assigned", "class"):
        for node in captured.get(capture, ()):
            name = _name(source, node, path)
            if name:
                is_class = capture == "class" or _assigns_class(node)
                wrapper = outer.get((node.start_byte, node.end_byte), node)
                found.append(Found(is_class, node, wrapper, name, bases=tuple(_bases(source, node))))
    return Sketch(
        declarations=nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0])),
        values=tuple((n.start_point[0], text_of(source, n)) for n in captured.get("value", ())),
        uses=tuple(used_names(source, captured.get("use", ()), _COMMON, _OWN)),
        refers=tuple(used_names(source, captured.get("refer", ()), _COMMON, ())),
        imports=_imports(source, [*captured.get("import", ()), *_required(source, captured)], path),
        description=_plain(text_of(source, captured["about"][0])) if "about" in captured else "",
        root=root,
    )


@cache
def _grammar(dialect: str) -> CompiledGrammar:
    if dialect == "javascript":
        return CompiledGrammar(tree_sitter_javascript.language(), _SHARED + _JAVASCRIPT + _JSX)
    if dialect == "tsx":
        return CompiledGrammar(tree_sitter_typescript.language_tsx(), _SHARED + _TYPESCRIPT + _JSX)
    return CompiledGrammar(tree_sitter_typescript.language_typescript(), _SHARED + _TYPESCRIPT)


def _assigned(node: Node) -> tuple[Node | None, Node | None]:
    """The name's and the value's node of `const a = …` and `a.b = …`."""
    inner = node.named_children[0] if node.named_children else None
    if inner is None:
        return None, None
    if inner.type == "assignment_expression":
        return inner.child_by_field_name("left"), inner.child_by_field_name("right")
    return inner.child_by_field_name("name"), inner.child_by_field_name("value")


def _assigns_class(node: Node) -> bool:
    value = _assigned(node)[1] if node.type == "expression_statement" else None
    return value is not None and value.type == "class"


def _name(source: bytes, node: Node, path: str) -> str:
    if node.type in {"lexical_declaration", "variable_declaration", "expression_statement"}:
        name = _assigned(node)[0]
        text = "" if name is None else "".join(text_of(source, name).split())
        return text.removeprefix("module.").removeprefix("exports.").removeprefix("exports").replace(".prototype.", ".")
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is not None:
        return text_of(source, name)
    return "default" if path else ""


def _body(node: Node) -> Node | None:
    if node.type in {"lexical_declaration", "variable_declaration", "expression_statement"}:
        value = _assigned(node)[1]
        return None if value is None else value.child_by_field_name("body")
    body = node.child_by_field_name("body")
    value = node.child_by_field_name("value")
    return value.child_by_field_name("body") if body is None and value is not None else body


def _signature(source: bytes, found: Found) -> str:
    return between(source, found.outer, _body(found.node)).removesuffix("=>").rstrip()


def _bases(source: bytes, node: Node) -> Iterator[str]:
    """What a class extends and implements, or an interface extends."""
    for clause in node.named_children:
        if clause.type in {"class_heritage", "extends_type_clause"}:
            inner = [c for c in clause.named_children if c.type in {"extends_clause", "implements_clause"}] or [clause]
            for part in inner:
                for child in part.named_children:
                    if child.type in _BASE_KINDS:
                        yield simple_name(text_of(source, child))


def _plain(text: str) -> str:
    return "\n".join(uncommented(line) for line in text.split("\n"))


def _required(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[Node]:
    """The arguments of `require`. A predicate in the query would read the text at a cost that grows squared."""
    starts = {n.start_byte: n for n in captured.get("argument", ())}
    for node in captured.get("requiring", ()):
        given = node.child_by_field_name("arguments")
        if source.startswith(_REQUIRE, node.start_byte) and given is not None and given.named_children:
            first = starts.get(given.named_children[0].start_byte)
            if first is not None:
                yield first


def _imports(source: bytes, nodes: list[Node], path: str) -> tuple[str, ...]:
    """Modules imported; relative ones as `./` and a path from the tree's root, others as written."""
    names: dict[str, None] = {}
    for node in sorted(nodes, key=lambda n: n.start_byte):
        name = text_of(source, node)[1:-1]
        if name.startswith("."):
            name = _HERE + posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if name:
            names.setdefault(name)
    return tuple(names)


class JavaScriptImporter:
    """Relative paths, with the extensions and `index` files that bundlers and Node add."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del lookup
        stem, extension = _split(path)
        names = [path, stem]
        names.extend(stem + written for written, means in _WRITTEN_AS.items() if extension in means)
        if posixpath.basename(stem) == "index":
            names.append(posixpath.dirname(stem) or ".")
        return tuple(_HERE + name for name in dict.fromkeys(names))

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        del importer
        if not name.startswith(_HERE):
            return ()
        name = name.removeprefix(_HERE)
        stem, extension = _split(name)
        forms = [name] if extension else []
        forms.extend(stem + means for means in _WRITTEN_AS.get(extension, ()))
        forms.extend(name + added for added in _EXTENSIONS)
        folder = "" if name == "." else name + "/"
        forms.extend(f"{folder}index{added}" for added in _EXTENSIONS)
        return next(((form,) for form in forms if lookup.exists(form)), ())

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del path, lookup
        return ()


def _split(path: str) -> tuple[str, str]:
    """The path without and its known extension, which may be empty."""
    extension = next((e for e in sorted(_EXTENSIONS, key=len, reverse=True) if path.endswith(e)), "")
    return path.removesuffix(extension), extension


def _language(name: str, extensions: tuple[str, ...], interpreters: tuple[str, ...], dialect: str) -> Language:
    return Language(
        name=name,
        extensions=extensions,
        interpreters=interpreters,
        line_comment="//",
        block_comment=("/*", "*/"),
        read=partial(read, dialect=dialect),
        importer=JavaScriptImporter(),
        module_names=no_names,
    )


JAVASCRIPT = _language("javascript", (".js", ".jsx", ".mjs", ".cjs"), ("node", "nodejs"), "javascript")
TYPESCRIPT = _language("typescript", (".ts", ".mts", ".cts"), ("deno", "ts-node"), "typescript")
TSX = _language("tsx", (".tsx",), (), "tsx")
