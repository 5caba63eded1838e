"""The indexes of paths: live records by path, and by source and path."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.store.lmdb.codec import Head
from retrieval.store.lmdb.keys import digest_of, is_long, lookup_bytes, prefix_key, text_in_key, text_key
from retrieval.store.lmdb.layout import U64
from retrieval.store.lmdb.names import ids_under
from retrieval.store.lmdb.rows import Row
from retrieval.store.lmdb.view import Space, TenantView
from workingset.vocabulary import Digest

SOURCE_BYTES = 16
"""How much of a key of `sources` stands for the source."""
MIXED = Digest("")
"""What a path has for a digest while its records disagree about their file."""


def replace(view: TenantView, space: Space, record_id: int, old: Head | None, new: Head | None) -> None:
    """Index a record under the path and source of its new head instead of its old one."""
    before = None if old is None else (old.path, old.source, old.source_digest)
    after = None if new is None else (new.path, new.source, new.source_digest)
    if before == after:
        return
    tables = view.rows.tables
    if before is not None and before[0]:
        by_path, by_source = _keys(view, space, record_id, before[0], before[1])
        view.rows.delete(tables.paths, by_path)
        view.rows.delete(tables.sources, by_source)
    if after is not None and after[0]:
        at_path, at_source = rows_of(view, space, record_id, after)
        view.rows.put(tables.paths, *at_path)
        view.rows.put(tables.sources, *at_source)


def rows_of(view: TenantView, space: Space, record_id: int, place: tuple[str, str, str]) -> tuple[Row, Row]:
    """The rows of `paths` and `sources` of a record; the place is its path, source and source digest."""
    path = place[0].encode()
    kept = path if is_long(path) else b""
    by_path, by_source = _keys(view, space, record_id, place[0], place[1])
    return (by_path, b""), (by_source, U64.pack(len(kept)) + kept + place[2].encode())


def ids_at(view: TenantView, space: Space, path: str) -> list[int]:
    """Ids of live records at exactly this path, ascending."""
    raw = lookup_bytes(path)
    if not raw:
        return []
    prefix = view.key + space.key + text_key(raw)
    return list(ids_under(view.rows.scan(view.rows.tables.paths, prefix), prefix))


def all_of(view: TenantView, space: Space) -> list[str]:
    """The paths of all live records, of whatever source, in order."""
    prefix = view.key + space.key
    return sorted({path for path, _ in _agreed(view, prefix, len(prefix) + SOURCE_BYTES)})


def of_source(view: TenantView, space: Space, source: str, under: str = "") -> list[tuple[str, Digest]]:
    """(path, source digest) of the source's live records, in path order; MIXED where they disagree.

    Where `under` is not empty, only that path and what lies in it as a folder.
    """
    raw, below = lookup_bytes(source), lookup_bytes(under)
    if raw is None or below is None:
        return []
    prefix = view.key + space.key + digest_of(raw)
    listed = [pair for begin in _begins(below) for pair in _agreed(view, prefix + begin, len(prefix))]
    # Long paths that share their stored prefix are out of order in the table; sorting what is sorted costs nothing.
    return sorted(pair for pair in listed if not under or pair[0] == under or pair[0].startswith(under + "/"))


def _agreed(view: TenantView, prefix: bytes, start: int) -> Iterator[tuple[str, Digest]]:
    """The paths in rows of `sources` whose key begins with the prefix and holds a text key from `start` on, each once,
    with what its rows agree about."""
    group, first, is_mixed = b"", b"", False
    for key, value in view.rows.scan(view.rows.tables.sources, prefix):
        if key[:-8] == group:
            is_mixed = is_mixed or value != first
            continue
        if group:
            yield _path_and_digest(group[start:], first, is_mixed)
        group, first, is_mixed = key[:-8], value, False
    if group:
        yield _path_and_digest(group[start:], first, is_mixed)


def _path_and_digest(key: bytes, value: bytes, is_mixed: bool) -> tuple[str, Digest]:
    end = 8 + U64.unpack_from(value)[0]
    return text_in_key(key, value[8:end]), MIXED if is_mixed else Digest(value[end:].decode())


def _begins(below: bytes) -> tuple[bytes, ...]:
    """What the text keys of a path and of those in it begin with; what else begins so is told by its full text."""
    if not below:
        return (b"",)
    inside = prefix_key(below + b"/")
    return (inside,) if is_long(below + b"/") else (text_key(below), inside)


def _keys(view: TenantView, space: Space, record_id: int, path: str, source: str) -> tuple[bytes, bytes]:
    known = view.path_keys.get((path, source))
    if known is None:
        text = text_key(path.encode())
        known = view.path_keys[path, source] = (text, digest_of(source.encode()) + text)
    within, suffix = view.key + space.key, U64.pack(record_id)
    return within + known[0] + suffix, within + known[1] + suffix
