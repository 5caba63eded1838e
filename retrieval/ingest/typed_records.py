"""Typed records of a host's own, with edges: checked field by field, then written in the caller's transaction.

Records are prepared outside the transaction (`prepare_records`), where all is checked but what only the store can tell:
whether the ends of edges exist, and whether something else has a record's ref. In it (`write_records`) they are
written; what raises leaves the transaction to be thrown away whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.errors import BadField, UnknownRef
from retrieval.ingest.changes import Written
from retrieval.ingest.commit_records import COMMIT
from retrieval.ingest.derived_edges import DERIVED
from retrieval.ingest.digests import local_name, record_digest
from retrieval.ingest.secrets import redact, redact_attributes
from retrieval.ingest.settings import IngestSettings, TypedSettings
from retrieval.ingest.verification import check_verification
from retrieval.record import TURN_KIND, Edge, Name, NameKind, Record
from retrieval.relations import Role, role_of
from retrieval.store.interface import WriteTransaction
from retrieval.text.renderings import render_document
from workingset.vocabulary import Namespace, Ref

_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")
_OWN_KINDS = {COMMIT: "a commit", TURN_KIND: "a turn of a conversation"}
"""Kinds that only ingest itself gives, and what to."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class RecordInput:
    """A record as a host gives it. An empty `id` is made from kind, title and text.

    `retrieved_seconds`, `verified_seconds` and `validator` are as in `Record`: what the host knows of the source.
    """

    id: str
    kind: str
    title: str
    text: str
    attributes: tuple[tuple[str, str], ...] = ()
    origin: str = ""
    valid_from_seconds: int = 0
    valid_until_seconds: int = 0
    retrieved_seconds: int = 0
    verified_seconds: int = 0
    validator: str = ""


@dataclass(frozen=True, slots=True)
class EdgeInput:
    """An edge as a host gives it. An end is an id of this namespace or a whole ref; `role` only for a new relation."""

    source: str
    relation: str
    target: str
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class PreparedRecords:
    """Records of one namespace, checked and made, edges, checked; and what was taken out of records, by reason."""

    namespace: Namespace
    records: tuple[Record, ...]
    edges: tuple[EdgeInput, ...]
    reasons: tuple[tuple[str, int], ...]


def prepare_records(
    namespace: Namespace,
    inputs: Sequence[RecordInput],
    edges: Sequence[EdgeInput],
    source: str,
    settings: IngestSettings | None = None,
) -> PreparedRecords:
    """Check records and edges and make the records.

    Raises BadField naming the field, as in `records[3].text` or `edges[0].relation`.
    """
    chosen = settings or IngestSettings()
    records: list[Record] = []
    seen: dict[Ref, int] = {}
    reasons: Counter[str] = Counter()
    for at, given in enumerate(inputs):
        record = _record(_redacted(given, chosen, reasons), namespace, source, f"records[{at}]", chosen)
        if record.ref in seen:
            raise BadField(f"records[{at}].id", f"is the same record as records[{seen[record.ref]}]")
        seen[record.ref] = at
        records.append(record)
    for at, edge in enumerate(edges):
        _check_edge(edge, f"edges[{at}]")
    return PreparedRecords(namespace, tuple(records), tuple(edges), tuple(sorted(reasons.items())))


def write_records(txn: WriteTransaction, prepared: PreparedRecords) -> tuple[Written, tuple[Ref, ...]]:
    """Write records, then edges; return what changed and the records' refs in order.

    Raises BadField naming the field, as in `records[3].id` or `edges[0].to`.
    """
    written = sum(_put_record(txn, record, f"records[{at}]") for at, record in enumerate(prepared.records))
    begun = sum(_put_edge(txn, prepared.namespace, edge, f"edges[{at}]") for at, edge in enumerate(prepared.edges))
    refs = tuple(record.ref for record in prepared.records)
    return Written(records_written=written, edges_written=begun, reasons=prepared.reasons), refs


def put_records(
    txn: WriteTransaction,
    namespace: Namespace,
    inputs: Sequence[RecordInput],
    edges: Sequence[EdgeInput],
    source: str,
    settings: IngestSettings | None = None,
) -> tuple[Written, tuple[Ref, ...]]:
    """Prepare records and edges and write them at once, for callers that nobody waits for."""
    return write_records(txn, prepare_records(namespace, inputs, edges, source, settings))


def _record(
    given: RecordInput,
    namespace: Namespace,
    source: str,
    field: str,
    chosen: IngestSettings,
) -> Record:
    """Check one record and make it."""
    settings = chosen.typed
    _check_texts(given, field)
    if given.id and not _ID.fullmatch(given.id):
        raise BadField(f"{field}.id", f"{given.id!r}: give 1 to 128 letters, digits, dots, dashes or underscores")
    if not _WORD.fullmatch(given.kind):
        raise BadField(f"{field}.kind", f"{given.kind!r}: give a word of small letters, digits and underscores")
    if given.kind in _OWN_KINDS:
        raise BadField(
            f"{field}.kind", f"{given.kind!r} is what ingest makes of {_OWN_KINDS[given.kind]}: choose another"
        )
    if not given.text or given.text.isspace():
        raise BadField(f"{field}.text", "is empty: a record needs text")
    if len(given.text.encode()) > settings.text_bytes:
        raise BadField(f"{field}.text", f"is longer than {settings.text_bytes} bytes: send it as a document")
    if len(given.title) > settings.title_characters or _CONTROL.search(given.title):
        raise BadField(f"{field}.title", f"give one line of at most {settings.title_characters} characters")
    _check_attributes(given, field, settings)
    _check_validity(given, field)
    check_verification(given.retrieved_seconds, given.verified_seconds, given.validator, field, settings)
    made = render_document(given.text, "", chosen.renderings)
    title = given.title.strip() or made.gist
    named = (Name(NameKind.SYMBOL, given.title.strip()),) if given.title.strip() else ()
    return Record(
        ref=Ref(f"{namespace}:{given.id or local_name(given.kind, given.title, given.text)}"),
        namespace=namespace,
        kind=given.kind,
        title=title,
        text=given.text,
        outline=made.outline,
        gist=made.gist,
        digest=record_digest(given.kind, title, "", given.text),
        source=source,
        origin=given.origin,
        names=named,
        attributes=tuple(sorted(given.attributes)),
        valid_from_seconds=given.valid_from_seconds,
        valid_until_seconds=given.valid_until_seconds,
        retrieved_seconds=given.retrieved_seconds,
        verified_seconds=given.verified_seconds,
        validator=given.validator,
    )


def _redacted(given: RecordInput, chosen: IngestSettings, reasons: Counter[str]) -> RecordInput:
    """The record without secrets in its title, text, origin and attributes; they are added to the reasons."""
    given_texts = (given.title, given.text, given.origin, given.validator)
    texts = [redact(text, settings=chosen.secrets) for text in given_texts]
    attributes, held = redact_attributes(given.attributes, chosen.secrets)
    for each in (*(text.reasons for text in texts), held):
        reasons.update(dict(each))
    title, text, origin, validator = (each.text for each in texts)
    return replace(given, title=title, text=text, origin=origin, validator=validator, attributes=attributes)


def _check_texts(given: RecordInput, field: str) -> None:
    texts = {"id": given.id, "kind": given.kind, "title": given.title, "text": given.text, "origin": given.origin}
    texts["validator"] = given.validator
    for name, text in texts.items():
        _check_unicode(text, f"{field}.{name}")
    for key, value in given.attributes:
        _check_unicode(key + value, f"{field}.attributes")


def _check_unicode(text: str, field: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadField(field, "holds a lone surrogate: send valid Unicode") from error


def _check_attributes(given: RecordInput, field: str, settings: TypedSettings) -> None:
    if len(given.attributes) > settings.attributes:
        raise BadField(f"{field}.attributes", f"has {len(given.attributes)} of at most {settings.attributes}")
    keys = [key for key, _ in given.attributes]
    if len(set(keys)) < len(keys) or "" in keys:
        raise BadField(f"{field}.attributes", "a key is empty or there twice")
    taken = sum(len(key.encode()) + len(value.encode()) for key, value in given.attributes)
    if taken > settings.attribute_bytes:
        raise BadField(f"{field}.attributes", f"take {taken} bytes of at most {settings.attribute_bytes}")
    if len(given.origin) > settings.title_characters * 4:
        raise BadField(f"{field}.origin", f"is longer than {settings.title_characters * 4} characters")


def _check_validity(given: RecordInput, field: str) -> None:
    for name in ("valid_from_seconds", "valid_until_seconds"):
        if not 0 <= getattr(given, name) < 2**63:
            raise BadField(f"{field}.{name}", "give seconds since 1970, or 0 for unbounded")
    if given.valid_until_seconds and given.valid_until_seconds <= given.valid_from_seconds:
        raise BadField(f"{field}.valid_until_seconds", "is not after valid_from_seconds")


def _check_edge(edge: EdgeInput, field: str) -> None:
    for name, text in (("from", edge.source), ("relation", edge.relation), ("to", edge.target)):
        _check_unicode(text, f"{field}.{name}")
        if not text:
            raise BadField(f"{field}.{name}", "is empty")
    if not _WORD.fullmatch(edge.relation):
        raise BadField(f"{field}.relation", f"{edge.relation!r}: give a word of small letters, digits and underscores")


def _put_record(txn: WriteTransaction, record: Record, field: str) -> bool:
    known = txn.record(record.ref)
    if known is not None and not known.removed and known.path:
        raise BadField(f"{field}.id", f"{record.ref} is a record of the file {known.path!r}: choose another id")
    if known is not None and not known.removed and known.kind in _OWN_KINDS:
        raise BadField(f"{field}.id", f"{record.ref} is made of {_OWN_KINDS[known.kind]}: choose another id")
    before = None if known is None or known.removed else known.generation
    return txn.put_record(record) != before


def _put_edge(txn: WriteTransaction, namespace: Namespace, edge: EdgeInput, field: str) -> bool:
    source, target = _end(namespace, edge.source), _end(namespace, edge.target)
    if source == target:
        raise BadField(f"{field}.to", "a record has no relation to itself")
    for name, ref in (("from", source), ("to", target)):
        record = txn.record(ref)
        if record is None or record.removed:
            raise BadField(f"{field}.{name}", f"no record {ref!r} is there: put it first, or in this batch")
        if name == "from" and record.path and edge.relation in DERIVED:
            raise BadField(f"{field}.relation", f"{edge.relation!r} is derived from {record.path!r} by ingest itself")
    try:
        role = role_of(edge.relation, edge.role, txn.relation_role(edge.relation))
        return txn.put_edge(Edge(source, edge.relation, target, role))
    except BadField as error:
        raise BadField(f"{field}.{error.field}", error.what) from error
    except UnknownRef as error:
        raise BadField(f"{field}.to", str(error)) from error


def _end(namespace: Namespace, given: str) -> Ref:
    return Ref(given if ":" in given else f"{namespace}:{given}")
