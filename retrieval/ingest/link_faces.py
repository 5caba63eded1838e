"""Whether a file still looks to the link pass as it did: then its own edges are what they were.

Edges follow from kinds, titles, names and the order of a file's records, and from nothing else of it; an edit within a
function changes texts and lines and mostly none of these.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from retrieval.record import Record
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Namespace, Ref


class _Face(NamedTuple):
    """What of a record edges follow from; faces sort as a file's records do."""

    line: int
    ref: Ref
    seen: tuple[object, ...]


class FileFaces:
    """The faces of changed records before and after, by path."""

    def __init__(self) -> None:
        self._before: defaultdict[str, list[_Face]] = defaultdict(list)
        self._after: defaultdict[str, list[_Face]] = defaultdict(list)
        self._relinked: set[str] = set()

    def note(self, old: Record | None, new: Record | None, *, relink: bool) -> None:
        """Take in one record's change; `relink` says that its edges have ended, whatever it looks like now."""
        for record, faces in ((old, self._before), (new, self._after)):
            if record is not None and record.path:
                faces[record.path].append(_face(record))
                if relink:
                    self._relinked.add(record.path)

    def unchanged(self, snapshot: Snapshot, namespace: Namespace) -> set[str]:
        """The paths all of whose records were noted and look as they did, in the same order."""
        return {
            path
            for path, after in self._after.items()
            if path not in self._relinked
            and _in_order(self._before.get(path, [])) == _in_order(after)
            and len(snapshot.path_records(namespace, path, texts=False)) == len({face.ref for face in after})
        }


def _face(record: Record) -> _Face:
    names = tuple((name.kind.value, name.text) for name in record.names)
    seen = (record.kind, record.title, record.language, record.source, names)
    return _Face(0 if record.lines is None else record.lines.start, record.ref, seen)


def _in_order(faces: list[_Face]) -> list[tuple[Ref, tuple[object, ...]]]:
    """Faces without their lines. A record that changed twice was noted twice, in the same way."""
    return [(face.ref, face.seen) for face in sorted(set(faces))]
