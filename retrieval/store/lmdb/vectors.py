"""Canonical vectors by model fingerprint and digest of the embedded text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from retrieval.store.lmdb.keys import digest_of, encode_text, lookup_bytes, text_in_key, text_key
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import Digest

MODEL_BYTES = 16
"""How much of a key stands for the model."""


def get(view: TenantView, model: str, digests: Sequence[Digest]) -> list[bytes | None]:
    """The vectors' bytes in the order asked, None where there is none."""
    raw = lookup_bytes(model)
    if raw is None:
        return [None] * len(digests)
    prefix, rows, table = view.key + digest_of(raw), view.rows, view.rows.tables.vectors
    keys = map(lookup_bytes, digests)
    return [None if key is None else rows.get(table, prefix + text_key(key)) for key in keys]


def put(view: TenantView, model: str, digest: Digest, vector: bytes) -> None:
    """Store a vector, over an older one."""
    model_raw, digest_raw = encode_text("model", model), encode_text("digest", digest)
    row_key = view.settle_tenant() + digest_of(model_raw) + text_key(digest_raw)
    view.rows.put(view.rows.tables.vectors, row_key, vector)


def models(view: TenantView) -> tuple[bytes, ...]:
    """The key parts of the models that the tenant has vectors of."""
    found: list[bytes] = []
    row = view.rows.first(view.rows.tables.vectors, view.key)
    while row is not None and row[0].startswith(view.key):
        found.append(row[0][len(view.key) : len(view.key) + MODEL_BYTES])
        row = view.rows.first(view.rows.tables.vectors, view.key + found[-1] + b"\xff" * 4)
    return tuple(found)


def key(view: TenantView, model: bytes, digest: str) -> bytes:
    """The key of a vector, by the key part of its model."""
    return view.key + model + text_key(digest.encode())


def digests(view: TenantView, model: str, after: Digest | None, limit: int) -> list[Digest]:
    """The next digests that have a vector under the model, in order; they are short, so their keys hold them whole."""
    raw = lookup_bytes(model)
    if raw is None:
        return []
    prefix = view.key + digest_of(raw)
    start = prefix if after is None else key(view, digest_of(raw), after) + b"\x00"
    rows = islice(view.rows.scan(view.rows.tables.vectors, prefix, start), max(limit, 0))
    return [Digest(text_in_key(row_key[len(prefix) :], b"")) for row_key, _ in rows]


def beside(view: TenantView, model: str) -> bool:
    """True where the tenant has vectors of another model."""
    own = digest_of(lookup_bytes(model) or b"")
    return any(other != own for other in models(view))


def count_of_all(view: TenantView) -> int:
    """How many vectors the whole store holds, of all tenants and models."""
    return view.rows.count(view.rows.tables.vectors)


def drop(view: TenantView, model: str, unwanted: Iterable[Digest]) -> int:
    """Delete the model's vectors of these digests; returns how many there were."""
    raw = lookup_bytes(model)
    if raw is None:
        return 0
    keys = [key(view, digest_of(raw), digest) for digest in unwanted]
    return sum(view.rows.delete(view.rows.tables.vectors, row_key) for row_key in keys)


def drop_beside(view: TenantView, model: str, limit: int) -> int:
    """Delete at most so many vectors of other models than this; returns how many."""
    own = digest_of(lookup_bytes(model) or b"")
    deleted = 0
    for other in models(view):
        if other != own:
            for row_key, _ in view.rows.page(view.rows.tables.vectors, view.key + other, limit - deleted):
                deleted += view.rows.delete(view.rows.tables.vectors, row_key)
    return deleted
