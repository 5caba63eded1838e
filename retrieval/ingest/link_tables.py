"""What linking remembers while it runs: the symbols of files, the definers of names, and which paths there are.

All of it is read from the store and bounded; a table forgets what it learned longest ago.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Generic, TypeVar

from retrieval.ingest.languages.language import Importer
from retrieval.ingest.languages.naming import AT, module_prefix
from retrieval.ingest.languages.registry import language_named
from retrieval.ingest.pieces import CALLABLE
from retrieval.ingest.recording import folder_name
from retrieval.ingest.settings import LinkSettings
from retrieval.record import NameKind, Record
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Cut, Namespace, Ref

K = TypeVar("K")
V = TypeVar("V")

_GO_MOD = "go.mod"
_GO_MODULE = re.compile(r"^module[ \t]+\"?([^\s\"]+)", re.MULTILINE)
_SCAN = 64
_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}


@unique
class Shape(Enum):
    """Where a name that is looked for stands: anywhere, in no class, or in one."""

    ANY = "any"
    TOP = "top"
    METHOD = "method"


@dataclass(frozen=True, slots=True)
class FileTable:
    """What can be called in a file. `first` is the record that stands for it; `family` groups languages that call one
    another, empty where there is no grammar. `titled` goes by qualified, `top` and `methods` by simple name, `bases` by
    the title that the members of a class begin with."""

    path: str
    language: str
    family: str
    first: Ref
    titled: dict[str, tuple[Ref, ...]]
    top: dict[str, tuple[Ref, ...]]
    methods: dict[str, tuple[Ref, ...]]
    imports: tuple[str, ...]
    packages: tuple[str, ...] = ()
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)


class _Recent(Generic[K, V]):
    """A bounded memory of answers."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[K, V] = {}

    def find(self, key: K) -> V | None:
        """The remembered answer, None where there is none."""
        return self._kept.get(key)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The remembered answer, made where there is none."""
        try:
            return self._kept[key]
        except KeyError:
            pass
        value = make()
        self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        """Remember an answer."""
        self._kept[key] = value
        if len(self._kept) > self._limit:
            del self._kept[next(iter(self._kept))]


class LinkTables:
    """The tables of one pass over one namespace. Also the `PathLookup` of importers."""

    def __init__(self, namespace: Namespace, settings: LinkSettings) -> None:
        self.settings = settings
        self._namespace = namespace
        self._snapshot: Snapshot | None = None
        self._cut = Cut()
        self._files: _Recent[str, FileTable | None] = _Recent(settings.remembered_files)
        self._definers: _Recent[tuple[str, str, Shape], tuple[Ref, ...] | None] = _Recent(settings.remembered_names)
        self._places: _Recent[str, bool] = _Recent(settings.remembered_names)
        self._endings: _Recent[str, tuple[str, ...]] = _Recent(settings.remembered_names)
        self._folders: _Recent[str, tuple[str, ...]] = _Recent(settings.remembered_files)
        self._titles: _Recent[Ref, tuple[str, str] | None] = _Recent(settings.remembered_names)
        self._packages: _Recent[str, tuple[str, ...]] = _Recent(settings.remembered_files)
        self._imported: _Recent[str, tuple[str, ...]] = _Recent(settings.remembered_files)
        self._seen: _Recent[str, tuple[FileTable, ...]] = _Recent(settings.remembered_reach)
        self._bases: _Recent[tuple[str, str], list[tuple[str, FileTable]]] = _Recent(settings.remembered_files)
        self._modules: tuple[tuple[str, str], ...] | None = None
        self._all: frozenset[str] | None = None
        self._written: Mapping[str, Sequence[Record]] = {}

    def know_records(self, written: Mapping[str, Sequence[Record]]) -> None:
        """Take these for the records at their paths, unless there are more: what was just written need not be read."""
        self._written = written

    def know_paths(self, paths: Iterable[str]) -> None:
        """Take these for all the paths that there are."""
        self._all = frozenset(paths)

    def read_from(self, snapshot: Snapshot) -> None:
        """Use this snapshot for what is not remembered. To be called before the first question and after it closed."""
        self._snapshot = snapshot
        self._cut = snapshot.cut((self._namespace,))

    def file(self, path: str) -> FileTable | None:
        """The table of the file at the path, or None where there is none."""
        return self._files.find(path) or self._files.get(path, lambda: self._table(path, self.records_at(path)))

    def learn(self, path: str, records: Sequence[Record]) -> None:
        """Make the file's table from its records, which were read anyway, unless it is remembered."""
        self._files.get(path, lambda: self._table(path, records))

    def imported(self, table: FileTable) -> tuple[str, ...]:
        """The files that a file imports, in order of their mention."""
        return self._imported.get(table.path, lambda: self._resolve(table))

    def in_reach(self, table: FileTable) -> tuple[str, ...]:
        """The files whose names need no import."""
        importer = _importer(table.language)
        reach = () if importer is None else importer.in_reach(table.path, self)
        return reach if len(reach) <= self.settings.reach_files else ()

    def seen_by(self, table: FileTable) -> tuple[FileTable, ...]:
        """The tables of the files whose names the file sees: those in reach, then those that it imports."""
        return self._seen.find(table.path) or self._seen.get(table.path, lambda: self._see(table))

    def bases_of(
        self, table: FileTable, scope: str, make: Callable[[], list[tuple[str, FileTable]]]
    ) -> list[tuple[str, FileTable]]:
        """What a class of the file has for bases, as titles and files; `make` looks for them the first time."""
        return self._bases.get((table.path, scope), make)

    def subclasses(self, name: str) -> dict[str, set[str]]:
        """The classes that name it as a base, by their simple names, with their paths."""
        found: dict[str, set[str]] = {}
        ids = self._open.find(self._namespace, NameKind.BASES, name, self.settings.definers_scanned)
        for record in self._live(ids):
            if record.path and _has_name(record, NameKind.BASES, name):
                simple = record.title.rpartition(" ")[2].rpartition(".")[2]
                found.setdefault(simple, set()).add(record.path)
        return found

    def definers(self, name: str, family: str, shape: Shape = Shape.ANY) -> tuple[Ref, ...] | None:
        """What can be called by this name, or None where that is more than `LinkSettings.definers` records."""
        limit = self.settings.definers
        return self._definers.get((name, family, shape), lambda: self.callables(name, family, limit, shape))

    def callables(self, name: str, family: str, limit: int, shape: Shape = Shape.ANY) -> tuple[Ref, ...] | None:
        """What can be called by this name in the whole namespace, sorted; None for more than `limit` records."""
        ids = self._open.find(self._namespace, NameKind.SYMBOL, name, self.settings.definers_scanned)
        if len(ids) == self.settings.definers_scanned:
            return None
        found: list[Ref] = []
        for record in self._live(ids):
            if record.kind in CALLABLE and family_of(record.language) == family and _is_named(record, name, shape):
                found.append(record.ref)
                if len(found) > limit:
                    return None
        return tuple(sorted(found))

    def paths_naming(self, kind: NameKind, text: str) -> set[str]:
        """The paths of live records that have the name."""
        ids = self._open.find(self._namespace, kind, text, self.settings.definers_scanned)
        return {record.path for record in self._live(ids) if record.path and _has_name(record, kind, text)}

    def paths_using(self, kind: NameKind, name: str) -> tuple[set[str], set[str]]:
        """The paths of live records that use the name: in whatever way, and as one of a module's."""
        limit = self.settings.definers_scanned
        used = self.paths_naming(kind, name)
        modules: set[str] = set()
        found = self._open.find_prefix(self._namespace, kind, name + AT, limit)
        for record in self._live(sorted({record_id for _, record_id in found})):
            texts = [n.text for n in record.names if n.kind is kind and n.text.startswith(name + AT)]
            if record.path and texts:
                used.add(record.path)
                if any(text.startswith(module_prefix(name)) for text in texts):
                    modules.add(record.path)
        return used, modules

    def resolve(self, table: FileTable, name: str) -> tuple[str, ...]:
        """The files that an import name means in a file."""
        importer = _importer(table.language)
        return () if importer is None else importer.resolve(name, table.path, self)

    def names_of(self, path: str, language: str) -> tuple[str, ...]:
        """The names by which other files may import the file."""
        importer = _importer(language)
        return () if importer is None else importer.names_of(path, self)

    def neighbours_of(self, path: str, language: str) -> tuple[str, ...]:
        """The files that see the file's names without importing it."""
        importer = _importer(language)
        return () if importer is None else importer.in_reach(path, self)

    def exists(self, path: str) -> bool:
        """See `PathLookup`."""
        if self._all is not None:
            return path in self._all
        return self._places.get(path, lambda: bool(self._find_path(path, 1)) and self.file(path) is not None)

    def ending_in(self, suffix: str) -> tuple[str, ...]:
        """See `PathLookup`."""
        return self._endings.get(suffix, lambda: self._paths_named(suffix))

    def in_folder(self, folder: str) -> tuple[str, ...]:
        """See `PathLookup`."""
        return self._folders.get(folder, lambda: self._paths_named(folder_name(folder)))

    def in_package(self, package: str) -> tuple[str, ...]:
        """See `PathLookup`."""
        return self._packages.get(package, lambda: tuple(sorted(self.paths_naming(NameKind.PACKAGE, package))))

    def packages_of(self, path: str) -> tuple[str, ...]:
        """See `PathLookup`."""
        table = self.file(path)
        return () if table is None else table.packages

    def imports_of(self, path: str) -> tuple[str, ...]:
        """See `PathLookup`."""
        table = self.file(path)
        return () if table is None else self.imported(table)

    def place_of(self, ref: Ref) -> tuple[str, str] | None:
        """The path and the title of a live record."""
        return self._titles.get(ref, lambda: self._place(ref))

    def go_modules(self) -> tuple[tuple[str, str], ...]:
        """See `PathLookup`."""
        if self._modules is None:
            found: set[tuple[str, str]] = set()
            for path in self._paths_named(_GO_MOD):
                text = "".join(record.text for record in self._open.path_records(self._namespace, path))
                module = _GO_MODULE.search(text)
                if module is not None:
                    found.add((module.group(1), path.rpartition("/")[0]))
            self._modules = tuple(sorted(found, key=lambda pair: (-len(pair[0]), pair)))
        return self._modules

    @property
    def _open(self) -> Snapshot:
        if self._snapshot is None:
            raise RuntimeError("tables were asked before they were given a snapshot")
        return self._snapshot

    def records_at(self, path: str) -> Sequence[Record]:
        """The live records at the path by first line, perhaps without their texts."""
        written = self._written.get(path)
        if written and len(self._find_path(path, len(written) + 1)) == len(written):
            return written
        return self._open.path_records(self._namespace, path, texts=False)

    def _see(self, table: FileTable) -> tuple[FileTable, ...]:
        paths = (*self.in_reach(table), *self.imported(table))
        return tuple(other for path in paths if (other := self.file(path)) is not None)

    def _place(self, ref: Ref) -> tuple[str, str] | None:
        record_id = self._open.record_id(ref)
        record = None if record_id is None else self._open.records_by_id((record_id,), self._cut, texts=False)[0]
        return None if record is None or record.removed else (record.path, record.title)

    def _find_path(self, text: str, limit: int) -> list[int]:
        return self._open.find(self._namespace, NameKind.PATH, text, limit)

    def _paths_named(self, text: str) -> tuple[str, ...]:
        records = self._live(self._find_path(text, self.settings.definers_scanned))
        return tuple(sorted({record.path for record in records if _has_name(record, NameKind.PATH, text)}))

    def _live(self, ids: Sequence[int]) -> Iterator[Record]:
        """The live records of the ids, read in small steps so that whoever has seen enough stops early."""
        for at in range(0, len(ids), _SCAN):
            for record in self._open.records_by_id(ids[at : at + _SCAN], self._cut, texts=False):
                if record is not None and not record.removed:
                    yield record

    def _table(self, path: str, records: Sequence[Record]) -> FileTable | None:
        if not records:
            return None
        titled: dict[str, tuple[Ref, ...]] = {}
        top: dict[str, tuple[Ref, ...]] = {}
        methods: dict[str, tuple[Ref, ...]] = {}
        for record in records:
            if record.kind in CALLABLE:
                scope, _, name = record.title.rpartition(".")
                titled[record.title] = (*titled.get(record.title, ()), record.ref)
                self._titles.put(record.ref, (path, record.title))
                by_name = methods if scope else top
                by_name[name] = (*by_name.get(name, ()), record.ref)
        language = records[0].language
        imports, packages = _named(records, NameKind.IMPORTS), _named(records, NameKind.PACKAGE)
        bases = _bases(records)
        family = family_of(language)
        return FileTable(path, language, family, records[0].ref, titled, top, methods, imports, packages, bases)

    def _resolve(self, table: FileTable) -> tuple[str, ...]:
        importer = _importer(table.language)
        if importer is None:
            return ()
        found: dict[str, None] = {}
        for name in table.imports:
            for path in importer.resolve(name, table.path, self)[: self.settings.targets_per_import]:
                found.setdefault(path)
        found.pop(table.path, None)
        return tuple(found)


def family_of(language: str) -> str:
    """The group of languages that call one another: TypeScript and JavaScript are one, and so are C and C++."""
    return "" if language_named(language) is None else _FAMILIES.get(language, language)


def _named(records: Sequence[Record], kind: NameKind) -> tuple[str, ...]:
    return tuple(name.text for record in records for name in record.names if name.kind is kind)


def _bases(records: Sequence[Record]) -> dict[str, tuple[str, ...]]:
    """What the classes extend, by what their members' titles begin with: `impl Shape for Circle` adds to Circle."""
    found: dict[str, tuple[str, ...]] = {}
    for record in records:
        if record.kind == "class":
            bases = _named((record,), NameKind.BASES)
            scope = record.title.rpartition(" ")[2]
            found[scope] = (*found.get(scope, ()), *bases)
    return {scope: tuple(dict.fromkeys(bases)) for scope, bases in found.items() if bases}


def _importer(language: str) -> Importer | None:
    found = language_named(language)
    return None if found is None else found.importer


def _has_name(record: Record, kind: NameKind, text: str) -> bool:
    return any(name.kind is kind and name.text == text for name in record.names)


def _is_named(record: Record, name: str, shape: Shape) -> bool:
    scope, _, own = record.title.rpartition(".")
    return own == name and (shape is Shape.ANY or (shape is Shape.METHOD) == bool(scope))
