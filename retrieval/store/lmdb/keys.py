"""Text inside storage keys: ordered, self-terminating and never longer than LMDB allows.

A text key is the UTF-8 bytes with NUL written as `00 FF`, ended by `00`. A text longer than `TEXT_KEY_BYTES` keeps
that many bytes and ends with `00 FE` and the xxh3-128 of the whole text: it sorts after every text that equals its
stored prefix, and its full form is kept in the row's value. The end marks cannot be confused because what follows a
key's text is a big-endian 63-bit integer or nothing, whose first byte is below `80`. UTF-8 order is code point order,
which is also the order of Python strings.
"""

from __future__ import annotations

import xxhash

from retrieval.errors import BadField

LARGEST_KEY_BYTES = 511
"""LMDB's limit for a key (MDB_MAXKEYSIZE)."""

TEXT_KEY_BYTES = 400
"""How much of a text is kept in a key; leaves room for the ids around it and the digest of a long one."""

_NUL = b"\x00"
_ESCAPED_NUL = b"\x00\xff"
_LONG_MARK = b"\x00\xfe"


def encode_text(field: str, text: str) -> bytes:
    """Return the text's UTF-8 bytes; raises BadField naming the field where it holds a lone surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadField(
            field, f"not valid Unicode at character {error.start}: a lone surrogate cannot be stored"
        ) from error


def lookup_bytes(text: str) -> bytes | None:
    """Return the text's UTF-8 bytes, or None where no stored text can equal it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def digest_of(raw: bytes) -> bytes:
    """Return the 16 bytes of xxh3-128 that stand for a text too long, or not worth keeping, in a key."""
    return xxhash.xxh3_128_digest(raw)


def is_long(raw: bytes) -> bool:
    """True where the text's key does not hold all of it."""
    return len(raw) > TEXT_KEY_BYTES or (_NUL in raw and len(_escape(raw)) > TEXT_KEY_BYTES)


def text_key(raw: bytes) -> bytes:
    """Return the key of a text: complete for a short one, prefix and digest for a long one."""
    if len(raw) <= TEXT_KEY_BYTES and _NUL not in raw:
        return raw + _NUL
    escaped = _escape(raw)
    if len(escaped) <= TEXT_KEY_BYTES:
        return escaped + _NUL
    return _stored_prefix(escaped) + _LONG_MARK + digest_of(raw)


def prefix_key(raw: bytes) -> bytes:
    """Return the bytes with which the keys of all texts that begin with `raw` begin.

    Where `raw` itself is too long to be held, keys of other texts begin so too: compare the full texts.
    """
    return _stored_prefix(_escape(raw))


def text_in_key(key: bytes, kept: bytes) -> str:
    """Return the text of a text key (no bytes around it), or the one `kept` in the row's value for a long one."""
    if kept:
        return kept.decode()
    return key[:-1].replace(_ESCAPED_NUL, _NUL).decode()


def _escape(raw: bytes) -> bytes:
    return raw.replace(_NUL, _ESCAPED_NUL) if _NUL in raw else raw


def _stored_prefix(escaped: bytes) -> bytes:
    if len(escaped) <= TEXT_KEY_BYTES:
        return escaped
    prefix = escaped[:TEXT_KEY_BYTES]
    return prefix[:-1] if prefix.endswith(_NUL) else prefix
