"""From what the agent says it used to the records that were touched."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence, Set

from hotsetd import limits
from hotsetd.calls import UseCall
from hotsetd.observed_paths import lies_at
from retrieval.errors import BadField, UnknownNamespace, UnknownRef
from retrieval.history.kept import kept_trees
from retrieval.project import Retrieval
from retrieval.record import NameKind, Record
from retrieval.store.interface import Snapshot
from workingset.transitions.touch import Use
from workingset.vocabulary import Lines, Namespace, Ref, Standing

_MATCHES = 64
_SUFFIX_PARTS = 12


class UseReader:
    """Reads the pages of uses at one snapshot."""

    def __init__(self, txn: Snapshot, retrieval: Retrieval, scope: Sequence[Namespace], now_seconds: int) -> None:
        self._txn = txn
        self._retrieval = retrieval
        self._scope = scope
        self._now_seconds = now_seconds

    def read(self, calls: Sequence[UseCall]) -> tuple[list[tuple[int, Use]], tuple[int, ...]]:
        """Return (place, use) for each use that matches records, and the places of those that match none.

        Raises UnknownRef for a ref without a live record, and BadField naming what is malformed.
        """
        uses: list[tuple[int, Use]] = []
        unmatched: list[int] = []
        for place, call in enumerate(calls):
            lines = _lines(place, call)
            refs = self._refs(place, call, lines)
            read = self._retrieval.read(self._txn, refs, self._now_seconds)
            if call.ref and (read.missing or read.known[0].standing is Standing.REMOVED):
                raise UnknownRef(call.ref)
            if read.known:
                whole_file = bool(call.path) and lines is None
                uses.append((place, Use(read.known, call.action, lines, whole_file, read.support)))
            else:
                unmatched.append(place)
        return uses, tuple(unmatched)

    def _refs(self, place: int, call: UseCall, lines: Lines | None) -> tuple[Ref, ...]:
        if bool(call.ref) == bool(call.path):
            raise BadField(f"uses[{place}]", "give either a ref or a path")
        if call.ref:
            return (limits.ref(f"uses[{place}].ref", call.ref),)
        path = limits.text(f"uses[{place}].path", call.path)
        return tuple(record.ref for record in self._at_path(place, call.namespace, path) if _touches(record, lines))

    def _at_path(self, place: int, namespace: str, path: str) -> list[Record]:
        if namespace and namespace not in self._txn.namespaces():
            raise UnknownNamespace(namespace)
        scope = [Namespace(namespace)] if namespace else list(self._scope)
        parts = path.strip("/").split("/")[-_SUFFIX_PARTS:]
        endings = ["/".join(parts[start:]) for start in range(len(parts))]
        if path.startswith("/"):
            whole = posixpath.normpath(path)
            there = [r for name in scope for end in endings for r in self._txn.path_records(name, end)]
            if at_it := [record for record in there if lies_at(record, whole)]:
                return at_it
            if not namespace and self._in_a_tree(whole):
                return []  # it is a file of that tree that has no records, whatever files of others are called
        else:
            whole = path.removeprefix("./")
            exact = {(name, whole) for name in scope if self._txn.path_records(name, whole, texts=False)}
            if exact:
                return self._of_one(place, path, exact)
        found = next((found for ending in endings if (found := self._paths_ending(scope, ending))), None)
        return self._of_one(place, path, found) if found else []

    def _in_a_tree(self, path: str) -> bool:
        """Whether an absolute path lies below the root of a tree that any namespace holds."""
        roots = (tree.root for name in self._txn.namespaces() for tree in kept_trees(self._txn, name))
        return any(path.startswith(posixpath.normpath(root).rstrip("/") + "/") for root in roots)

    def _of_one(self, place: int, path: str, found: Set[tuple[Namespace, str]]) -> list[Record]:
        """The records of the one file that was found; raises BadField where it is not one."""
        if len(found) == 1:
            return [record for name, whole in found for record in self._txn.path_records(name, whole)]
        what = ", ".join(f"{whole} in {name}" for name, whole in sorted(found)[:4])
        advice = "name its namespace, give more of the path, or all of it from the root"
        raise BadField(f"uses[{place}].path", f"{path!r} could be any of {what}: {advice}")

    def _paths_ending(self, scope: Sequence[Namespace], suffix: str) -> set[tuple[Namespace, str]]:
        cut = self._txn.cut(scope)
        ids = [(name, i) for name in scope for i in self._txn.find(name, NameKind.PATH, suffix, _MATCHES)]
        records = self._txn.records_by_id([i for _, i in ids], cut)
        return {
            (name, record.path)
            for (name, _), record in zip(ids, records, strict=True)
            if record is not None and not record.removed and _ends_with(record.path, suffix)
        }


def _ends_with(path: str, suffix: str) -> bool:
    return path == suffix or path.endswith(f"/{suffix}")


def _touches(record: Record, lines: Lines | None) -> bool:
    return lines is None or (record.lines is not None and record.lines.overlap(lines) > 0)


def _lines(place: int, call: UseCall) -> Lines | None:
    if not call.start_line and not call.end_line:
        return None
    try:
        return Lines(call.start_line, call.end_line or call.start_line)
    except ValueError as error:
        raise BadField(f"uses[{place}].lines", str(error)) from error
