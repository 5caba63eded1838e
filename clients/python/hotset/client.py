"""The synchronous client."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from hotset import _pages
from hotset import types as t
from hotset._base import directory
from hotset._sync_attention import SyncAttention
from hotset._wire import corpus_calls, ingest, operator, sources
from hotset._wire.health import health


class HotsetClient(SyncAttention):
    """A connection to `hotsetd`, safe to share between threads; close it, or use it as a context manager.

    `address` is `unix:/path` or `host:port` on loopback; without it, `home` names the daemon's home, else
    `$HOTSET_ADDRESS`, else the socket in `$HOTSET_HOME` or `~/.local/state/hotset`. `agent` is taken by calls that
    name none. Every call has a deadline (`timeout_seconds`, else the client's); calls that are safe to repeat are
    repeated while the daemon is unavailable. Writes get a random `request_id`, which makes them so; an empty one
    turns that off. With `autostart` a local daemon is started where none answers.

    Every call raises a `HotsetError`; nothing of gRPC or protobuf comes out.
    """

    # --- knowledge ---

    def ingest_tree(
        self,
        namespace: str,
        root: str | os.PathLike[str],
        *,
        force: bool = False,
        source: str = "",
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> Iterator[t.IngestEvent]:
        """Have the daemon read a directory of its own machine; yields progress and, last, the summary.

        The events must be consumed: leaving the loop cancels the ingest. Batches that were committed stay.
        """
        stream = ingest.tree(ingest.ticket(namespace, source, request_id), directory(root), force=force)
        return self._events(stream, timeout_seconds)

    def ingest_documents(
        self,
        namespace: str,
        documents: Iterable[t.Document],
        *,
        source: str = "",
        completes_source: bool = False,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> Iterator[t.IngestEvent]:
        """Send files' contents; yields an acknowledgement for each durable batch and, last, the summary.

        With `completes_source`, documents of the source that are not sent are tombstoned. A sequence is sent again
        where the connection is lost (its acknowledgements then come again, marked as replayed); an iterator is not.
        """
        stream = ingest.documents(
            ingest.ticket(namespace, source, request_id),
            documents,
            completes_source=completes_source,
            settings=self._settings,
        )
        return self._events(stream, timeout_seconds)

    def ingest_records(
        self,
        namespace: str,
        records: Iterable[t.RecordInput],
        edges: Iterable[t.EdgeInput] = (),
        *,
        source: str = "",
        completes_source: bool = False,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> Iterator[t.IngestEvent]:
        """Send typed records and then their edges; yields as `ingest_documents` does."""
        stream = ingest.records(
            ingest.ticket(namespace, source, request_id),
            records,
            edges,
            completes_source=completes_source,
            settings=self._settings,
        )
        return self._events(stream, timeout_seconds)

    def ingest_conversation(
        self,
        namespace: str,
        turns: Iterable[t.ConversationTurn],
        *,
        source: str = "",
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> Iterator[t.IngestEvent]:
        """Send turns in the order in which they were said; yields as `ingest_documents` does.

        New turns go behind the last one of their conversation; several conversations may be mixed.
        """
        stream = ingest.turns(ingest.ticket(namespace, source, request_id), turns, settings=self._settings)
        return self._events(stream, timeout_seconds)

    def remove(
        self,
        namespace: str,
        *,
        refs: Iterable[str] = (),
        source: str = "",
        path: str = "",
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.RemoveAnswer:
        """Tombstone records by ref, or all of a source or path."""
        call = corpus_calls.remove(namespace, refs=refs, source=source, path=path, repeat_id=request_id)
        return self._run(call, timeout_seconds)

    def get(self, ref: str, *, cut: t.Cut | None = None, timeout_seconds: float | None = None) -> t.GetAnswer:
        """Return a record with its relations."""
        return self._run(corpus_calls.get(ref, cut), timeout_seconds)

    def list_records(
        self,
        namespace: str,
        *,
        kind: str = "",
        path_prefix: str = "",
        page_size: int = 0,
        timeout_seconds: float | None = None,
    ) -> Iterator[t.StoredRecord]:
        """Yield every record of a namespace, without texts. The deadline is each page's own.

        Raises StaleCursor where the namespace changed between two pages: begin anew.
        """
        cursor = ""
        while True:
            page = self.list_page(
                namespace,
                kind=kind,
                path_prefix=path_prefix,
                page_size=page_size,
                cursor=cursor,
                timeout_seconds=timeout_seconds,
            )
            yield from page.records
            cursor = page.next_cursor
            if not cursor:
                return

    def list_page(
        self,
        namespace: str,
        *,
        kind: str = "",
        path_prefix: str = "",
        page_size: int = 0,
        cursor: str = "",
        timeout_seconds: float | None = None,
    ) -> t.ListPage:
        """Return one page of a namespace's records; `cursor` comes from the page before."""
        call = corpus_calls.list_page(namespace, kind=kind, path_prefix=path_prefix, page_size=page_size, cursor=cursor)
        return self._run(call, timeout_seconds)

    def describe_namespace(self, namespace: str, *, timeout_seconds: float | None = None) -> t.NamespaceDescription:
        """Return what a namespace holds and how far its indexes are."""
        return self._run(corpus_calls.describe_namespace(namespace), timeout_seconds)

    # --- sources ---

    def add_source(
        self, namespace: str, root: str | os.PathLike[str], *, timeout_seconds: float | None = None
    ) -> t.AddSourceAnswer:
        """Have the daemon follow a directory of its own machine from now on, over restarts too.

        Answers before it is read: `list_sources` says how far it is.
        """
        return self._run(sources.add(namespace, directory(root)), timeout_seconds)

    def remove_source(
        self,
        namespace: str,
        root: str | os.PathLike[str],
        *,
        keep_records: bool = False,
        timeout_seconds: float | None = None,
    ) -> t.RemoveSourceAnswer:
        """End that, and tombstone the records that the source brought unless they are to be kept."""
        call = sources.remove(namespace, directory(root), keep_records=keep_records)
        return self._run(call, timeout_seconds)

    def list_sources(self, namespace: str = "", *, timeout_seconds: float | None = None) -> t.SourceList:
        """Return how the followed directories stand, of one namespace or of all."""
        return self._run(sources.list_sources(namespace), timeout_seconds)

    # --- upkeep ---

    def collect(
        self,
        namespace: str = "",
        *,
        before_generation: int | None = None,
        older_than_seconds: int | None = None,
        dry_run: bool = False,
        timeout_seconds: float | None = None,
    ) -> t.CollectAnswer:
        """Delete history: what only cuts before a generation, or older than so long, could show. Twice is once.

        Reading at such a cut raises CutExpired from then on. An age goes for one namespace or, without one, for all;
        a generation is of one namespace. With `dry_run` it is only said what would go.
        """
        call = operator.collect(
            namespace,
            before_generation=before_generation,
            older_than_seconds=older_than_seconds,
            dry_run=dry_run,
        )
        return self._run(call, timeout_seconds)

    # --- the daemon itself ---

    def health(self, service: str = "", *, timeout_seconds: float | None = None) -> t.Health:
        """Return the daemon's word on whether it, or one service of it, serves."""
        return self._run(health(service), timeout_seconds)

    def wait_ready(self, *, timeout_seconds: float | None = None) -> None:
        """Wait until the daemon serves; raise why it does not when the deadline comes."""
        self._drive(self._conduct.wait_ready(timeout_seconds))

    def handshake(self, *, agent: str | None = None, timeout_seconds: float | None = None) -> t.Versions:
        """Return the daemon's versions; raise VersionMismatch where it speaks another protocol."""
        named = (self._agent or "default") if agent is None else agent
        return self._drive(_pages.handshake(self._conduct, named, timeout_seconds))
