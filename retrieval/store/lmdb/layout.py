"""The tables of the LMDB engine and the fixed parts of their keys and values. Integers are big-endian.

Every key but those of `meta` and `tenants` begins with the tenant's number (u32). `space` is a namespace's number
(u32), `id` a record's (u63), `gen` a generation (u64); `text` is a text key (`keys`).

table           key                                     value
meta            name                                    magic, format, counters, floors of tenants
tenants         name                                    tenant u32
spaces          tenant name                             space, gen, live records, live edges
space_names     tenant space                            name
refs            tenant space local                      id
ids             tenant id                               space local
records         tenant space id ~gen                    a version (`codec`)
names           tenant space kind text id               full name of a long one
paths           tenant space text id                    nothing
sources         tenant space hash(source) text id       source digest, full path of a long one
changes         tenant space gen id                     removed, digest
counts          tenant space what text                  count, text
relations       tenant text                             relation u32
relation_names  tenant relation                         role, name
edges           tenant source relation target           the live edge: gen of source's and of target's namespace, flags
adjacent        tenant id direction                     (sorted duplicates) other id, relation
past_edges      tenant id direction relation other gen  gen it began at, gen that wrote it, flags; key holds its end
lost_needs      tenant id direction other relation      nothing: the first (outgoing) needs the other, which was removed
vectors         tenant hash(model) digest               f16 bytes
sets            tenant agent                            epoch, turn, revision, bytes
receipts        tenant text turn                        bytes
retained        tenant text turn                        bytes
answers         tenant text hash(request id)            sequence, bytes
answer_order    tenant text sequence                    hash(request id); sequence 0: next sequence, how many
marks           tenant text                             bytes
space_marks     tenant space text                       bytes
purged          tenant space                            nothing: its name is gone, its rows are being deleted
horizons        tenant space                            oldest gen to read at, stage and next key of its collection

A namespace is named by its rows in `spaces` and `space_names` alone, so taking those away hides it at once.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import lmdb

FORMAT_VERSION = 4
"""Raised whenever a table, key or value changes its meaning; a newer one is refused. 1 had no `space_marks` and no
`purged`, and kept marks of namespaces in `marks`; 2 knew fewer kinds of names; 3 had no `horizons`, no `lost_needs` and
no `retained`."""

MARKS_FORMAT = 2
"""The first format whose marks of namespaces are kept with them."""

MAGIC = b"hotset store"

MAGIC_KEY = b"magic"
FORMAT_KEY = b"format"
NEXT_TENANT_KEY = b"next_tenant"
NEXT_SPACE_KEY = b"next_space"
NEXT_RECORD_KEY = b"next_record"
NEXT_RELATION_KEY = b"next_relation"
REVISION_FLOOR_KEY = b"revision_floor "
"""With the tenant: the largest revision that a forgotten working set had."""
GENERATION_FLOOR_KEY = b"generation_floor "
"""With the tenant: the largest generation that a purged namespace had."""

U32 = struct.Struct(">I")
U64 = struct.Struct(">Q")

LARGEST_GENERATION = 2**63 - 1
"""No namespace gets here; as a bound it means the newest."""

LARGEST_ID = 2**63 - 1

OUTGOING = b"\x00"
INCOMING = b"\x01"

SPACE_ROW = struct.Struct(">IQQQ")
"""Number, generation, live records, live edges."""

RECORD_KEY = struct.Struct(">4s4sQQ")
RECORD_PREFIX_BYTES = 16
CHANGE_KEY = struct.Struct(">4s4sQQ")
ID_KEY = struct.Struct(">4sQ")
EDGE_KEY = struct.Struct(">4sQIQ")
EDGE_ROW = struct.Struct(">QQB")
ADJACENT_KEY = struct.Struct(">4sQc")
ADJACENT_VALUE = struct.Struct(">QI")
ADJACENT_ROW = struct.Struct(">12xcQI")
"""One key and value of `adjacent` as getmulti packs them: direction, other id, relation."""
PAST_KEY = struct.Struct(">4sQcIQQ")
PAST_BETWEEN = struct.Struct(">4sQcIQ")
"""What the keys of past edges between two records begin with."""
PAST_ROW = struct.Struct(">QQB")
LOST_KEY = struct.Struct(">4sQcQI")
HORIZON_ROW = struct.Struct(">QB")
"""The horizon and the stage of its collection; the next key follows."""
SET_ROW = struct.Struct(">QQQ")
TWO_COUNTS = struct.Struct(">QQ")

BEST_EFFORT = 1
"""Flag of an edge found by name and not by resolution."""

KIND_COUNT = b"k"
RELATION_COUNT = b"r"


class Tables(NamedTuple):
    """The open table handles, in the order of the table above."""

    meta: lmdb._Database
    tenants: lmdb._Database
    spaces: lmdb._Database
    space_names: lmdb._Database
    refs: lmdb._Database
    ids: lmdb._Database
    records: lmdb._Database
    names: lmdb._Database
    paths: lmdb._Database
    sources: lmdb._Database
    changes: lmdb._Database
    counts: lmdb._Database
    relations: lmdb._Database
    relation_names: lmdb._Database
    edges: lmdb._Database
    adjacent: lmdb._Database
    past_edges: lmdb._Database
    lost_needs: lmdb._Database
    vectors: lmdb._Database
    sets: lmdb._Database
    receipts: lmdb._Database
    retained: lmdb._Database
    answers: lmdb._Database
    answer_order: lmdb._Database
    marks: lmdb._Database
    space_marks: lmdb._Database
    purged: lmdb._Database
    horizons: lmdb._Database


def record_key(tenant: bytes, space: bytes, record_id: int, generation: int) -> bytes:
    """Key of a version. Generations are inverted so that the newest at or before one is the first row after it."""
    return RECORD_KEY.pack(tenant, space, record_id, LARGEST_GENERATION - generation)


def generation_of(record_row_key: bytes) -> int:
    """The generation in the key of a version."""
    return LARGEST_GENERATION - int.from_bytes(record_row_key[-8:], "big")
