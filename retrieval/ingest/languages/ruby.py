"""Ruby, by tree-sitter-ruby. Modules are class-like; what a class includes counts among its bases."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache

import tree_sitter_ruby
from tree_sitter import Node

from retrieval.ingest.languages import suffixes
from retrieval.ingest.languages.above import Above
from retrieval.ingest.languages.language import Language, PathLookup, Sketch, no_names
from retrieval.ingest.languages.naming import written
from retrieval.ingest.languages.reading import CompiledGrammar, Found, nest, text_of, used_names

_QUERY = """
(method) @function
(singleton_method) @function
(class) @class
(module) @class
(assignment left: (constant) @value)
(call !receiver method: (identifier) @use)
(call receiver: (_) @receiver method: [(identifier) (constant)] @method)
(superclass (_) @refer)
(call !receiver method: (identifier) arguments: (argument_list . [(constant) (scope_resolution)])) @mixing
(call !receiver method: (identifier) arguments: (argument_list . (string (string_content)) .)) @loading
(call receiver: (constant) @refer)
(call receiver: (scope_resolution) @refer)
(rescue exceptions: (exceptions (constant) @refer))
"""

_COMMON_NAMES = """
    autoload require require_relative load include extend prepend attr_reader attr_writer attr_accessor private
    protected public module_function raise puts print p pp format sprintf lambda proc loop catch throw freeze dup
    clone new each map select reject inject reduce find detect any? all? none? first last push pop shift unshift
    join split gsub sub strip to_s to_i to_f to_a to_h to_sym inspect size length count empty? nil? include? key?
    fetch dig merge keys values sort sort_by min max sum zip flatten compact uniq reverse concat insert delete is_a?
    kind_of? respond_to? send public_send instance_variable_get instance_variable_set define_method class_eval
    instance_eval tap then call describe context it let before after subject expect to not_to eq be assert
    assert_equal refute assert_nil String Integer Float Array Hash Symbol Object Class Module Struct Time Date File
    IO Set StandardError ArgumentError RuntimeError NotImplementedError TypeError KeyError
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_PLAIN = frozenset(("identifier", "constant", "self", "scope_resolution"))
_MIXING = frozenset(("include", "extend", "prepend"))
_LOADING = frozenset(("require", "require_relative", "load"))
_OBJECT = "()"
_DOT_BYTES = 8
"""Guess: blanks and `&` between a dot and a method's name."""


def read(source: bytes, path: str) -> Sketch:
    """Read a Ruby file."""
    root, captured = _grammar().capture(source)
    above = Above(source, "#", None)
    found = list(_found(source, captured))
    declarations = nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0]))
    mentioned = [*captured.get("refer", ()), *_mixed(source, captured)]
    return Sketch(
        declarations=declarations,
        values=tuple((n.start_point[0], text_of(source, n)) for n in captured.get("value", ())),
        uses=(*used_names(source, captured.get("use", ()), _COMMON, ()), *_methods(source, captured)),
        refers=tuple(used_names(source, mentioned, _COMMON, ())),
        imports=_imports(source, captured, path),
        description=above.head({d.first_row for d in declarations}),
        root=root,
    )


@cache
def _grammar() -> CompiledGrammar:
    return CompiledGrammar(tree_sitter_ruby.language(), _QUERY)


def _found(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[Found]:
    for node in captured.get("function", ()):
        name = node.child_by_field_name("name")
        if name is not None:
            yield Found(False, node, node, text_of(source, name))
    mixed = sorted((n.start_byte, text_of(source, n)) for n in _mixed(source, captured))
    classes = sorted(captured.get("class", ()), key=lambda n: n.end_byte - n.start_byte)
    starts = [at for at, _ in mixed]
    owners: dict[int, int] = {}
    for node in classes:
        for at in starts[bisect_left(starts, node.start_byte) : bisect_left(starts, node.end_byte)]:
            owners.setdefault(at, node.start_byte)
    for node in classes:
        name = node.child_by_field_name("name")
        if name is None:
            continue
        superclass = node.child_by_field_name("superclass")
        bases = [text_of(source, superclass).lstrip("< \t")] if superclass is not None else []
        first, last = bisect_left(starts, node.start_byte), bisect_left(starts, node.end_byte)
        bases.extend(text for at, text in mixed[first:last] if owners[at] == node.start_byte)
        simple = tuple(base.rpartition("::")[2] for base in bases)
        yield Found(True, node, node, text_of(source, name).replace("::", "."), bases=simple)


def _mixed(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[Node]:
    """The modules that classes include. A predicate in the query would read the text at a cost that grows squared."""
    for node in captured.get("mixing", ()):
        method, given = node.child_by_field_name("method"), node.child_by_field_name("arguments")
        if method is not None and given is not None and text_of(source, method) in _MIXING:
            yield from given.named_children


def _methods(source: bytes, captured: Mapping[str, list[Node]]) -> Iterator[tuple[int, str]]:
    """Methods called on something: common names only on the object itself. `X.new` is a use of X."""
    receivers = {n.end_byte: n for n in captured.get("receiver", ())}
    for node in captured.get("method", ()):
        name = text_of(source, node)
        dot = source.rfind(b".", max(0, node.start_byte - _DOT_BYTES), node.start_byte)
        before = receivers.get(dot) or receivers.get(dot - 1)
        receiver = text_of(source, before) if before is not None and before.type in _PLAIN else _OBJECT
        if name == "new" and before is not None and receiver[:1].isupper():
            yield from used_names(source, (before,), _COMMON, ())
        elif name not in _COMMON or receiver == "self":
            yield node.start_point[0], written(name, receiver.replace("::", "."), receiver == "self", False, {})


def _signature(source: bytes, found: Found) -> str:
    """The declaration up to its body, or its first row; a body may be empty and is no node then."""
    node = found.node
    end = node.end_byte
    for field in ("parameters", "superclass", "name"):
        last = node.child_by_field_name(field)
        if last is not None:
            end = last.end_byte
            break
    return source[node.start_byte : end].decode("utf-8", "replace").rstrip()


def _imports(source: bytes, captured: Mapping[str, list[Node]], path: str) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for node in sorted(captured.get("loading", ()), key=lambda n: n.start_byte):
        method, given = node.child_by_field_name("method"), node.child_by_field_name("arguments")
        way = "" if method is None else text_of(source, method)
        if way not in _LOADING or given is None:
            continue
        name = text_of(source, given).strip("()\"' \t").removesuffix(".rb")
        names.setdefault(suffixes.relative(path, name) if way == "require_relative" or name.startswith(".") else name)
    names.pop("", None)
    return tuple(names)


class RubyImporter:
    """`require_relative` is a path; `require` is looked for in `lib` folders and by the ends of paths."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del lookup
        return suffixes.ends_of(path.removesuffix(".rb"))

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        if name.startswith(suffixes.HERE):
            return suffixes.resolve(name, importer, (".rb",), lookup)
        in_lib = suffixes.nearest(importer, lookup.ending_in(f"lib/{name}.rb"))
        return (in_lib,) if in_lib else suffixes.resolve(name, importer, (".rb",), lookup)

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del path, lookup
        return ()


RUBY = Language(
    name="ruby",
    extensions=(".rb", ".rake", ".gemspec", ".ru"),
    interpreters=("ruby", "jruby", "rake"),
    line_comment="#",
    block_comment=None,
    read=read,
    importer=RubyImporter(),
    module_names=no_names,
)
