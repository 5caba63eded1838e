"""Which files of a tree are vanished ones in a new place: reading what `moves` compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from retrieval.ingest.digests import source_digest
from retrieval.ingest.guards import DecodedFile, Reason, Refusal, admit
from retrieval.ingest.identity import line_counts
from retrieval.ingest.moves import equal_moves, similar_moves
from retrieval.ingest.reading_files import read_file
from retrieval.ingest.recording import records_of
from retrieval.ingest.settings import IngestSettings
from retrieval.store.interface import Store
from workingset.vocabulary import Digest, Namespace, TenantId


def read_or_refuse(root: Path, path: str, settings: IngestSettings) -> bytes | Refusal:
    """A file's bytes, or why it cannot be read."""
    try:
        return read_file(root, path, settings.guards.file_bytes)
    except OSError as error:
        return Refusal(Reason.UNREADABLE, error.strerror or str(error))


class TreeMoves:
    """Compares the files of one tree with what its source has stored."""

    def __init__(
        self, store: Store, tenant: TenantId, namespace: Namespace, source: str, root: Path, settings: IngestSettings
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._namespace = namespace
        self._source = source
        self._root = root
        self._settings = settings

    def find(self, vanished: Mapping[str, Digest], appeared: Sequence[str]) -> dict[str, str]:
        """Return the vanished path for each new one that continues it."""
        if not vanished or not appeared:
            return {}
        moves = equal_moves(vanished, self._digests(appeared))
        left_old = sorted(vanished.keys() - set(moves.values()))
        left_new = [path for path in appeared if path not in moves]
        moves.update(similar_moves(left_old, left_new, self._stored_lines, self._file_lines, self._settings.identity))
        return moves

    def _digests(self, paths: Sequence[str]) -> dict[str, Digest]:
        digests: dict[str, Digest] = {}
        for path in paths:
            content = read_or_refuse(self._root, path, self._settings)
            if isinstance(content, bytes):
                digests[path] = source_digest(content)
        return digests

    def _stored_lines(self, path: str) -> Counter[str]:
        with self._store.snapshot(self._tenant) as snapshot:
            records = records_of(snapshot, self._namespace, self._source, path)
        return line_counts("".join(record.text for record in records))

    def _file_lines(self, path: str) -> Counter[str]:
        content = read_or_refuse(self._root, path, self._settings)
        decoded = admit(path, content, self._settings.guards) if isinstance(content, bytes) else None
        return line_counts(decoded.text) if isinstance(decoded, DecodedFile) else Counter()
