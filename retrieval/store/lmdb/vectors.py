"""Canonical vectors by model fingerprint and digest of the embedded text."""

from __future__ import annotations

from retrieval.store.lmdb.keys import digest_of, encode_text, lookup_bytes, text_key
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import Digest

MODEL_BYTES = 16
"""How much of a key stands for the model."""


def get(view: TenantView, model: str, digest: Digest) -> bytes | None:
    """The vector's bytes, or None."""
    model_raw, digest_raw = lookup_bytes(model), lookup_bytes(digest)
    if model_raw is None or digest_raw is None:
        return None
    return view.rows.get(view.rows.tables.vectors, view.key + digest_of(model_raw) + text_key(digest_raw))


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
