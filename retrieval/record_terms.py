"""The analysed terms of records, remembered by digest, so that a record is analysed once and not once a goal."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from retrieval.record import Record
from retrieval.text.embedding import embedding_digest, embedding_text
from retrieval.text.tokens import analysed
from workingset.vocabulary import Digest


@dataclass(frozen=True, slots=True)
class TermsOfRecord:
    """All distinct terms, those of title and path alone, and the key of the record's canonical vector.

    Words that a record is searched by too (`Record.beside`) are among its terms.
    """

    terms: frozenset[str]
    head: frozenset[str]
    embedding: Digest


class RecordTerms:
    """A bounded memory of analysed records, least recently used out first. Safe from any thread."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[Digest, int, str], TermsOfRecord] = OrderedDict()

    def of(self, record: Record) -> TermsOfRecord:
        """The record's terms. The key holds the text's length too: a tombstone may keep a digest without its text."""
        key = (record.digest, len(record.text), record.beside)
        with self._lock:
            held = self._held.get(key)
            if held is not None:
                self._held.move_to_end(key)
                return held
        made = _analyse(record)
        with self._lock:
            self._held[key] = made
            while len(self._held) > self._limit:
                self._held.popitem(last=False)
        return made


def _analyse(record: Record) -> TermsOfRecord:
    head = frozenset(analysed(f"{record.title}\n{record.path}").split())
    beside = analysed(record.beside).split() if record.beside else ()
    terms = head.union(analysed(record.text).split(), beside)
    return TermsOfRecord(terms, head, embedding_digest(embedding_text(record)))
