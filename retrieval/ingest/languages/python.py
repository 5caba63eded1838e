"""Python, by tree-sitter-python."""

from __future__ import annotations

import re
from functools import cache

import tree_sitter_python
from tree_sitter import Node

from retrieval.ingest.languages.language import Language, PathLookup, Sketch
from retrieval.ingest.languages.reading import CompiledGrammar, Found, between, nest, text_of, used_names, wrappers

_QUERY = """
(function_definition) @function
(class_definition) @class
(decorated_definition) @wrapper
(call function: (identifier) @use)
(call function: (attribute) @use)
(decorator (identifier) @refer)
(decorator (attribute) @refer)
(class_definition superclasses: (argument_list (identifier) @refer))
(class_definition superclasses: (argument_list (attribute) @refer))
(raise_statement (identifier) @refer)
(except_clause (identifier) @refer)
(except_clause (tuple (identifier) @refer))
(type (identifier) @refer)
(import_statement) @import
(import_from_statement) @import
(module (expression_statement (assignment left: (identifier) @value)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @value))))
"""

_COMMON_NAMES = """
    abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir
    divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id input int
    isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property
    range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip None True
    False Exception BaseException ValueError TypeError KeyError IndexError AttributeError RuntimeError OSError
    NotImplementedError StopIteration ImportError AssertionError append extend insert pop remove clear copy sort
    reverse index count join split rsplit splitlines strip lstrip rstrip startswith endswith replace lower upper
    encode decode format items keys values get setdefault update add discard find rfind partition rpartition
    assertEqual assertTrue assertFalse assertRaises assertIn assertIs assertIsNone assertIsInstance assertNotEqual
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_OWN = ("self", "cls", "super()")
_BASE_KINDS = frozenset(("identifier", "attribute", "subscript"))
_QUOTES = re.compile(r"^[A-Za-z]{0,2}(\"\"\"|'''|\"|')")


def read(source: bytes, path: str) -> Sketch:
    """Read a Python file."""
    root, captured = _grammar().capture(source)
    outer = wrappers(captured.get("wrapper", ()), "definition")
    found = [
        Found(
            is_class,
            node,
            outer.get((node.start_byte, node.end_byte), node),
            text_of(source, name),
            bases=_bases(source, node),
        )
        for is_class, nodes in ((False, captured.get("function", ())), (True, captured.get("class", ())))
        for node in nodes
        if (name := node.child_by_field_name("name")) is not None
    ]
    imported = _bound(source, captured.get("import", []), path)
    return Sketch(
        declarations=nest(found, lambda f: _signature(source, f), lambda f: _docstring(source, f.node)),
        values=tuple((n.start_point[0], text_of(source, n)) for n in captured.get("value", ())),
        uses=tuple(used_names(source, captured.get("use", ()), _COMMON, _OWN, imported)),
        refers=tuple(used_names(source, captured.get("refer", ()), _COMMON, (), imported)),
        imports=_imports(source, captured.get("import", []), path),
        description=_string_at(source, root.named_children[:8]),
        root=root,
    )


@cache
def _grammar() -> CompiledGrammar:
    return CompiledGrammar(tree_sitter_python.language(), _QUERY)


def _signature(source: bytes, found: Found) -> str:
    return between(source, found.node, found.node.child_by_field_name("body"))


def _bases(source: bytes, node: Node) -> tuple[str, ...]:
    listed = node.child_by_field_name("superclasses")
    if listed is None:
        return ()
    named = (text_of(source, child) for child in listed.named_children if child.type in _BASE_KINDS)
    return tuple(text.partition("[")[0].rpartition(".")[2].strip() for text in named)


def _docstring(source: bytes, node: Node) -> str:
    body = node.child_by_field_name("body")
    return "" if body is None else _string_at(source, body.named_children[:1])


def _string_at(source: bytes, children: list[Node]) -> str:
    """The text of the first statement that is no comment, if it is a string."""
    statement = next((child for child in children if child.type != "comment"), None)
    if statement is None or statement.type != "expression_statement" or statement.named_child_count != 1:
        return ""
    literal = statement.named_children[0]
    if literal.type != "string":
        return ""
    text = text_of(source, literal)
    quotes = _QUOTES.match(text)
    return text[quotes.end() : -len(quotes.group(1))].strip() if quotes else ""


def _imports(source: bytes, nodes: list[Node], path: str) -> tuple[str, ...]:
    """Modules imported, absolute; of `from a import b` both `a` and `a.b`, since b may be a module."""
    names: dict[str, None] = {}
    for node in sorted(nodes, key=lambda n: n.start_byte):
        base = ""
        module = node.child_by_field_name("module_name")
        if module is not None:
            base = _absolute(text_of(source, module), path)
            names.setdefault(base)
        for child in node.children_by_field_name("name"):
            name = child.child_by_field_name("name") if child.type == "aliased_import" else child
            if name is not None:
                names.setdefault(f"{base}.{text_of(source, name)}".strip("."))
    names.pop("", None)
    return tuple("".join(name.split()) for name in names)


def _bound(source: bytes, nodes: list[Node], path: str) -> dict[str, str]:
    """What imports bind: local names, with the module, or the member of a module, that each stands for."""
    bound: dict[str, str] = {}
    for node in nodes:
        module = node.child_by_field_name("module_name")
        base = "" if module is None else _absolute(text_of(source, module), path) + "."
        for child in node.children_by_field_name("name"):
            name, alias = child, child.child_by_field_name("alias")
            if alias is not None:
                name = child.child_by_field_name("name") or child
            full = "".join(text_of(source, name).split())
            if alias is not None:
                bound[text_of(source, alias)] = base + full
            else:
                local = full if base else full.partition(".")[0]
                bound[local] = base + local
    return bound


def _absolute(module: str, path: str) -> str:
    """Return the module with leading dots resolved against the path from the tree's root."""
    module = "".join(module.split())
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if not dots:
        return name
    package = path.split("/")[:-dots]
    return ".".join([*package, *([name] if name else [])])


class PythonImporter:
    """Absolute names, looked for below the tree's root, then below each folder of the importing file, outermost first
    (so that `import abc` in `importlib/` is not `importlib/abc.py`), then, for packages and what is in them, anywhere
    if there is but one place (`src/` layouts)."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del lookup
        return module_names(path)

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        stem = name.replace(".", "/")
        forms = (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi", f"{stem}/__init__.pyi")
        folders = importer.split("/")[:-1]
        for depth in range(len(folders) + 1):
            prefix = "".join(folder + "/" for folder in folders[:depth])
            for form in forms:
                if lookup.exists(prefix + form):
                    return (prefix + form,)
        for form in forms:
            places = lookup.ending_in(form) if "/" in form else ()
            if places:
                return places if len(places) == 1 else ()
        return ()

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del path, lookup
        return ()


def module_names(path: str) -> tuple[str, ...]:
    """The dotted names of the file's module, whichever folder is the root: `a/b/c.py` is a.b.c, b.c and c."""
    stem = path.rpartition(".")[0]
    parts = stem.removesuffix("/__init__").split("/")
    return tuple(".".join(parts[at:]) for at in range(len(parts)))


PYTHON = Language(
    name="python",
    extensions=(".py", ".pyi", ".pyw"),
    interpreters=("python", "python2", "python3"),
    line_comment="#",
    block_comment=None,
    read=read,
    importer=PythonImporter(),
    module_names=module_names,
)
