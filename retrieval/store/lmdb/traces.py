"""Looking for rows that mention what was deleted: every key of the tenant is passed, by rules of this module alone.

Deleting and looking share no code that finds rows, so that a table which deleting forgets is seen here. A row mentions
a namespace where it carries its name or its number, or the id of a record of it; and since neither number nor ids can
be known of a namespace that is gone, so does a row whose number or id belongs to no namespace that has a name. Keys
that begin with a namespace's number lie together, so of those of other namespaces only the first is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from retrieval.store.interface import Traces
from retrieval.store.lmdb.codec import decode_record, is_removed
from retrieval.store.lmdb.keys import digest_of, lookup_bytes, text_key
from retrieval.store.lmdb.layout import NEXT_RECORD_KEY, U32, U64
from retrieval.store.lmdb.vectors import MODEL_BYTES
from retrieval.store.lmdb.view import TenantView
from retrieval.text.embedding import embedding_digest, embedding_text
from workingset.vocabulary import AgentId, Generation, Namespace

_TENANT = U32.size
_SPACE = _TENANT + U32.size
_HASH = len(digest_of(b""))


def of_agent(view: TenantView, agent: AgentId) -> Traces:
    """Rows that mention the agent, by table."""
    raw = lookup_bytes(agent)
    return Traces(
        tuple(
            (table, 0 if raw is None else sum(mentions(raw, key) for key in _keys(view, table)))
            for table, mentions in AGENT_PLACES.items()
        )
    )


def of_namespace(view: TenantView, namespace: Namespace) -> Traces:
    """Rows that mention the namespace or belong to none, by table."""
    looking = _Looking(view, namespace)
    return Traces(tuple((table, count(looking, table)) for table, count in NAMESPACE_PLACES.items()))


def _keys(view: TenantView, table: str) -> Iterator[bytes]:
    return view.rows.keys(getattr(view.rows.tables, table), view.key)


class _Looking:
    """Counts rows of one namespace, and of none, among those of others."""

    def __init__(self, view: TenantView, namespace: Namespace) -> None:
        self._view = view
        self._namespace = namespace
        self._name = lookup_bytes(namespace)
        self._spaces: dict[bytes, bool] = {}
        self._others_ids: bytearray | None = None

    def spaces(self, table: str) -> int:
        """Rows of `spaces`."""
        return sum(key[_TENANT:] == self._name for key in _keys(self._view, table))

    def space_names(self, table: str) -> int:
        """Rows of `space_names`."""
        return sum(value == self._name or self._is_it(key[_TENANT:]) for key, value in self._rows(table))

    def by_space(self, table: str) -> int:
        """Rows of a table whose keys begin with the number of a namespace."""
        rows, found = self._view.rows, 0
        key = rows.first_key(getattr(rows.tables, table), self._view.key)
        while key is not None and key.startswith(self._view.key):
            within = key[:_SPACE]
            if self._is_it(within[_TENANT:]):
                found += sum(1 for _ in rows.keys(getattr(rows.tables, table), within))
            following = U64.unpack(within)[0] + 1
            key = None if following > _LAST else rows.first_key(getattr(rows.tables, table), U64.pack(following))
        return found

    def ids(self, table: str) -> int:
        """Rows of `ids`."""
        return sum(self._is_it(value[: U32.size]) for _, value in self._rows(table))

    def edges(self, table: str) -> int:
        """Rows of `edges`: source, relation, target."""
        return sum(self._has(key[4:12]) or self._has(key[16:24]) for key in _keys(self._view, table))

    def adjacent(self, table: str) -> int:
        """Rows of `adjacent`: id, direction; other id, relation."""
        return sum(self._has(key[4:12]) or self._has(value[:8]) for key, value in self._rows(table))

    def past_edges(self, table: str) -> int:
        """Rows of `past_edges`: id, direction, relation, other id, generation."""
        return sum(self._has(key[4:12]) or self._has(key[17:25]) for key in _keys(self._view, table))

    def lost_needs(self, table: str) -> int:
        """Rows of `lost_needs`: id, direction, other id, relation."""
        return sum(self._has(key[4:12]) or self._has(key[13:21]) for key in _keys(self._view, table))

    def vectors(self, table: str) -> int:
        """Vectors of texts that no version of a record has."""
        known: set[bytes] | None = None
        found = 0
        for key in _keys(self._view, table):
            known = known if known is not None else self._text_keys()
            found += key[_TENANT + MODEL_BYTES :] not in known
        return found

    def _rows(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        return self._view.rows.scan(getattr(self._view.rows.tables, table), self._view.key)

    def _is_it(self, number: bytes) -> bool:
        """True for the namespace's number, and for a number that no namespace has."""
        known = self._spaces.get(number)
        if known is None:
            space = self._view.space_by_key(number)
            known = space is None or space.key != number or space.namespace == self._namespace
            self._spaces[number] = known
        return known

    def _has(self, record: bytes) -> bool:
        """True for the id of a record of the namespace, and for an id that no record has."""
        if self._others_ids is None:
            self._others_ids = self._ids_of_others()
        record_id = int.from_bytes(record, "big")
        return record_id >= len(self._others_ids) or not self._others_ids[record_id]

    def _ids_of_others(self) -> bytearray:
        last = self._view.last_id(NEXT_RECORD_KEY)
        known = bytearray(last + 1)
        for key, value in self._rows("ids"):
            record_id = int.from_bytes(key[_TENANT:], "big")
            if record_id <= last and not self._is_it(value[: U32.size]):
                known[record_id] = 1
        return known

    def _text_keys(self) -> set[bytes]:
        return {
            text_key(embedding_digest(embedding_text(decode_record(value, Namespace(""), Generation(0)))).encode())
            for key, value in self._rows("records")
            if not is_removed(value) and self._view.space_by_key(key[_TENANT:_SPACE]) is not None
        }


_LAST = 2**64 - 1

AGENT_PLACES: dict[str, Callable[[bytes, bytes], bool]] = {
    "sets": lambda raw, key: key[_TENANT:] == raw,
    "receipts": lambda raw, key: key[_TENANT : -U64.size] == text_key(raw),
    "retained": lambda raw, key: key[_TENANT : -U64.size] == text_key(raw),
    "answers": lambda raw, key: key[_TENANT:-_HASH] == text_key(raw),
    "answer_order": lambda raw, key: key[_TENANT : -U64.size] == text_key(raw),
}
"""Tables whose rows are of one agent, and whether a row of that key is of the agent with these bytes."""

NAMESPACE_PLACES: dict[str, Callable[[_Looking, str], int]] = {
    "spaces": _Looking.spaces,
    "space_names": _Looking.space_names,
    "refs": _Looking.by_space,
    "ids": _Looking.ids,
    "records": _Looking.by_space,
    "names": _Looking.by_space,
    "paths": _Looking.by_space,
    "sources": _Looking.by_space,
    "changes": _Looking.by_space,
    "counts": _Looking.by_space,
    "edges": _Looking.edges,
    "adjacent": _Looking.adjacent,
    "past_edges": _Looking.past_edges,
    "lost_needs": _Looking.lost_needs,
    "vectors": _Looking.vectors,
    "space_marks": _Looking.by_space,
    "purged": _Looking.by_space,
    "horizons": _Looking.by_space,
}
"""Tables whose rows are of one namespace, and how those are counted that are of the one looked for, or of none."""

NEITHER = frozenset({"meta", "tenants", "relations", "relation_names", "marks"})
"""Tables whose rows are of no agent and no namespace: of the store, or of a tenant as a whole."""
