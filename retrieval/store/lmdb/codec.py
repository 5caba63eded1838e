"""A record's version as bytes: a head that is compared and filtered by, and a body of texts that is compressed.

Layout: flags (u8), length of the head (u32, big-endian), head, body; head and body are msgpack arrays. The first flag
says that the body is a Zstandard frame, the second that the version is a tombstone, which has no body.
"""

from __future__ import annotations

import struct
import threading

import msgspec
import zstandard

from retrieval.errors import BadField, StoreCorrupt
from retrieval.record import Name, NameKind, Record
from retrieval.store.lmdb.keys import encode_text
from retrieval.store.lmdb.settings import LmdbSettings
from workingset.vocabulary import Digest, Generation, Lines, Namespace, Ref

_PREFIX = struct.Struct(">BI")
_COMPRESSED = 1
_REMOVED = 2


class Head(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """All of a version but its texts. `local` is the ref after its colon; names are (kind, text)."""

    local: str
    kind: str
    title: str
    digest: str
    path: str
    lines: tuple[int, int] | None
    language: str
    source: str
    source_digest: str
    origin: str
    names: tuple[tuple[str, str], ...]
    attributes: tuple[tuple[str, str], ...]
    valid_from_seconds: int
    valid_until_seconds: int
    beside: str = ""
    verification: tuple[int, int, str] | None = None
    """When it was retrieved and verified, and its source's validator; None where nothing is known of that."""


class Body(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The texts of a version."""

    text: str
    outline: str
    gist: str


_TEXT_FIELDS = (
    *("kind", "title", "digest", "path", "language", "source", "source_digest", "origin"),
    *("text", "outline", "gist", "beside", "validator"),
)

_encode = msgspec.msgpack.Encoder().encode
_decode_head = msgspec.msgpack.Decoder(Head).decode
_decode_body = msgspec.msgpack.Decoder(Body).decode
_NO_BODY = Body("", "", "")
_NAME_KINDS = {kind.value: kind for kind in NameKind}
_VALUES = {id(kind): kind.value for kind in NameKind}
"""By identity, since hashing a member of an enumeration takes longer than all the rest."""
_REMEMBERED_NAMES = 65_536
"""Distinct names kept, some 12 MB. Cleared when full. A guess."""


class _Decompressors(threading.local):
    """One decompressor a thread: they cannot be shared."""

    def __init__(self) -> None:
        self.one = zstandard.ZstdDecompressor()


_decompressors = _Decompressors()


class RecordCodec:
    """Encodes versions; raises BadField for text that is not Unicode. Used by the writer's thread only, since a
    compressor cannot be shared."""

    def __init__(self, settings: LmdbSettings) -> None:
        self._compress_above_bytes = settings.compress_above_bytes
        self._compressor = zstandard.ZstdCompressor(level=settings.compression_level)

    def encode(self, head: bytes, record: Record) -> bytes:
        """A live version's bytes, with a head from `encode_head`."""
        try:
            body = _encode(Body(record.text, record.outline, record.gist))
        except UnicodeEncodeError:
            _check(record)
            raise
        flags = 0
        if len(body) >= self._compress_above_bytes:
            compressed = self._compressor.compress(body)
            if len(compressed) < len(body):
                flags, body = _COMPRESSED, compressed
        return _PREFIX.pack(flags, len(head)) + head + body


def head_of(local: str, record: Record) -> Head:
    """The head of a record's version."""
    return Head(
        local,
        record.kind,
        record.title,
        record.digest,
        record.path,
        None if record.lines is None else (record.lines.start, record.lines.end),
        record.language,
        record.source,
        record.source_digest,
        record.origin,
        tuple([(_VALUES[id(name.kind)], name.text) for name in record.names]),
        record.attributes,
        record.valid_from_seconds,
        record.valid_until_seconds,
        record.beside,
        _verification(record),
    )


def _verification(record: Record) -> tuple[int, int, str] | None:
    if not (record.retrieved_seconds or record.verified_seconds or record.validator):
        return None
    return record.retrieved_seconds, record.verified_seconds, record.validator


def encode_head(head: Head, record: Record) -> bytes:
    """The bytes of a version's head: equal bytes, equal content. Raises BadField for text that is not Unicode."""
    try:
        return _encode(head)
    except UnicodeEncodeError:
        _check(record)
        raise
    except OverflowError as error:
        raise BadField("valid_from_seconds", "validity and verification must fit 64 bits") from error


def _check(record: Record) -> None:
    for field in _TEXT_FIELDS:
        encode_text(field, getattr(record, field))
    for name in record.names:
        encode_text("names", name.text)
    for key, value in record.attributes:
        encode_text("attributes", key)
        encode_text("attributes", value)


def tombstone(version: bytes) -> bytes:
    """The tombstone of a live version: its head without its texts."""
    flags, head, _ = _parts(version)
    return _PREFIX.pack(flags & ~_COMPRESSED | _REMOVED, len(head)) + head


def is_removed(version: bytes) -> bool:
    """True for a tombstone."""
    return bool(version[:1] and version[0] & _REMOVED)


def head_bytes(version: bytes) -> bytes:
    """The head of a version as it was encoded."""
    return _parts(version)[1]


def decode_head(version: bytes) -> Head:
    """The head of a version; raises StoreCorrupt."""
    return _head_of(memoryview(version)[_PREFIX.size : _measured(version)[1]])


class _Names(dict[tuple[str, str], Name]):
    """Names by kind and text, so that the common ones are made once; fills itself. Safe beside other threads: one that
    is lost is made again."""

    def __missing__(self, pair: tuple[str, str]) -> Name:
        name = Name(_NAME_KINDS[pair[0]], pair[1])
        if len(self) >= _REMEMBERED_NAMES:
            self.clear()
        self[pair] = name
        return name


_NAMES = _Names()


def decode_record(version: bytes, namespace: Namespace, generation: Generation, *, texts: bool = True) -> Record:
    """The record of a version, without its texts where they are not asked for; raises StoreCorrupt."""
    flags, end = _measured(version)
    view = memoryview(version)
    head = _head_of(view[_PREFIX.size : end])
    body = _body_of(view[end:], flags) if texts and not flags & _REMOVED else _NO_BODY
    try:
        names = tuple(map(_NAMES.__getitem__, head.names))
        lines = None if head.lines is None else Lines(*head.lines)
    except (KeyError, ValueError) as error:
        raise StoreCorrupt(f"a record's version makes no sense: {error}") from error
    retrieved, verified, validator = head.verification or (0, 0, "")
    return Record(
        ref=Ref(f"{namespace}:{head.local}"),
        namespace=namespace,
        kind=head.kind,
        title=head.title,
        text=body.text,
        outline=body.outline,
        gist=body.gist,
        digest=Digest(head.digest),
        path=head.path,
        beside=head.beside,
        lines=lines,
        language=head.language,
        source=head.source,
        source_digest=Digest(head.source_digest),
        origin=head.origin,
        names=names,
        attributes=head.attributes,
        valid_from_seconds=head.valid_from_seconds,
        valid_until_seconds=head.valid_until_seconds,
        retrieved_seconds=retrieved,
        verified_seconds=verified,
        validator=validator,
        generation=generation,
        removed=bool(flags & _REMOVED),
    )


def _measured(version: bytes) -> tuple[int, int]:
    """A version's flags, and where its head ends."""
    if len(version) < _PREFIX.size:
        raise StoreCorrupt(f"a record's version of {len(version)} bytes is cut off")
    flags, length = _PREFIX.unpack_from(version)
    return flags, _PREFIX.size + length


def _parts(version: bytes) -> tuple[int, bytes, bytes]:
    flags, end = _measured(version)
    return flags, version[_PREFIX.size : end], version[end:]


def _head_of(packed: memoryview) -> Head:
    try:
        return _decode_head(packed)
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"a record's version does not decode: {error}") from error


def _body_of(packed: memoryview, flags: int) -> Body:
    try:
        return _decode_body(_decompressors.one.decompress(packed) if flags & _COMPRESSED else packed)
    except (msgspec.DecodeError, zstandard.ZstdError) as error:
        raise StoreCorrupt(f"a record's texts do not decode: {error}") from error
