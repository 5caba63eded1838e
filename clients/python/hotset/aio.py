"""The asyncio client: the same calls as `hotset.client`, awaited."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterable

from hotset import _pages
from hotset import types as t
from hotset._aio_attention import AsyncAttention
from hotset._base import directory
from hotset._wire import corpus_calls, ingest, operator, sources
from hotset._wire.health import health


class AsyncHotsetClient(AsyncAttention):
    """A connection to `hotsetd` within one event loop; close it, or use it as an async context manager.

    Parameters, deadlines, retries, autostart and errors are those of `HotsetClient`, and so is what each call does.
    Cancelling the task that awaits a call cancels it in the daemon.
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
    ) -> AsyncGenerator[t.IngestEvent, None]:
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
    ) -> AsyncGenerator[t.IngestEvent, None]:
        """Send files' contents; yields an acknowledgement for each durable batch and, last, the summary.

        With `completes_source`, documents of the source that are not sent are tombstoned. A sequence is sent again
        where the connection is lost (its acknowledgements then come again, marked as replayed); an iterator is not.
        Either is read in a thread, not in the event loop.
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
    ) -> AsyncGenerator[t.IngestEvent, None]:
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
    ) -> AsyncGenerator[t.IngestEvent, None]:
        """Send turns in the order in which they were said; yields as `ingest_documents` does.

        New turns go behind the last one of their conversation; several conversations may be mixed.
        """
        stream = ingest.turns(ingest.ticket(namespace, source, request_id), turns, settings=self._settings)
        return self._events(stream, timeout_seconds)

    async def remove(
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
        return await self._run(call, timeout_seconds)

    async def get(self, ref: str, *, cut: t.Cut | None = None, timeout_seconds: float | None = None) -> t.GetAnswer:
        """Return a record with its relations."""
        return await self._run(corpus_calls.get(ref, cut), timeout_seconds)

    async def list_records(
        self,
        namespace: str,
        *,
        kind: str = "",
        path_prefix: str = "",
        page_size: int = 0,
        timeout_seconds: float | None = None,
    ) -> AsyncIterator[t.StoredRecord]:
        """Yield every record of a namespace, without texts. The deadline is each page's own.

        Raises StaleCursor where the namespace changed between two pages: begin anew.
        """
        cursor = ""
        while True:
            page = await self.list_page(
                namespace,
                kind=kind,
                path_prefix=path_prefix,
                page_size=page_size,
                cursor=cursor,
                timeout_seconds=timeout_seconds,
            )
            for record in page.records:
                yield record
            cursor = page.next_cursor
            if not cursor:
                return

    async def list_page(
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
        return await self._run(call, timeout_seconds)

    async def describe_namespace(
        self, namespace: str, *, timeout_seconds: float | None = None
    ) -> t.NamespaceDescription:
        """Return what a namespace holds and how far its indexes are."""
        return await self._run(corpus_calls.describe_namespace(namespace), timeout_seconds)

    # --- sources ---

    async def add_source(
        self, namespace: str, root: str | os.PathLike[str], *, timeout_seconds: float | None = None
    ) -> t.AddSourceAnswer:
        """Have the daemon follow a directory of its own machine from now on, over restarts too.

        Answers before it is read: `list_sources` says how far it is.
        """
        return await self._run(sources.add(namespace, directory(root)), timeout_seconds)

    async def remove_source(
        self,
        namespace: str,
        root: str | os.PathLike[str],
        *,
        keep_records: bool = False,
        timeout_seconds: float | None = None,
    ) -> t.RemoveSourceAnswer:
        """End that, and tombstone the records that the source brought unless they are to be kept."""
        call = sources.remove(namespace, directory(root), keep_records=keep_records)
        return await self._run(call, timeout_seconds)

    async def list_sources(self, namespace: str = "", *, timeout_seconds: float | None = None) -> t.SourceList:
        """Return how the followed directories stand, of one namespace or of all."""
        return await self._run(sources.list_sources(namespace), timeout_seconds)

    # --- upkeep ---

    async def collect(
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
        return await self._run(call, timeout_seconds)

    # --- the daemon itself ---

    async def health(self, service: str = "", *, timeout_seconds: float | None = None) -> t.Health:
        """Return the daemon's word on whether it, or one service of it, serves."""
        return await self._run(health(service), timeout_seconds)

    async def wait_ready(self, *, timeout_seconds: float | None = None) -> None:
        """Wait until the daemon serves; raise why it does not when the deadline comes."""
        await self._drive(self._conduct.wait_ready(timeout_seconds))

    async def handshake(self, *, agent: str | None = None, timeout_seconds: float | None = None) -> t.Versions:
        """Return the daemon's versions; raise VersionMismatch where it speaks another protocol."""
        named = (self._agent or "default") if agent is None else agent
        return await self._drive(_pages.handshake(self._conduct, named, timeout_seconds))
