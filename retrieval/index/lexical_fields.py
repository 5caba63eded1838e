"""What a document and a query look like inside the lexical index: its fields, its keys, its scopes.

Fields `title`, `path`, `body` and `beside` hold terms with frequencies; `kind` is the record's kind; `key` (tenant and
record id) is what documents are replaced by, `scope` (tenant and namespace) what searches are held to; `id` gives the
record id back, `file` a number that the records of one file share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final

import tantivy
from xxhash import xxh3_64_intdigest

from retrieval.index.sensor import FieldWeights, Hit, Sieve, WeightedTerm
from retrieval.record import TURN_KIND, Record
from retrieval.text.tokens import analysed
from workingset.vocabulary import Namespace, TenantId

SCHEMA_VERSION: Final = 4
"""Raised with every change to the fields: indexes of another version are rebuilt."""

FIELDS: Final = ("title", "path", "body", "beside")
_ANALYZER: Final = "hotset_terms"
_JOIN: Final = "\x1f"
_REMEMBERED_FREQUENCIES: Final = 20_000
"""Some 3 MB. A guess: the common words of all goals between two commits of the index."""
_TIED_AT_ONCE: Final = 64
"""Measured over a million records with 15 copies of each: enough for nearly all ties, for 10 us."""
_RECORD_ID: Final = attrgetter("record_id")
_SCORE: Final = attrgetter("score")


@dataclass(frozen=True, slots=True)
class View:
    """One fixed state of the index to search in, and the scopes that occur in it."""

    schema: tantivy.Schema
    searcher: tantivy.Searcher
    scopes: frozenset[str]
    written: int
    """Documents, those that were replaced and lie in a segment still among them."""
    frequencies: dict[tuple[str, frozenset[str]], int] = field(default_factory=dict[tuple[str, frozenset[str]], int])
    """What was counted: goals share their common words, and those cost most. Emptied when full."""

    def among(self, query: tantivy.Query, tenant: TenantId, namespaces: Sequence[Namespace]) -> tantivy.Query:
        """The query held to the namespaces; itself where the index holds nothing else, which is much faster."""
        wanted = sorted({scope(tenant, namespace) for namespace in namespaces})
        if self.scopes.issubset(wanted):
            return query
        either = [(tantivy.Occur.Should, self._raw("scope", name)) for name in wanted]
        held = tantivy.Query.const_score_query(tantivy.Query.boolean_query(either), 0.0)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, held)])

    def sifted(self, query: tantivy.Query, sieve: Sieve) -> tantivy.Query:
        """The query held to the kinds that the sieve lets through."""
        if not sieve.kinds and not sieve.not_kinds:
            return query
        parts = [(tantivy.Occur.Must, query)]
        if sieve.kinds:
            either = [(tantivy.Occur.Should, self._raw("kind", kind)) for kind in sieve.kinds]
            parts.append(
                (tantivy.Occur.Must, tantivy.Query.const_score_query(tantivy.Query.boolean_query(either), 0.0))
            )
        parts += [(tantivy.Occur.MustNot, self._raw("kind", kind)) for kind in sieve.not_kinds]
        return tantivy.Query.boolean_query(parts)

    def any_of(self, terms: Sequence[WeightedTerm], fields: FieldWeights) -> tantivy.Query:
        """Documents that hold any of the terms, each field's BM25 times its weight and the term's, summed."""
        weights = (fields.title, fields.path, fields.body, fields.beside)
        parts = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self.term(name, term.term), weight * term.weight))
            for term in terms
            for name, weight in zip(FIELDS, weights, strict=True)
            if weight > 0
        ]
        return tantivy.Query.boolean_query(parts)

    def holding(self, term: str) -> tantivy.Query:
        """Documents that hold the term in any field."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, self.term(name, term)) for name in FIELDS])

    def all_in(self, tenant: TenantId, namespace: Namespace) -> tantivy.Query:
        """All documents of one namespace."""
        return self.all_of(scope(tenant, namespace))

    def all_of(self, scope: str) -> tantivy.Query:
        """All documents of one scope."""
        return self._raw("scope", scope)

    def term(self, field: str, term: str) -> tantivy.Query:
        """Documents that hold the term in one field, scored by BM25."""
        return tantivy.Query.term_query(self.schema, field, term, index_option="freq")

    def count(self, query: tantivy.Query) -> int:
        """How many live documents match."""
        found: Any = self.searcher.search(query, limit=1, count=True)  # its type stub lacks `count`
        return int(found.count)

    def frequency(self, term: str, tenant: TenantId, namespaces: Sequence[Namespace]) -> int:
        """How many live documents of the namespaces hold the term in any field, exactly."""
        wanted = frozenset(scope(tenant, namespace) for namespace in namespaces)
        known = self.frequencies.get((term, wanted))
        if known is None:
            if len(self.frequencies) >= _REMEMBERED_FREQUENCIES:
                self.frequencies.clear()
            if self.scopes <= wanted and self.searcher.num_docs == self.written:
                known = self._listed(term)
            else:
                known = self.count(self.among(self.holding(term), tenant, namespaces))
            self.frequencies[term, wanted] = known
        return known

    def _listed(self, term: str) -> int:
        """As `frequency`, where all documents are live and asked for: most of them need not be looked at, since the
        dictionary says how many hold the term in the field where it is most common."""
        held = {name: self.searcher.doc_freq(name, term) for name in FIELDS}
        most = max(FIELDS, key=held.__getitem__)
        others = [(tantivy.Occur.Should, self.term(name, term)) for name in FIELDS if name != most and held[name]]
        if not others:
            return held[most]
        elsewhere = [
            (tantivy.Occur.Must, tantivy.Query.boolean_query(others)),
            (tantivy.Occur.MustNot, self.term(most, term)),
        ]
        return held[most] + self.count(tantivy.Query.boolean_query(elsewhere))

    def best(self, query: tantivy.Query, limit: int, tied_hits: int) -> list[Hit]:
        """The best hits, score falling, then record id.

        tantivy breaks ties by its own addresses; so more are read while the last one read ties with the last one asked
        for, up to `tied_hits`. Each time all matches are scored again, so the first reading takes some more at once.
        """
        asked = limit + _TIED_AT_ONCE
        while True:
            found = self.searcher.search(query, limit=asked, count=False).hits
            cut_in_a_tie = len(found) == asked and found[-1][0] == found[limit - 1][0]
            if not cut_in_a_tie or asked >= tied_hits:
                break
            asked *= 4
        if len(found) > limit:
            least = found[limit - 1][0]
            found = [hit for hit in found if hit[0] >= least]
        addresses = [address for _, address in found]
        ids, files = self._numbers("id", addresses), self._numbers("file", addresses)
        hits = list(map(Hit, ids, [score for score, _ in found], files))
        # by id first: sorting by score then leaves equal scores in that order, and no tuple is made for a key
        hits.sort(key=_RECORD_ID)
        hits.sort(key=_SCORE, reverse=True)
        return hits[:limit]

    def _numbers(self, field: str, addresses: Sequence[tantivy.DocAddress]) -> list[int]:
        """The documents' numbers in a fast field, 0 where there is none."""
        values: Any = self.searcher.fast_field_values(field, list(addresses))
        return [value or 0 for value in values]

    def _raw(self, field: str, text: str) -> tantivy.Query:
        return tantivy.Query.term_query(self.schema, field, text, index_option="basic")


def schema() -> tantivy.Schema:
    """The fields of the index."""
    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=False, tokenizer_name=_ANALYZER, index_option="freq")
    builder.add_text_field("kind", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("key", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("scope", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("id", stored=False, indexed=False, fast=True)
    builder.add_unsigned_field("file", stored=False, indexed=False, fast=True)
    return builder.build()


def opened(directory: str) -> tantivy.Index:
    """The index in a directory, made there if it holds none, with the analyzer that every opening must register."""
    index = tantivy.Index(schema(), path=directory)
    terms = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer(_ANALYZER, terms)
    return index


def viewed(index: tantivy.Index) -> View:
    """The index as it stands now."""
    index.reload()
    searcher = index.searcher()
    scopes = searcher.terms_with_prefix("scope", "")
    return View(index.schema, searcher, frozenset(name for name, _ in scopes), sum(count for _, count in scopes))


def document(tenant: TenantId, record_id: int, record: Record) -> tantivy.Document:
    """The record as the index takes it in."""
    made = tantivy.Document()
    made.add_text("title", analysed(record.title))
    made.add_text("path", analysed(record.path))
    body = analysed(record.text)
    made.add_text("body", body)
    if record.kind == TURN_KIND or record.beside:
        made.add_text("beside", f"{body} {body} {analysed(record.beside)}")
    made.add_text("kind", record.kind)
    made.add_text("key", key(tenant, record_id))
    made.add_text("scope", scope(tenant, record.namespace))
    made.add_unsigned("id", record_id)
    if record.path:
        made.add_unsigned("file", file_number(tenant, record.namespace, record.path))
    return made


def key(tenant: TenantId, record_id: int) -> str:
    """The raw term that names one document."""
    return f"{tenant}{_JOIN}{record_id}"


def scope(tenant: TenantId, namespace: Namespace) -> str:
    """The raw term that holds searches to one namespace of one tenant."""
    return f"{tenant}{_JOIN}{namespace}"


def file_number(tenant: TenantId, namespace: Namespace, path: str) -> int:
    """The number that hits in one file share; of two files it is as good as never the same."""
    return xxh3_64_intdigest(_JOIN.join((tenant, namespace, path)).encode("utf-8", "surrogatepass"))
