"""Shell scripts, by tree-sitter-bash, which reads what sh, dash and ksh share with Bash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import tree_sitter_bash
from tree_sitter import Node

from retrieval.ingest.languages import suffixes
from retrieval.ingest.languages.above import Above
from retrieval.ingest.languages.language import Language, PathLookup, Sketch, no_names
from retrieval.ingest.languages.reading import CompiledGrammar, Found, between, nest, text_of

_QUERY = """
(function_definition) @function
(program (variable_assignment name: (variable_name) @value))
(program (declaration_command (variable_assignment name: (variable_name) @value)))
(command name: (command_name) @use) @command
"""

_COMMON_NAMES = """
    . : [ [[ alias awk basename bash bg break builtin case cat cd chmod chown command continue cp curl cut date declare
    df diff dirname docker du echo env eval exec exit export expr false fg find git grep gzip head hash id install jq
    kill let ln local ls make mkdir mktemp mv node npm openssl pip popd printf ps pushd pwd python python3 read readlink
    readonly realpath return rm rmdir rsync sed seq set sh shift shopt sleep sort source ssh stat sudo tail tar tee test
    time touch tr trap true type typeset ulimit umask uname uniq unset wait wc wget which whoami xargs
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_NAME = re.compile(r"[^\W\d][\w:.+-]*\Z")
_SOURCING = (b". ", b".\t", b"source ", b"source\t")
_VARIABLE_START = re.compile(r"^(?:\$\([^()]*(?:\([^()]*\))?[^()]*\)|\$\{[^{}]*\}|\$\w+|`[^`]*`)+/?")


def read(source: bytes, path: str) -> Sketch:
    """Read a shell script."""
    root, captured = _grammar().capture(source)
    above = Above(source, "#", None)
    found = [
        Found(False, node, node, text_of(source, name))
        for node in captured.get("function", ())
        if (name := node.child_by_field_name("name")) is not None
    ]
    declarations = nest(found, lambda f: _signature(source, f), lambda f: above.comment(f.outer.start_point[0]))
    return Sketch(
        declarations=declarations,
        values=tuple((n.start_point[0], text_of(source, n)) for n in captured.get("value", ())),
        uses=tuple(_commands(source, captured.get("use", ()))),
        imports=_imports(source, captured.get("command", ()), path),
        description=above.head({d.first_row for d in declarations}),
        root=root,
    )


@cache
def _grammar() -> CompiledGrammar:
    return CompiledGrammar(tree_sitter_bash.language(), _QUERY)


def _commands(source: bytes, nodes: Iterable[Node]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        name = text_of(source, node)
        if name not in _COMMON and _NAME.match(name):
            yield node.start_point[0], name


def _signature(source: bytes, found: Found) -> str:
    return between(source, found.node, found.node.child_by_field_name("body"))


def _imports(source: bytes, nodes: Iterable[Node], path: str) -> tuple[str, ...]:
    """Files sourced. What a variable or a command stands for is not known: the rest of the path is its end."""
    names: dict[str, None] = {}
    for node in sorted(nodes, key=lambda n: n.start_byte):
        if not source.startswith(_SOURCING, node.start_byte):
            continue
        given = node.child_by_field_name("argument")
        if given is None:
            continue
        text = text_of(source, given).replace('"', "").strip("'")
        name = _VARIABLE_START.sub("", text)
        is_whole = name == text
        if not name or "$" in name or any(character.isspace() for character in name):
            continue
        names.setdefault(suffixes.relative(path, name) if is_whole and name.startswith(".") else _plain(name))
    names.pop("", None)
    return tuple(names)


def _plain(name: str) -> str:
    """The name without steps upwards, which a prefix that we do not know makes meaningless."""
    return "/".join(part for part in name.split("/") if part not in {"", ".", ".."})


class BashImporter:
    """A sourced path is looked for as written, beside the script, below the root, and by the ends of paths."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del lookup
        return suffixes.ends_of(path)

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        return suffixes.resolve(name, importer, ("",), lookup)

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        del path, lookup
        return ()


BASH = Language(
    name="bash",
    extensions=(".sh", ".bash", ".bats", ".ksh", ".zsh"),
    interpreters=("sh", "bash", "dash", "ksh", "zsh", "ash", "bats"),
    line_comment="#",
    block_comment=None,
    read=read,
    importer=BashImporter(),
    module_names=no_names,
)
