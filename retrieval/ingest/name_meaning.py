"""What the names that a record uses mean, by who is before the dot (see `languages.naming`).

The nearest place that knows the name decides: the class, the file, files that it sees, the namespace. Where that place
knows it too often, or the name belongs to a module that is not in the namespace, it means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from retrieval.ingest.languages.naming import OWN, SUPER, from_module, parted
from retrieval.ingest.link_tables import FileTable, LinkTables, Shape
from retrieval.ingest.override_edges import SPREAD, inherited
from retrieval.record import Record
from workingset.vocabulary import Ref

_IMPLICIT = frozenset(("java", "csharp", "c", "ruby"))
"""Families in which a method may be called without naming the object."""
_SCOPED = _IMPLICIT | {"rust"}
"""Families in which a bare name is looked for in what surrounds it first."""
_TOLD_APART = frozenset(("python", "go"))
"""Families that import by name: a bare name that is neither here nor imported means nothing, and what is called on
an object is a method."""
_QUALIFIED = frozenset(("go",))
"""Families in which what is imported is always named with its module: a bare name is of the package."""
_UNIQUE = 1
"""A method called on an object of unknown type means one of another file only where there is no other of that name."""


class Meanings:
    """The meanings in one file."""

    def __init__(self, table: FileTable, reach: Sequence[FileTable], tables: LinkTables) -> None:
        self._table = table
        self._reach = reach
        self._tables = tables
        self._visible = reach[: len(tables.in_reach(table))] if table.family in _QUALIFIED else reach
        self._limit = tables.settings.definers
        self._known: dict[str, tuple[Ref, ...]] = {}
        self._known_in: dict[str, dict[str, tuple[Ref, ...]]] = {}

    def of(self, record: Record, texts: Sequence[str]) -> set[Ref]:
        """What the record means by names that it uses."""
        found: set[Ref] = set()
        if not texts:
            return found
        scope = record.title.partition(" (")[0]
        if record.kind != "class":
            scope = scope.partition(", ")[0].rpartition(".")[0]
        anywhere, in_scope = self._known, self._known_in.setdefault(scope, {})
        for text in texts:
            refs = anywhere.get(text)
            if refs is None:
                refs = in_scope.get(text)
                if refs is None:
                    refs = self._meaning(scope, text)
            if refs:
                found.update(refs)
        found.discard(record.ref)
        return found

    def _meaning(self, scope: str, text: str) -> tuple[Ref, ...]:
        """What a name means that was not asked for in this scope; it is remembered for where it means the same."""
        name, receiver = parted(text)
        needs_scope = receiver in {OWN, SUPER} or (receiver is None and self._table.family in _SCOPED)
        known = self._known_in[scope] if needs_scope else self._known
        refs = known[text] = self._resolve(scope, name, receiver)
        return refs

    def _resolve(self, scope: str, name: str, receiver: str | None) -> tuple[Ref, ...]:
        if receiver is None:
            return self._bare(scope, name)
        if receiver in {OWN, SUPER}:
            return self._own(scope, name, above=receiver == SUPER)
        module = from_module(receiver)
        if module is not None:
            return self._qualified(module, name)
        return self._typed(receiver, name) if receiver else self._on_object(name)

    def _bare(self, scope: str, name: str) -> tuple[Ref, ...]:
        implicit = self._table.family in _IMPLICIT
        while scope and self._table.family in _SCOPED:
            own = self._member(f"{scope}.{name}")
            if own:
                return own
            above = inherited(scope, name, self._table, self._reach, self._tables) if implicit else ()
            if above:
                return above[:1]
            scope = scope.rpartition(".")[0]
        near = self._table.top.get(name) or (self._table.methods.get(name) if implicit else None)
        if near:
            return self._few(near)
        far = _seen(self._visible, name, methods=False) or (self._seen(name, methods=True) if implicit else ())
        if far or self._table.family in _TOLD_APART:
            return self._few(far)
        return self._anywhere(name, Shape.ANY if implicit else Shape.TOP, self._limit)

    def _own(self, scope: str, name: str, *, above: bool) -> tuple[Ref, ...]:
        own = () if above else self._member(f"{scope}.{name}")
        found = own or inherited(scope, name, self._table, self._reach, self._tables)
        if found or above or self._table.family in _TOLD_APART:
            return found[:1]
        return self._anywhere(name, Shape.METHOD, _UNIQUE)

    def _member(self, title: str) -> tuple[Ref, ...]:
        """The one member of that title, where a type may have its members in several files also in those in reach."""
        places = (self._table, *self._reach) if self._table.family in SPREAD else (self._table,)
        return next((place.titled[title][:1] for place in places if title in place.titled), ())

    def _qualified(self, module: str, name: str) -> tuple[Ref, ...]:
        """What the module has of that name, or takes from what it imports; or what a class in a module has."""
        for place in self._module(module):
            found = place.top.get(name)
            if found:
                return self._few(found)
        for place in self._module(module):
            for path in self._tables.imported(place):
                other = self._tables.file(path)
                if other is not None and name in other.top:
                    return self._few(other.top[name])
        outer, _, last = module.rpartition(".")
        for place in self._module(outer) if outer else ():
            found = place.titled.get(f"{last}.{name}")
            if found:
                return found[:1]
        return ()

    def _module(self, module: str) -> Iterable[FileTable]:
        tables = (self._tables.file(path) for path in self._tables.resolve(self._table, module))
        return [table for table in tables if table is not None]

    def _typed(self, receiver: str, name: str) -> tuple[Ref, ...]:
        """A member of the type of that name; nested types go by their last name."""
        title = f"{receiver}.{name}"
        for place in (self._table, *self._reach):
            if title in place.titled:
                return place.titled[title][:1]
        near = (*self._table.methods.get(name, ()), *self._seen(name, methods=True))
        far = self._tables.definers(name, self._table.family, Shape.METHOD) or ()
        for ref in (*near, *far):
            place_of = self._tables.place_of(ref)
            if place_of is not None and place_of[1].endswith(f".{title}"):
                return (ref,)
            if place_of is not None and place_of[1] == title:
                return (ref,)
        return self._on_object(name) if self._table.family == "javascript" else ()

    def _on_object(self, name: str) -> tuple[Ref, ...]:
        told_apart = self._table.family in _TOLD_APART
        near = self._table.methods.get(name)
        if near:
            return self._few(near)
        far = self._seen(name, methods=True) or (() if told_apart else self._seen(name, methods=False))
        return self._few(far) if far else self._anywhere(name, Shape.METHOD if told_apart else Shape.ANY, _UNIQUE)

    def _seen(self, name: str, *, methods: bool) -> tuple[Ref, ...]:
        return _seen(self._reach, name, methods=methods)

    def _anywhere(self, name: str, shape: Shape, limit: int) -> tuple[Ref, ...]:
        refs = self._tables.definers(name, self._table.family, shape) or ()
        return refs if len(refs) <= limit else ()

    def _few(self, refs: tuple[Ref, ...]) -> tuple[Ref, ...]:
        return refs if len(refs) <= self._limit else ()


def _seen(places: Sequence[FileTable], name: str, *, methods: bool) -> tuple[Ref, ...]:
    """What the files have of that name."""
    found: dict[Ref, None] = {}
    for place in places:
        refs = (place.methods if methods else place.top).get(name)
        if refs:
            found.update(dict.fromkeys(refs))
    return tuple(found)
