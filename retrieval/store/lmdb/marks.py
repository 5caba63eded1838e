"""Small named values of the shell's own: the tenant's, and those of a namespace, which go with it."""

from __future__ import annotations

from retrieval.store.lmdb.keys import encode_text, lookup_bytes, text_key
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import Namespace


def get(view: TenantView, name: str, namespace: Namespace | None) -> bytes | None:
    """The value, or None."""
    raw = lookup_bytes(name)
    if raw is None:
        return None
    if namespace is None:
        return view.rows.get(view.rows.tables.marks, view.key + text_key(raw))
    space = view.space(namespace)
    return None if space is None else view.rows.get(view.rows.tables.space_marks, view.key + space.key + text_key(raw))


def put(view: TenantView, name: str, value: bytes, namespace: Namespace | None) -> bool:
    """Store the value, over an older one; False where there is no such namespace."""
    raw = encode_text("name", name)
    if namespace is None:
        view.rows.put(view.rows.tables.marks, view.settle_tenant() + text_key(raw), value)
        return True
    space = view.space(namespace)
    if space is None:
        return False
    view.rows.put(view.rows.tables.space_marks, view.key + space.key + text_key(raw), value)
    return True
