"""The relations that edges have named, with their roles: a schema by tenant that grows and never changes."""

from __future__ import annotations

from typing import NamedTuple

from retrieval.errors import StoreCorrupt
from retrieval.relations import Role
from retrieval.store.lmdb import layout
from retrieval.store.lmdb.keys import lookup_bytes, text_key
from retrieval.store.lmdb.layout import U32
from retrieval.store.lmdb.view import TenantView

_ROLES = (Role.MANDATORY, Role.ASSOCIATIVE, Role.OPPOSING, Role.IDENTITY, Role.ORIGIN, Role.SUCCESSION)
"""A role is stored as its place here: only append."""


class Relation(NamedTuple):
    """A relation as stored."""

    number: int
    name: str
    role: Role


def by_name(view: TenantView, name: str) -> Relation | None:
    """The relation of a name, or None where no edge has named it."""
    raw = lookup_bytes(name)
    row = None if raw is None else view.rows.get(view.rows.tables.relations, view.key + text_key(raw))
    return None if row is None else by_number(view, U32.unpack(row)[0])


def by_number(view: TenantView, number: int) -> Relation | None:
    """The relation of a number, or None."""
    row = view.rows.get(view.rows.tables.relation_names, view.key + U32.pack(number))
    return None if row is None else Relation(number, row[1:].decode(), _ROLES[row[0]])


def name_of(view: TenantView, number: int) -> str:
    """The name of a relation that an edge has; kept for the rest of the transaction."""
    relation = by_number(view, number)
    if relation is None:
        raise StoreCorrupt(f"an edge has the unknown relation {number}")
    view.relation_names[number] = relation.name
    return relation.name


def settle(view: TenantView, name: str, role: Role) -> int:
    """The number of a relation, allotted where it has none. For writing."""
    known = by_name(view, name)
    if known is not None:
        view.relation_numbers[name] = (role, known.number)
        return known.number
    number = view.next_id(layout.NEXT_RELATION_KEY)
    tables = view.rows.tables
    view.rows.put(tables.relations, view.key + text_key(name.encode()), U32.pack(number))
    view.rows.put(tables.relation_names, view.key + U32.pack(number), bytes([_ROLES.index(role)]) + name.encode())
    return number
