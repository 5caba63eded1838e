"""The analysed terms of records, remembered by digest, so that a record is analysed once and not once a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from retrieval.record import Record
from retrieval.text.embedding import embedding_digest, embedding_text
from retrieval.text.tokens import distinct
from workingset.vocabulary import Digest

_Key: TypeAlias = tuple[Digest, int, str]


@dataclass(frozen=True, slots=True)
class TermsOfRecord:
    """All distinct terms, those of title and path alone, and the key of the record's canonical vector.

    Words that a record is searched by too (`Record.beside`) are among its terms.
    """

    terms: frozenset[str]
    head: frozenset[str]
    embedding: Digest


class RecordTerms:
    """A memory of at most `limit` analysed records. Safe from any thread.

    Held in two halves: when the young one is full it becomes the old one, which is forgotten, and what is asked for
    moves to the young one. So what is in use stays, without a lock or an order to keep.
    """

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self._young: dict[_Key, TermsOfRecord] = {}
        self._old: dict[_Key, TermsOfRecord] = {}

    def of(self, record: Record) -> TermsOfRecord:
        """The record's terms. The key holds the text's length too: a tombstone may keep a digest without its text."""
        key = (record.digest, len(record.text), record.beside)
        held = self._young.get(key)
        if held is None:
            held = self._old.get(key) or _analyse(record)
            if len(self._young) >= self._half:
                self._young, self._old = {}, self._young
            self._young[key] = held
        return held


def _analyse(record: Record) -> TermsOfRecord:
    head = distinct(f"{record.title}\n{record.path}")
    terms = distinct(record.text)
    terms |= head
    if record.beside:
        terms |= distinct(record.beside)
    return TermsOfRecord(frozenset(terms), frozenset(head), embedding_digest(embedding_text(record)))
