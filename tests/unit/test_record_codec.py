"""Versions as bytes: what an older daemon wrote is read, and what is not known takes no room."""

from __future__ import annotations

import struct

import msgspec

from retrieval.store.lmdb.codec import RecordCodec, decode_record, encode_head, head_of
from retrieval.store.lmdb.settings import LmdbSettings
from tests.world import record
from workingset.vocabulary import Generation, Namespace

CODE = Namespace("code")


def test_a_version_written_before_verifications_were_kept_is_read() -> None:
    one = record("a", "the port is 8080")
    head = msgspec.msgpack.encode(msgspec.msgpack.decode(encode_head(head_of("a", one), one))[:-1])
    body = msgspec.msgpack.encode([one.text, one.outline, one.gist])
    read = decode_record(struct.pack(">BI", 0, len(head)) + head + body, CODE, Generation(0))
    assert read == one
    assert (read.retrieved_seconds, read.verified_seconds, read.validator) == (0, 0, "")


def test_what_is_not_known_of_the_source_takes_one_byte() -> None:
    one = record("a", "the port is 8080")
    whole = RecordCodec(LmdbSettings()).encode(encode_head(head_of("a", one), one), one)
    assert decode_record(whole, CODE, Generation(0)) == one
    assert encode_head(head_of("a", one), one)[-1:] == msgspec.msgpack.encode(None)
