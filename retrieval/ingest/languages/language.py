"""What a language must tell: how its files are read, and by what names files import one another.

A reader answers with a `Sketch`: where the declarations are and what is named where, by rows counted from 0. It does
not cut anything; `retrieval.ingest.code` does. An importer resolves import names to files when everything is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Declaration:
    """A class-like or function-like thing with the rows it takes up, decorators included.

    `title` is its qualified name in the file and `scope` what the titles of its members begin with: the title itself,
    but for a block that adds to a type declared elsewhere. `bases` are the simple names of the types that it extends
    or fulfils. `nested` marks what lies inside a function and stays there.
    """

    is_class: bool
    name: str
    title: str
    first_row: int
    last_row: int
    signature: str
    description: str
    nested: bool = False
    scope: str = ""
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a file declares, defines and uses. Declarations are in order of their first row, outer before inner.

    `values` are other names defined outside functions, `uses` names called and `refers` names mentioned otherwise, such
    as types and decorators; all with their rows. `packages` are what the file says it belongs to, where files of one
    package see one another without naming files.
    """

    declarations: tuple[Declaration, ...]
    values: tuple[tuple[int, str], ...]
    uses: tuple[tuple[int, str], ...]
    imports: tuple[str, ...]
    description: str
    root: Node
    refers: tuple[tuple[int, str], ...] = ()
    packages: tuple[str, ...] = ()


class PathLookup(Protocol):
    """What an importer may ask of the stored paths of a namespace."""

    def exists(self, path: str) -> bool:
        """True where the path has live records."""
        ...

    def ending_in(self, suffix: str) -> tuple[str, ...]:
        """The paths that are the suffix or end in `/suffix`, sorted."""
        ...

    def in_folder(self, folder: str) -> tuple[str, ...]:
        """The paths of Go files directly in the folder, sorted."""
        ...

    def go_modules(self) -> tuple[tuple[str, str], ...]:
        """(module path, folder) of the namespace's `go.mod` files, longest module path first."""
        ...

    def in_package(self, package: str) -> tuple[str, ...]:
        """The paths of the files that say they belong to the package, sorted."""
        ...

    def packages_of(self, path: str) -> tuple[str, ...]:
        """What the file says it belongs to."""
        ...

    def imports_of(self, path: str) -> tuple[str, ...]:
        """The files that the file imports."""
        ...


class Importer(Protocol):
    """By what names the files of a language import one another."""

    def names_of(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        """All import names that could mean the file."""
        ...

    def resolve(self, name: str, importer: str, lookup: PathLookup) -> tuple[str, ...]:
        """The files that the name means in the importing file; empty where it is not in the namespace."""
        ...

    def in_reach(self, path: str, lookup: PathLookup) -> tuple[str, ...]:
        """Other files whose names need no import in this one, such as those of a Go package."""
        ...


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its name, how to recognise its files, how to read them and to resolve their imports.

    `read(source, path)` takes UTF-8 and never fails on bad syntax. `module_names(path)` are symbols of the file itself.
    `line_comment` begins a comment to the end of the line; `block_comment` is a pair of marks, or None.
    """

    name: str
    extensions: tuple[str, ...]
    interpreters: tuple[str, ...]
    line_comment: str
    block_comment: tuple[str, str] | None
    read: Callable[[bytes, str], Sketch]
    importer: Importer
    module_names: Callable[[str], tuple[str, ...]]


def no_names(path: str) -> tuple[str, ...]:
    """The module names of a language whose files have none."""
    del path
    return ()
