"""What the goal names word for word: files, frames, symbols, messages. By file number; by record where it is one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt

from retrieval.index.sensor import FieldWeights, Sieve, WeightedTerm
from retrieval.ingest.languages.testing import is_test_path
from retrieval.lanes.contract import ExactMatch
from retrieval.lanes.lane import BRIDGE_KINDS
from retrieval.ranking.code.paths import file_of, only_base_name
from retrieval.ranking.code.question import CodeQuestion
from retrieval.ranking.code.searches import FILE_KIND
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.look import Look
from retrieval.record import NameKind, Record
from retrieval.text.tokens import analyse

_BASE_NAME_SHARE = 0.7
"""Cited (design, recipes, 1.3): only the last part of a written path matches."""
_LARGEST_SUM = 2.0
"""Cited, as above: more names of one file say no more."""


@dataclass(slots=True)
class Named:
    """Strengths by file number; `lines` and `defining` by record id. `records` are those read on the way."""

    mention: dict[int, float] = field(default_factory=dict[int, float])
    frame: dict[int, float] = field(default_factory=dict[int, float])
    defines: dict[int, float] = field(default_factory=dict[int, float])
    phrase: dict[int, float] = field(default_factory=dict[int, float])
    lines: dict[int, float] = field(default_factory=dict[int, float])
    defining: dict[int, float] = field(default_factory=dict[int, float])
    records: dict[int, Record] = field(default_factory=dict[int, Record])


def named(look: Look, question: CodeQuestion, settings: CodeRankingSettings) -> Named:
    """Gather all of it; raises IndexUnavailable."""
    found = Named()
    _mentions(look, question, found)
    _symbols(look, question, settings, found)
    _messages(look, question, settings, found)
    return found


def _mentions(look: Look, question: CodeQuestion, found: Named) -> None:
    """Paths and modules of verified exact hits."""
    late = dict(question.frames)
    for hit in look.named:
        match, record = hit.rank, look.records.get(hit.record_id)
        if not isinstance(match, ExactMatch) or record is None or not record.path:
            continue
        file = file_of(look, record)
        strength = 1.0 / max(1, match.matches)
        if match.kind is NameKind.PATH:
            if only_base_name(match.written, record.path):
                strength *= _BASE_NAME_SHARE
            _raise(found.mention, file, strength)
            if match.written in late:
                _raise(found.frame, file, late[match.written] / max(1, match.matches))
            if match.line is not None and record.lines is not None and match.line in _range(record):
                _raise(found.lines, hit.record_id, late.get(match.written, 1.0))
        elif match.kind is NameKind.SYMBOL and record.kind == FILE_KIND:
            _raise(found.mention, file, strength)


def _range(record: Record) -> range:
    return range(record.lines.start, record.lines.end + 1) if record.lines is not None else range(0)


def _symbols(look: Look, question: CodeQuestion, settings: CodeRankingSettings, found: Named) -> None:
    """Sum of sqrt(min(count, 2)) / files that define it, over the names of the goal, tests left out."""
    ids = {
        name: [
            i
            for namespace in look.scope.namespaces
            for i in look.txn.find(namespace, NameKind.SYMBOL, name, settings.defining_records + 1)
        ]
        for name, _ in question.names
    }
    wanted = {name: held for name, held in ids.items() if 0 < len(held) <= settings.defining_records}
    records = read(look, (i for held in wanted.values() for i in held), found)
    sums: dict[int, float] = defaultdict(float)
    for name, weight in question.names:
        counts: dict[int, int] = defaultdict(int)
        definers = [i for i in wanted.get(name, ()) if i in records and _defines(records[i], name)]
        for i in definers:
            counts[file_of(look, records[i])] += 1
        for file, count in counts.items():
            sums[file] += weight * sqrt(min(2, count)) / len(counts)
        for i in definers:
            found.defining[i] = found.defining.get(i, 0.0) + weight / len(definers)
    found.defines = bounded_shares(sums)


def _defines(record: Record, name: str) -> bool:
    held = any(each.kind is NameKind.SYMBOL and each.text == name for each in record.names)
    return held and bool(record.path) and not is_test_path(record.path)


def _messages(look: Look, question: CodeQuestion, settings: CodeRankingSettings, found: Named) -> None:
    """Sum of 1 / files over the pieces of messages, each looked for in the parts that hold its words best."""
    sums: dict[int, float] = defaultdict(float)
    sieve = Sieve(not_kinds=BRIDGE_KINDS)
    for phrase in question.phrases:
        terms = [WeightedTerm(term, 1.0) for term in sorted(set(analyse(phrase)))]
        hits = look.lexical.search(
            look.scope.tenant,
            look.scope.namespaces,
            terms,
            settings.phrase_records,
            fields=FieldWeights(body=1.0),
            sieve=sieve,
        )
        records = read(look, (hit.record_id for hit in hits), found)
        files = {file_of(look, r) for h in hits if (r := records.get(h.record_id)) and phrase in r.text and r.path}
        for file in files:
            sums[file] += 1.0 / len(files)
    found.phrase = bounded_shares(sums)


def read(look: Look, record_ids: Iterable[int], found: Named) -> dict[int, Record]:
    """Live records of the scope by id, those admitted or read before not read again."""
    wanted = set(record_ids)
    fresh = sorted(i for i in wanted if i not in look.records and i not in found.records)
    for record_id, record in zip(fresh, look.txn.records_by_id(fresh, look.scope.cut), strict=True):
        if record is not None and not record.removed:
            found.records[record_id] = record
    held = {i: look.records.get(i) or found.records.get(i) for i in wanted}
    return {i: record for i, record in held.items() if record is not None}


def bounded_shares(sums: Mapping[int, float]) -> dict[int, float]:
    """Sums by file made comparable: min(x, 2) / max(1, the largest)."""
    bounded = {file: min(_LARGEST_SUM, value) for file, value in sums.items()}
    top = max(1.0, max(bounded.values(), default=0.0))
    return {file: value / top for file, value in bounded.items()}


def _raise(held: dict[int, float], key: int, value: float) -> None:
    held[key] = max(held.get(key, 0.0), value)
