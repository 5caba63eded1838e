"""Rust, by tree-sitter-rust.

An `impl` block is a record of its own, titled as it is written; what is in it is titled by the type.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import tree_sitter_rust
from tree_sitter import Node

from retrieval.ingest.languages.above import Above
from retrieval.ingest.languages.language import Language, PathLookup, Sketch, no_names
from retrieval.ingest.languages.reading import (
    CompiledGrammar,
    Found,
    between,
    nest,
    simple_name,
    text_of,
    used_names,
)
from retrieval.ingest.languages.suffixes import HERE

_QUERY = """
(function_item) @function
(function_signature_item) @function
(macro_definition) @function
(struct_item) @class
(enum_item) @class
(union_item) @class
(trait_item) @class
(type_item) @class
(mod_item body: (declaration_list)) @class
(impl_item) @impl
(attribute_item) @attribute
(const_item name: (identifier) @value)
(static_item name: (identifier) @value)
(enum_variant name: (identifier) @value)
(call_expression function: (identifier) @use)
(call_expression function: (field_expression) @use)
(call_expression function: (scoped_identifier) @use)
(call_expression function: (generic_function function: (_) @use))
(macro_invocation macro: (identifier) @use)
(macro_invocation macro: (scoped_identifier) @use)
(struct_expression name: (type_identifier) @use)
(token_tree (identifier) @in_macro . (token_tree))
(type_identifier) @refer
(use_declaration argument: (_) @import)
(mod_item !body name: (identifier) @module)
"""

_COMMON_NAMES = """
    Some None Ok Err Box Vec String Option Result Arc Rc Fn FnMut FnOnce Clone Debug Default Copy Send Sync Iterator
    vec println eprintln print format write writeln panic assert assert_eq assert_ne debug_assert unreachable matches
    unimplemented todo new default clone into from unwrap expect unwrap_or unwrap_or_else unwrap_or_default map and_then
    map_err ok ok_or ok_or_else iter into_iter iter_mut collect filter filter_map fold next len is_empty push pop insert
    get get_mut remove contains contains_key extend to_string to_owned to_vec as_ref as_mut as_str as_bytes borrow
    borrow_mut lock read write join split trim starts_with ends_with is_some is_none is_ok is_err take replace min max
    eq ne cmp fmt drop deref hash any all chain zip enumerate rev cloned copied
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_OWN = ("self", "Self")
_ROOTS = frozenset(("lib.rs", "main.rs"))
_GROUP = re.compile(r"^(.*?)\{(.*)\}$", re.DOTALL)
_ALIAS = re.compile(r"\s+as\s+\w+")
_USES_READ = 256
"""Guess: names of one `use` declaration; a longer list is generated."""


def read(source: bytes, path: str) -> Sketch:
    """Read a Rust file."""
    root, captured = _grammar().capture(source)
    above = Above(source, "//", ("/*", "*/"), captured.get("attribute", ()))
    found = list(_found(source, captured, above))
    declarations = nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0]))
    called = [
        *captured.get("use", ()),
        *(n for n in captured.get("in_macro", ()) if source[n.end_byte : n.end_byte + 1] == b"("),
    ]
    names = {name.start_byte for f in found if (name := f.node.child_by_field_name("name")) is not None}
    mentioned = (n for n in captured.get("refer", ()) if n.start_byte not in names and n.end_byte - n.start_byte > 1)
    return Sketch(
        declarations=declarations,
        values=tuple((n.start_point[0], text_of(source, n)) for n in captured.get("value", ())),
        uses=tuple(used_names(source, called, _COMMON, _OWN)),
        refers=tuple(used_names(source, mentioned, _COMMON, ())),
        imports=_imports(source, captured, path),
        description=above.head({d.first_row for d in declarations}),
        root=root,
    )


@cache
def _grammar() -> CompiledGrammar:
    return CompiledGrammar(tree_sitter_rust.language(), _QUERY)


def _found(source: bytes, captured: Mapping[str, list[Node]], above: Above) -> Iterator[Found]:
    for kind in ("function", "class"):
        for node in captured.get(kind, ()):
            name = node.child_by_field_name("name")
            if name is not None:
                first = above.first_row(node.start_point[0])
                bases = _bounds(source, node)
                yield Found(kind == "class", node, node, text_of(source, name), bases=bases, first_row=first)
    for node in captured.get("impl", ()):
        kind_of, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        if kind_of is None:
            continue
        own = simple_name(text_of(source, kind_of))
        fulfilled = "" if trait is None else simple_name(text_of(source, trait))
        title = f"impl {fulfilled} for {own}" if fulfilled else f"impl {own}"
        bases = (fulfilled,) if fulfilled else ()
        first = above.first_row(node.start_point[0])
        yield Found(True, node, node, title, scope=own, bases=bases, first_row=first)


def _bounds(source: bytes, node: Node) -> tuple[str, ...]:
    """The traits that a trait demands."""
    bounds = node.child_by_field_name("bounds")
    if bounds is None or node.type != "trait_item":
        return ()
    return tuple(simple_name(text_of(source, child)) for child in bounds.named_children if child.type != "lifetime")


def _signature(source: bytes, found: Found) -> str:
    end = found.node.child_by_field_name("body")
    text = between(source, found.node, end)
    return text.partition("{")[0].rstrip() if end is None else text


def _imports(source: bytes, captured: Mapping[str, list[Node]], path: str) -> tuple[str, ...]:
    """Modules used, as paths from the tree's root where they are of this crate; of `a::b` both a and a/b."""
    names: dict[str, None] = {}
    folder = _module_folder(path)
    for node in captured.get("module", ()):
        names.setdefault(HERE + posixpath.join(folder, text_of(source, node)))
    for node in sorted(captured.get("import", ()), key=lambda n: n.start_byte):
        inside = _inline_folder(node, captured.get("class", ()), folder)
        for used in list(_flat(_ALIAS.sub("", text_of(source, node))))[:_USES_READ]:
            for name in _module_names(used, path, inside):
                names.setdefault(name)
    return tuple(names)


def _inline_folder(node: Node, classes: Iterable[Node], folder: str) -> str:
    """The folder of the modules of the inline module that the node stands in, were that a file."""
    depth = sum(n.type == "mod_item" and n.start_byte < node.start_byte < n.end_byte for n in classes)
    return posixpath.join(folder, *["_"] * depth)


def _flat(text: str) -> Iterator[str]:
    """The paths that a `use` names, groups multiplied out."""
    pending = ["".join(text.split())]
    while pending:
        one = pending.pop()
        group = _GROUP.match(one)
        if group is None:
            yield one
            continue
        pending.extend(group.group(1) + part for part in reversed(_parts(group.group(2))) if part)


def _parts(text: str) -> list[str]:
    """Split at commas outside braces."""
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    return [*parts, text[begin:]]


def _module_names(used: str, path: str, folder: str) -> Iterator[str]:
    steps = [step for step in used.split("::") if step not in {"", "*"}]
    if steps and steps[-1] == "self":
        steps.pop()
    written = len(steps)
    while len(steps) > 1 and steps[-1][:1].isupper():
        steps.pop()
    is_module = len(steps) < written
    if not steps or steps[0] in {"std", "core", "alloc"}:
        return
    base = _base(steps, path, folder)
    for kept in (len(steps),) if is_module or not steps else (len(steps), len(steps) - 1):
        name = "/".join(steps[:kept])
        if base is not None:
            yield HERE + (posixpath.normpath(posixpath.join(base, name)) if name else base)
        elif name:
            yield name


def _base(steps: list[str], path: str, folder: str) -> str | None:
    """Remove what the path begins from and return that folder; None for another crate."""
    if steps[0] == "crate":
        steps.pop(0)
        return _crate_folder(path)
    if steps[0] not in {"self", "super"}:
        return None
    base = folder
    while steps and steps[0] in {"self", "super"}:
        base = posixpath.dirname(base) if steps.pop(0) == "super" else base
    return base


def _crate_folder(path: str) -> str:
    parts = path.split("/")[:-1]
    at = max((at for at, part in enumerate(parts) if part == "src"), default=len(parts) - 1)
    return "/".join(parts[: at + 1])


def _module_folder(path: str) -> str:
    """The folder that the file's own modules lie in."""
    folder, _, name = path.rpartition("/")
    return folder if name in _ROOTS or name == "mod.rs" else path.removesuffix(".rs")


class RustImporter:
    """`crate`, `self` and `super` paths are files below the crate's `src`; another crate is found by its folder."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del lookup
        folder, _, name = path.rpartition("/")
        module = folder if name in _ROOTS or name == "mod.rs" else path.removesuffix(".rs")
        names = [HERE + (module or ".")]
        crate, source, inner = f"/{module}/".rpartition("/src/")
        if source:
            crate_name = crate.rpartition("/")[2].replace("-", "_")
            names.append(f"{crate_name}/{inner}".strip("/"))
        return tuple(names)

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        del importer
        if name.startswith(HERE):
            stem = name.removeprefix(HERE)
            return next(((form,) for form in _forms("" if stem == "." else stem) if lookup.exists(form)), ())
        crate, _, inner = name.partition("/")
        for folder in dict.fromkeys((crate, crate.replace("_", "-"))):
            for form in _forms(f"{folder}/src/{inner}".rstrip("/")):
                places = lookup.ending_in(form)
                if len(places) == 1:
                    return places
        return ()

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del path, lookup
        return ()


def _forms(stem: str) -> Iterator[str]:
    if stem:
        yield f"{stem}.rs"
    for name in ("mod.rs", "lib.rs", "main.rs"):
        yield posixpath.join(stem, name)


RUST = Language(
    name="rust",
    extensions=(".rs",),
    interpreters=("rust-script",),
    line_comment="//",
    block_comment=("/*", "*/"),
    read=read,
    importer=RustImporter(),
    module_names=no_names,
)
