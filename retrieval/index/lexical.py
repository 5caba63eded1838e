"""The lexical index: BM25 over identifier-aware terms of title, path and body, kept by tantivy in a directory.

A sensor over the store. It may be deleted at any time; whatever is found damaged, foreign or older than the store knows
is emptied, `note` says so, and `retrieval.index.follower` fills it again. BM25 is Robertson's with tantivy's fixed
k1 = 1.2 and b = 0.75, each field apart, summed with the weights of the settings. Its statistics are those of the whole
index, all tenants, and still count replaced documents until segments are merged; so scores, never the set of matches,
may differ between an index grown by edits and a fresh one.
"""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tantivy

from retrieval.errors import IndexUnavailable
from retrieval.index.files import Seal, damaged_segment, digest_of, write_whole
from retrieval.index.lexical_fields import SCHEMA_VERSION, View, document, key, opened, viewed
from retrieval.index.native import native_calls
from retrieval.index.sensor import ALL_KINDS, FieldWeights, Hit, Sieve, WeightedTerm
from retrieval.record import Record
from retrieval.text.tokens import ANALYSIS_VERSION
from workingset.vocabulary import Namespace, TenantId

_MADE_AS: Final = f"hotset-lexical:{SCHEMA_VERSION}:{ANALYSIS_VERSION}"


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """Weights of the fields and bounds of the writer."""

    title_weight: float = 2.0
    """Measured on question answering (title twice), and near the fitted weight of titles for code."""

    path_weight: float = 1.0
    """A guess: the exact lane and fusion weigh paths again."""

    body_weight: float = 1.0
    """The unit of the others."""

    beside_weight: float = 0.3
    """Measured on dialogues (design, recipes, 2): a neighbour's words count .2 to .5 of a turn's own."""

    writer_heap_bytes: int = 64_000_000
    """Memory the writer fills before it writes a segment. A guess; tantivy demands at least 15 MB."""

    tied_hits: int = 4096
    """How many hits are read at the most to order ties at the limit by record id. A guess."""

    @property
    def fields(self) -> FieldWeights:
        """The weights of all fields together."""
        return FieldWeights(self.title_weight, self.path_weight, self.body_weight, self.beside_weight)


class LexicalIndex:
    """One tantivy index in a directory. Searches are safe from any thread, beside one writer at a time.

    `note` says why the index started empty or cannot be used, or is "". `incarnation` changes whenever it starts
    empty, `sequence` counts its commits since. Opened read-only it takes no writer lock and changes no file; a damaged
    index then stays unavailable. Its files are in `<directory>/tantivy`, which belongs to the index alone, and in
    `<directory>/seal`.
    """

    def __init__(self, directory: Path, settings: LexicalSettings | None = None, *, read_only: bool = False) -> None:
        """Open or make the index; raises IndexUnavailable where the directory cannot be used at all."""
        self._settings: Final = settings or LexicalSettings()
        self._read_only: Final = read_only
        self._segments: Final = directory / "tantivy"
        self._seal_path: Final = directory / "seal"
        self._writing: Final = threading.RLock()
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._view: View | None = None
        self._seal = Seal(_MADE_AS, "", 0, "")
        self.note = ""
        self.reopen()

    @property
    def usable(self) -> bool:
        """True where it can be searched."""
        return self._view is not None

    @property
    def incarnation(self) -> str:
        """Names this filling of the index."""
        return self._seal.incarnation

    @property
    def sequence(self) -> int:
        """How many commits this filling has had."""
        return self._seal.sequence

    def search(
        self,
        tenant: TenantId,
        namespaces: Sequence[Namespace],
        terms: Sequence[WeightedTerm],
        limit: int,
        *,
        fields: FieldWeights | None = None,
        sieve: Sieve = ALL_KINDS,
    ) -> list[Hit]:
        """The best hits, score falling, then record id; raises IndexUnavailable.

        `fields` replaces the weights of the settings.
        """
        weighted = [term for term in terms if term.weight > 0 and term.term]
        if limit < 1 or not weighted or not namespaces:
            return []
        view = self._seen()
        weights = fields or self._settings.fields
        with native_calls("searching the lexical index"):
            query = view.sifted(view.among(view.any_of(weighted, weights), tenant, namespaces), sieve)
            return view.best(query, limit, max(limit + 1, self._settings.tied_hits))

    def document_frequency(self, tenant: TenantId, namespaces: Sequence[Namespace], term: str) -> int:
        """How many live documents of the namespaces hold the term in any field, exactly; raises IndexUnavailable."""
        if not term or not namespaces:
            return 0
        view = self._seen()
        with native_calls("counting in the lexical index"):
            return view.frequency(term, tenant, namespaces)

    def documents(self) -> int:
        """How many live documents the whole index holds; raises IndexUnavailable."""
        return int(self._seen().searcher.num_docs)

    def documents_in(self, tenant: TenantId, namespace: Namespace) -> int:
        """How many live documents of the namespace the index holds; raises IndexUnavailable."""
        view = self._seen()
        with native_calls("counting in the lexical index"):
            return view.count(view.all_in(tenant, namespace))

    def scopes(self) -> frozenset[str]:
        """What `lexical_fields.scope` gave for every namespace of which the index holds, or held, documents.

        Raises IndexUnavailable.
        """
        return self._seen().scopes

    def documents_of(self, scope: str) -> int:
        """How many live documents of a scope the index holds; raises IndexUnavailable."""
        view = self._seen()
        with native_calls("counting in the lexical index"):
            return view.count(view.all_of(scope))

    def remove_scope(self, scope: str) -> None:
        """Remove all documents of a scope, from searches after `commit`, from the files when segments are merged.

        Raises IndexUnavailable, after which nothing since the last commit is kept.
        """
        with self._writing, self._undone_on_failure("writing the lexical index"):
            self._open_writer().delete_documents_by_term("scope", scope)

    def apply(self, tenant: TenantId, changes: Sequence[tuple[int, Record | None]]) -> None:
        """Replace each record id's document by the record's, or remove it where None; visible after `commit`.

        Raises IndexUnavailable, after which nothing since the last commit is kept.
        """
        with self._writing, self._undone_on_failure("writing the lexical index"):
            writer = self._open_writer()
            for record_id, record in changes:
                writer.delete_documents_by_term("key", key(tenant, record_id))
                if record is not None:
                    writer.add_document(document(tenant, record_id, record))

    def commit(self) -> None:
        """Make applied changes durable and visible; raises IndexUnavailable, after which they are lost."""
        with self._writing:
            if self._writer is not None:
                with self._undone_on_failure("committing the lexical index"):
                    self._writer.commit()
                    self._stamp(self.sequence + 1)

    def reseal(self) -> None:
        """Take in that tantivy has merged segments since the last commit; raises IndexUnavailable.

        Cheap; called when idle, for an index that was not sealed since it changed is rebuilt at the next start.
        """
        with self._writing, native_calls("sealing the lexical index"):
            if not self._read_only and self._index is not None and digest_of(self._manifest()) != self._seal.manifest:
                self._stamp(self.sequence)

    def reopen(self) -> None:
        """Look at the files anew; starts empty where they cannot be used. Raises IndexUnavailable."""
        with self._writing:
            self._index = self._writer = self._view = None
            fault = self._adopt()
            if fault and self._read_only:
                self.note = f"unavailable: the lexical index {fault}; open the store for writing once to rebuild it"
            elif fault:
                self.reset(fault)

    def reset(self, because: str) -> None:
        """Start empty, under a new incarnation; raises IndexUnavailable."""
        with self._writing, native_calls("emptying the lexical index"):
            if self._read_only:
                raise IndexUnavailable(f"the lexical index {because}: open the store for writing once to rebuild it")
            self._index = self._writer = self._view = None
            if self._segments.exists():
                shutil.rmtree(self._segments)
            self._segments.mkdir(parents=True)
            self._index = opened(str(self._segments))
            self._seal = Seal(_MADE_AS, secrets.token_hex(16), 0, "")
            self._stamp(0)
            self.note = f"rebuilt from the store: the lexical index {because}"

    def close(self) -> None:
        """Let go of the writer lock; uncommitted changes are lost. Searches afterwards raise IndexUnavailable."""
        with self._writing:
            self._writer = None
            try:
                self.reseal()
            finally:
                self._index = self._view = None

    def _adopt(self) -> str:
        """Open the files that are there; returns why they cannot be used, or "" where they can."""
        if not self._seal_path.is_file() or not self._segments.is_dir():
            return "was missing"
        try:
            seal = Seal.decode(self._seal_path.read_bytes())
            if seal is None or seal.made_as != _MADE_AS:
                return "had a damaged seal" if seal is None else f"was made by another version ({seal.made_as})"
            manifest = self._manifest()
            if digest_of(manifest) != seal.manifest:
                return "was not as it was last sealed"
            damaged = damaged_segment(self._segments, manifest)
            if damaged:
                return f"had a damaged file ({damaged})"
            with native_calls("opening it"):
                index = opened(str(self._segments))
                view = viewed(index)
        except (OSError, ValueError, KeyError, TypeError, IndexUnavailable) as failure:
            return f"could not be read ({failure})"
        self._seal, self._index, self._view = seal, index, view
        return ""

    def _manifest(self) -> bytes:
        return (self._segments / "meta.json").read_bytes()

    def _stamp(self, sequence: int) -> None:
        """Seal the files as they are, and look at them anew."""
        seal = Seal(_MADE_AS, self.incarnation, sequence, digest_of(self._manifest()))
        write_whole(self._seal_path, seal.encode())
        self._seal = seal
        if self._index is not None:
            self._view = viewed(self._index)

    def _seen(self) -> View:
        view = self._view
        if view is None:
            raise IndexUnavailable(self.note or "the lexical index is closed")
        return view

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._index is None or self._read_only:
            raise IndexUnavailable("the lexical index is closed or read-only")
        if self._writer is None:
            self._writer = self._index.writer(heap_size=self._settings.writer_heap_bytes, num_threads=1)
        return self._writer

    @contextmanager
    def _undone_on_failure(self, doing: str) -> Generator[None, None, None]:
        try:
            with native_calls(doing):
                yield
        except BaseException:
            self._writer = None
            raise
