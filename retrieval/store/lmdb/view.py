"""What one transaction knows of its tenant: its number, its namespaces and its names for records.

Unknown tenants have the number 0, under which there are no rows: reads find nothing and need no special case.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.errors import BadField, CutExpired
from retrieval.relations import Role
from retrieval.store.lmdb import layout
from retrieval.store.lmdb.keys import LARGEST_KEY_BYTES, encode_text, lookup_bytes
from retrieval.store.lmdb.layout import U32, U64
from retrieval.store.lmdb.name_keys import NameKeys
from retrieval.store.lmdb.rows import Row, Rows
from workingset.vocabulary import Generation, Namespace, Ref, TenantId

_NOBODY = U32.pack(0)
_UNASKED = -1


@dataclass(slots=True)
class Space:
    """A namespace's number and its counts. `kinds` and `relations` hold changes not yet written to `counts`.

    `horizon` is the oldest generation that can be read at.
    """

    key: bytes
    namespace: Namespace
    generation: Generation
    records: int
    edges: int
    horizon: Generation = Generation(0)
    touched: bool = False
    kinds: dict[str, int] = field(default_factory=dict)
    relations: dict[int, int] = field(default_factory=dict)

    def touch(self) -> Generation:
        """Raise the generation, once in a transaction, and return it."""
        if not self.touched:
            self.touched = True
            self.generation = Generation(self.generation + 1)
        return self.generation

    def check_held(self, at: Generation | None) -> None:
        """Raise CutExpired where the history that a read at the generation needs was collected."""
        if at is not None and at < self.horizon:
            raise CutExpired(
                f"the history of {self.namespace!r} before generation {self.horizon} was collected, and {at} was asked "
                f"for: ask at {self.horizon} or later, or without a cut for the newest"
            )


def split(ref: Ref) -> tuple[Namespace, str] | None:
    """Return a ref's namespace and its name within it; None where it has no colon."""
    namespace, colon, local = ref.partition(":")
    return (Namespace(namespace), local) if colon else None


def check_ref(ref: Ref, namespace: Namespace) -> str:
    """Return a ref's name within its namespace; raises BadField where it cannot be a key or is of another one."""
    parts = split(ref)
    if parts is None or parts[0] != namespace:
        raise BadField("ref", f"{ref!r} is not of the form namespace:name with the record's namespace {namespace!r}")
    taken = len(encode_text("ref", parts[1]))
    if taken > LARGEST_KEY_BYTES - 8:
        raise BadField("ref", f"the part after the colon takes {taken} bytes of at most {LARGEST_KEY_BYTES - 8}")
    return parts[1]


class TenantView:
    """A transaction's rows as one tenant's."""

    __slots__ = (
        *(
            "_ids",
            "_next_ids",
            "_purged",
            "_space_of",
            "_spaces",
            "key",
            "live",
            "name_keys",
            "path_keys",
            "relation_names",
        ),
        *("relation_numbers", "rows", "tenant"),
    )

    def __init__(self, rows: Rows, tenant: TenantId) -> None:
        self.rows = rows
        self.tenant = tenant
        raw = lookup_bytes(tenant)
        found = rows.get(rows.tables.tenants, raw) if raw and len(raw) <= LARGEST_KEY_BYTES else None
        self.key = found or _NOBODY
        self.relation_names: dict[int, str] = {}
        self.relation_numbers: dict[str, tuple[Role, int]] = {}
        """Relations that this transaction has settled, with their roles."""
        self.live: dict[Ref, tuple[int, Space]] = {}
        """Refs that a writing transaction has seen to have a live record: their numbers and namespaces."""
        self.name_keys = NameKeys()
        self.path_keys: dict[tuple[str, str], tuple[bytes, bytes]] = {}
        """Text keys of paths, and those with their source, that this transaction has written."""
        self._spaces: dict[Namespace, Space] = {}
        self._space_of: dict[bytes, Space] = {}
        self._ids: dict[Ref, int | None] = {}
        self._next_ids: dict[bytes, int] = {}
        self._purged: frozenset[bytes] | None = None

    def space(self, namespace: Namespace) -> Space | None:
        """The namespace, or None where it was never written."""
        space = self._spaces.get(namespace)
        if space is None:
            raw = lookup_bytes(namespace)
            if raw is None or len(raw) > LARGEST_KEY_BYTES - len(self.key):
                return None
            row = self.rows.get(self.rows.tables.spaces, self.key + raw)
            if row is None:
                return None
            number, generation, records, edges = layout.SPACE_ROW.unpack(row)
            space = Space(U32.pack(number), namespace, Generation(generation), records, edges)
            held = self.rows.get(self.rows.tables.horizons, self.key + space.key)
            if held is not None:
                space.horizon = Generation(layout.HORIZON_ROW.unpack_from(held)[0])
            self._remember(space)
        return space

    def space_by_key(self, key: bytes) -> Space | None:
        """The namespace of a number, or None where the tenant has none such."""
        space = self._space_of.get(key)
        if space is None:
            name = self.rows.get(self.rows.tables.space_names, self.key + key)
            space = None if name is None else self.space(Namespace(name.decode()))
        return space

    def spaces(self) -> tuple[Namespace, ...]:
        """Names of all namespaces, sorted."""
        start = len(self.key)
        written = {Namespace(key[start:].decode()) for key, _ in self.rows.scan(self.rows.tables.spaces, self.key)}
        written.update(space.namespace for space in self.touched())
        return tuple(sorted(written))

    @property
    def purged(self) -> frozenset[bytes]:
        """Numbers of the namespaces that are gone and whose rows are still being deleted."""
        if self._purged is None:
            rows = self.rows.scan(self.rows.tables.purged, self.key)
            self._purged = frozenset(key[len(self.key) :] for key, _ in rows)
        return self._purged

    def is_purged(self, record_id: int) -> bool:
        """True for a record of such a namespace."""
        if not self.purged:
            return False
        row = self.rows.get(self.rows.tables.ids, layout.ID_KEY.pack(self.key, record_id))
        return row is not None and row[:4] in self.purged

    def relation_number(self, relation: str, role: Role) -> int | None:
        """The number of a relation that this transaction has settled with that role."""
        known = self.relation_numbers.get(relation)
        return known[1] if known is not None and known[0] is role else None

    def record_id(self, ref: Ref) -> int | None:
        """The number of a ref, or None where it was never written."""
        known = self._ids.get(ref, _UNASKED)
        if known is _UNASKED:
            key = self._ref_key(ref)
            row = None if key is None else self.rows.get(self.rows.tables.refs, key)
            known = self._ids[ref] = None if row is None else U64.unpack(row)[0]
        return known

    def located(self, record_id: int) -> tuple[Space, Ref] | None:
        """The namespace and the ref of a record's number, or None where the tenant has none such."""
        if not 0 < record_id <= layout.LARGEST_ID:
            return None
        row = self.rows.get(self.rows.tables.ids, layout.ID_KEY.pack(self.key, record_id))
        space = None if row is None else self.space_by_key(row[:4])
        if row is None or space is None:
            return None
        return space, Ref(f"{space.namespace}:{row[4:].decode()}")

    def _ref_key(self, ref: Ref) -> bytes | None:
        parts = split(ref)
        space = None if parts is None else self.space(parts[0])
        raw = None if parts is None else lookup_bytes(parts[1])
        if space is None or raw is None or len(raw) > LARGEST_KEY_BYTES - 8:
            return None
        return self.key + space.key + raw

    def _remember(self, space: Space) -> None:
        self._spaces[space.namespace] = space
        self._space_of[space.key] = space

    def settle_tenant(self) -> bytes:
        """Give the tenant a number where it has none, and return its key. For writing."""
        if self.key == _NOBODY:
            raw = encode_text("tenant", self.tenant)
            if not 0 < len(raw) <= LARGEST_KEY_BYTES:
                raise BadField("tenant", f"a tenant's name takes 1 to {LARGEST_KEY_BYTES} bytes; this has {len(raw)}")
            self.key = U32.pack(self.next_id(layout.NEXT_TENANT_KEY))
            self.rows.put(self.rows.tables.tenants, raw, self.key)
        return self.key

    def settle_space(self, namespace: Namespace) -> Space:
        """The namespace, made where it was never written. For writing."""
        tenant = self.settle_tenant()
        space = self.space(namespace)
        if space is None:
            raw = encode_text("namespace", namespace)
            if len(raw) > LARGEST_KEY_BYTES - len(tenant):
                raise BadField("namespace", f"a namespace's name takes at most {LARGEST_KEY_BYTES - len(tenant)} bytes")
            floor = Generation(self.floor(layout.GENERATION_FLOOR_KEY))
            space = Space(U32.pack(self.next_id(layout.NEXT_SPACE_KEY)), namespace, floor, 0, 0)
            self.rows.put(self.rows.tables.space_names, tenant + space.key, raw)
            self._remember(space)
        return space

    def allot_ref(self, ref: Ref, space: Space) -> int:
        """A number for a ref that has none. For writing."""
        record_id, by_ref, by_id = self.allot(ref, space)
        self.rows.put(self.rows.tables.refs, *by_ref)
        self.rows.put(self.rows.tables.ids, *by_id)
        return record_id

    def allot(self, ref: Ref, space: Space) -> tuple[int, Row, Row]:
        """A number for a ref that has none, and the rows of `refs` and `ids` that have to be written."""
        local = space.key + ref[len(space.namespace) + 1 :].encode()
        record_id = self._ids[ref] = self.next_id(layout.NEXT_RECORD_KEY)
        number = U64.pack(record_id)
        return record_id, (self.key + local, number), (self.key + number, local)

    def hide_space(self, space: Space) -> None:
        """Take the namespace's name away: no reader finds it or its records again. For writing."""
        self.raise_floor(layout.GENERATION_FLOOR_KEY, space.generation)
        tables = self.rows.tables
        self.rows.delete(tables.spaces, self.key + space.namespace.encode())
        self.rows.delete(tables.space_names, self.key + space.key)
        self.rows.delete(tables.horizons, self.key + space.key)
        self.rows.put(tables.purged, self.key + space.key, b"")
        del self._spaces[space.namespace], self._space_of[space.key]
        self.live.clear()
        self._ids.clear()
        self._purged = None

    def end_purge(self, space_key: bytes) -> None:
        """Say that a purged namespace has no row left. For writing."""
        self.rows.delete(self.rows.tables.purged, self.key + space_key)
        self._purged = None

    def floor(self, name: bytes) -> int:
        """What the tenant's next new things of a kind must be above."""
        row = self.rows.get(self.rows.tables.meta, name + self.key)
        return 0 if row is None else U64.unpack(row)[0]

    def raise_floor(self, name: bytes, to: int) -> None:
        """Move a floor up, never down. For writing."""
        if to > self.floor(name):
            self.rows.put(self.rows.tables.meta, name + self.key, U64.pack(to))

    def next_id(self, counter: bytes) -> int:
        """Allot a number from 1 up; it is used up when the transaction commits. For writing."""
        allotted = self.last_id(counter) + 1
        self._next_ids[counter] = allotted
        return allotted

    def last_id(self, counter: bytes) -> int:
        """The last number that was allotted; 0 for none."""
        last = self._next_ids.get(counter)
        if last is None:
            row = self.rows.get(self.rows.tables.meta, counter)
            last = 0 if row is None else U64.unpack(row)[0]
        return last

    def touched(self) -> list[Space]:
        """The namespaces that this transaction changes."""
        return [space for space in self._spaces.values() if space.touched]

    def flush(self) -> None:
        """Write the counters and generations that this transaction has changed. For writing, at its end."""
        tables = self.rows.tables
        for counter, last in self._next_ids.items():
            self.rows.put(tables.meta, counter, U64.pack(last))
        for space in self.touched():
            row = layout.SPACE_ROW.pack(U32.unpack(space.key)[0], space.generation, space.records, space.edges)
            self.rows.put(tables.spaces, self.key + space.namespace.encode(), row)
