"""What of each namespace waits for a vector, and what is to be embedded next."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from retrieval.index.change_pages import ChangePage
from retrieval.index.positions import START, Position
from workingset.vocabulary import Generation, Namespace, TenantId

Scope = tuple[TenantId, Namespace]
_NOTHING: Final[Mapping[int, Scope]] = {}


@dataclass(slots=True)
class _Followed:
    """How far one namespace was scanned, and the record ids that wait, oldest change first."""

    scanned: Position = START
    pending: OrderedDict[int, Generation] = field(default_factory=OrderedDict)


class _Latest:
    """Record ids of which the latest call's come first; the oldest calls' are forgotten."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self.ids: OrderedDict[tuple[TenantId, int], None] = OrderedDict()

    def put(self, tenant: TenantId, record_ids: Iterable[int]) -> None:
        for record_id in reversed(list(record_ids)):
            self.ids[tenant, record_id] = None
            self.ids.move_to_end((tenant, record_id))
        while len(self.ids) > self._most:
            self.ids.popitem(last=False)

    def waiting(self, waiting: Mapping[TenantId, Mapping[int, Scope]]) -> Iterator[tuple[Scope, int]]:
        """Those of them that wait, and where."""
        for tenant, record_id in reversed(self.ids) if any(waiting.values()) else ():
            scope = waiting.get(tenant, _NOTHING).get(record_id)
            if scope is not None:
                yield scope, record_id


class VectorQueue:
    """Positions and waiting records of all namespaces. Safe from any thread; no call takes long: what is remembered
    costs one look-up each, however many namespaces there are."""

    def __init__(self, preferred_records: int, near_records: int) -> None:
        """`preferred_records` bounds what `prefer` remembers, `near_records` what `near` does."""
        self._lock: Final = threading.Lock()
        self._followed: dict[Scope, _Followed] = {}
        self._waiting: defaultdict[TenantId, dict[int, Scope]] = defaultdict(dict)
        self._preferred: Final = _Latest(preferred_records)
        self._near: Final = _Latest(near_records)

    def scanned(self, scope: Scope) -> Position:
        """The last line of the change log that was looked at."""
        with self._lock:
            return self._of(scope).scanned

    def low(self, scope: Scope) -> Position:
        """A position before which nothing of the namespace lacks its vector."""
        with self._lock:
            followed = self._of(scope)
            if not followed.pending:
                return followed.scanned
            oldest = Generation(next(iter(followed.pending.values())) - 1)
            return min(followed.scanned, Position.after(oldest))

    def pending(self, scope: Scope) -> int:
        """How many records of the namespace wait."""
        with self._lock:
            return len(self._of(scope).pending)

    def scopes(self) -> list[Scope]:
        """All namespaces that were ever looked at, sorted."""
        with self._lock:
            return sorted(self._followed)

    def resume(self, scope: Scope, position: Position) -> None:
        """Go on from a position that a saved index is known to be at."""
        with self._lock:
            self._of(scope).scanned = position

    def forget(self, scope: Scope) -> None:
        """Nothing is known of the namespace any more."""
        with self._lock:
            followed = self._followed.pop(scope, None)
            for record_id in followed.pending if followed is not None else ():
                self._waiting[scope[0]].pop(record_id, None)

    def looked_at(self, scope: Scope, page: ChangePage, missing: Collection[int]) -> None:
        """A page was scanned; these of its record ids have no vector yet."""
        with self._lock:
            followed = self._of(scope)
            for record_id, generation in page.changed:
                followed.pending.pop(record_id, None)
                self._waiting[scope[0]].pop(record_id, None)
                if record_id in missing:
                    followed.pending[record_id] = generation
                    self._waiting[scope[0]][record_id] = scope
            followed.scanned = page.position

    def done(self, scope: Scope, record_ids: Iterable[int]) -> None:
        """These wait no longer."""
        with self._lock:
            for record_id in record_ids:
                self._of(scope).pending.pop(record_id, None)
                self._waiting[scope[0]].pop(record_id, None)
                self._preferred.ids.pop((scope[0], record_id), None)
                self._near.ids.pop((scope[0], record_id), None)

    def prefer(self, tenant: TenantId, record_ids: Iterable[int]) -> None:
        """Choose these first where they wait, the latest call's before all; the oldest calls' are forgotten."""
        with self._lock:
            self._preferred.put(tenant, record_ids)

    def near(self, tenant: TenantId, record_ids: Iterable[int]) -> None:
        """Choose these after what is preferred; the latest call's before the earlier ones'."""
        with self._lock:
            self._near.put(tenant, record_ids)

    def chosen(self, most: int) -> list[tuple[Scope, int]]:
        """What to embed next of what waits: preferred records, near ones, then each namespace's newest in turn."""
        with self._lock:
            waiting = {scope: self._followed[scope].pending for scope in sorted(self._followed)}
            waiting = {scope: pending for scope, pending in waiting.items() if pending}
            wanted = chain(self._preferred.waiting(self._waiting), self._near.waiting(self._waiting))
            chosen: dict[tuple[Scope, int], None] = {}
            while len(chosen) < most and (first := next(wanted, None)) is not None:
                chosen[first] = None
            newest = {scope: reversed(pending) for scope, pending in waiting.items()}
            while newest and len(chosen) < most:
                for scope, ids in list(newest.items()):
                    record_id = next(ids, None)
                    if record_id is None:
                        del newest[scope]
                    else:
                        chosen[scope, record_id] = None
            return list(chosen)[:most]

    def _of(self, scope: Scope) -> _Followed:
        return self._followed.setdefault(scope, _Followed())
