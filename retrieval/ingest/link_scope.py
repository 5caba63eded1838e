"""Which files have to be linked anew: those that changed, and those whose names may mean something else now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from retrieval.errors import CutExpired
from retrieval.ingest.link_faces import FileFaces
from retrieval.ingest.link_tables import LinkTables, family_of
from retrieval.ingest.pieces import CALLABLE
from retrieval.record import NameKind, Record, RecordChange
from retrieval.store.interface import Snapshot, Store
from workingset.vocabulary import Generation, Namespace, TenantId

_PAGE = 2_000
"""Guess: changes or records read from one snapshot."""
LARGEST_ID = 2**63 - 1
_GO_MOD = "go.mod"
_OF_FILES = frozenset((NameKind.PACKAGE, NameKind.IMPORTS))


@dataclass(frozen=True, slots=True)
class Scope:
    """The paths to link, sorted. `changes` is False where nothing at all has changed."""

    paths: tuple[str, ...]
    changes: bool


@dataclass(slots=True)
class _Changed:
    """What changed, gathered over the log.

    `files` are (path, language) that came, went, or got another first record. `names` are (simple name, family) of
    what can be called, with the files that began or ceased to define it and how often; `scopes` are the types whose
    members came or went, `packages` those that a file entered or left.
    """

    any: bool = False
    paths: set[str] = field(default_factory=set)
    files: set[tuple[str, str]] = field(default_factory=set)
    names: dict[tuple[str, str], Counter[tuple[str, str]]] = field(default_factory=dict)
    scopes: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    everything: bool = False
    faces: FileFaces = field(default_factory=FileFaces)

    def note(self, old: Record | None, new: Record | None, *, relink: bool) -> None:
        """Take in one record's change; tombstones count as None.

        `relink` says that edges at it have ended, those of others too, whatever it looks like now.
        """
        self.any = True
        self.faces.note(old, new, relink=relink)
        versions = [record for record in (old, new) if record is not None and record.path]
        for record in versions:
            self.paths.add(record.path)
            self.everything |= record.path.rpartition("/")[2] == _GO_MOD
        back = relink and old is not None and new is not None
        if _places(old) != _places(new) or (back and _places(new)):
            self.files.update((record.path, record.language) for record in versions)
            self.packages.update(text for kind, text in _file_names(*versions) if kind is NameKind.PACKAGE)
        if back or _callable_as(old) != _callable_as(new):
            for record in versions:
                if record.kind in CALLABLE:
                    name = (record.title.rpartition(".")[2], family_of(record.language))
                    self.names.setdefault(name, Counter())[record.path, record.language] += 1
                    self.scopes.add(record.title.rpartition(".")[0].rpartition(".")[2] or name[0])


def changed_scope(
    store: Store, tenant: TenantId, namespace: Namespace, after: Generation, tables: LinkTables, *, settled: bool
) -> Scope:
    """Return the files to link after the changes since a generation; all files where that cannot be told.

    `settled` says that all edges are those of that generation, so that files which look as they did then need nothing.
    """
    if after > 0:
        changed = _gather(store, tenant, namespace, after, tables.settings.names_changed)
        if not changed.everything:
            with store.snapshot(tenant) as snapshot:
                tables.read_from(snapshot)
                if settled:
                    changed.paths -= changed.faces.unchanged(snapshot, namespace)
                _add_dependents(changed, tables)
            return Scope(tuple(sorted(changed.paths)), changed.any)
    with store.snapshot(tenant) as snapshot:
        return Scope(tuple(snapshot.all_paths(namespace)), True)


def _gather(store: Store, tenant: TenantId, namespace: Namespace, after: Generation, limit: int) -> _Changed:
    changed = _Changed()
    at = (after, LARGEST_ID)
    while not changed.everything:
        with store.snapshot(tenant) as snapshot:
            page = snapshot.changes_page(namespace, at, _PAGE)
            try:
                for line in page:
                    changed.note(*_both(snapshot, line, after), relink=line.removed or line.reborn)
            except CutExpired:
                changed.everything = True
        changed.everything |= len(changed.names) > limit
        if len(page) < _PAGE:
            break
        at = (page[-1].generation, page[-1].record_id)
    return changed


def _both(snapshot: Snapshot, line: RecordChange, after: Generation) -> tuple[Record | None, Record | None]:
    """The record as it was and as it is; None where it was not or is not there."""
    old, new = snapshot.record(line.ref, after), snapshot.record(line.ref)
    return _present(old), _present(new)


def _present(record: Record | None) -> Record | None:
    return None if record is None or record.removed else record


def _places(record: Record | None) -> tuple[str, ...]:
    """Where the file is that the record stands for, as the first record of a file does."""
    if record is None or record.lines is None or record.lines.start > 1:
        return ()
    return (record.path, record.language, *(text for _, text in _file_names(record)))


def _file_names(*records: Record) -> Iterator[tuple[NameKind, str]]:
    """What a file says of itself as a whole."""
    for record in records:
        yield from ((name.kind, name.text) for name in record.names if name.kind in _OF_FILES)


def _callable_as(record: Record | None) -> tuple[str, ...]:
    """What of a record a call may hang on."""
    if record is None or record.kind not in CALLABLE:
        return ()
    bases = (name.text for name in record.names if name.kind is NameKind.BASES)
    return (record.kind, record.path, record.language, record.title, *bases)


def _add_dependents(changed: _Changed, tables: LinkTables) -> None:
    seeing: dict[tuple[str, str], set[str]] = {}

    def sees(file: tuple[str, str]) -> set[str]:
        """The files that import this one or need not."""
        if file not in seeing:
            found = set(tables.neighbours_of(*file))
            for name in tables.names_of(*file):
                found |= tables.paths_naming(NameKind.IMPORTS, name)
            seeing[file] = found
        return seeing[file]

    _add_by_names(changed, tables)
    for file in sorted(changed.files):
        changed.paths |= sees(file)
    for (name, family), places in sorted(changed.names.items()):
        if not family:
            continue
        users, certain = tables.paths_using(NameKind.USES, name)
        also, too = tables.paths_using(NameKind.REFERS, name)
        users, certain = users | also, certain | too
        if users and tables.callables(name, family, tables.settings.definers + places.total()) is None:
            # The name was and is defined too often to mean anything beyond the files that see its place.
            users &= set().union(certain, *(sees(file) for file in sorted(places)))
        changed.paths |= users
        about = tables.paths_naming(NameKind.TESTED, name)
        if about:
            changed.paths |= about & set().union(*(sees(place) for place in sorted(places)))


def _add_by_names(changed: _Changed, tables: LinkTables) -> None:
    """Add who depends on a file's name, on a class's members or on who is in a package."""
    _add_subclasses(changed, tables)
    for name in sorted({path.rpartition("/")[2] for path, _ in changed.files}):
        changed.paths |= tables.paths_naming(NameKind.TESTED, name)
    for package in sorted(changed.packages):
        changed.paths |= tables.paths_naming(NameKind.PACKAGE, package)
        changed.paths |= tables.paths_naming(NameKind.IMPORTS, package)
        changed.paths |= tables.paths_naming(NameKind.IMPORTS, f"{package}.*")


def _add_subclasses(changed: _Changed, tables: LinkTables) -> None:
    """Add the files of all classes below those that changed, or whose file sees something else now."""
    pending = set(changed.scopes)
    for path, _ in changed.files:
        table = tables.file(path)
        pending.update(scope.rpartition(".")[2] for scope in (table.bases if table is not None else ()))
    known: set[str] = set()
    while pending:
        name = pending.pop()
        known.add(name)
        for simple, paths in tables.subclasses(name).items():
            changed.paths |= paths
            if simple not in known:
                pending.add(simple)
