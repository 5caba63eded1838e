"""Use cases of several calls: all of Resolve, and the version handshake."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hotset import types as t
from hotset._conduct import Conduct, Patience, Steps
from hotset._wire import attention_calls
from hotset._wire.fields import texts
from hotset._wire.shared import PROTOCOL
from hotset.errors import DaemonFault, NotFound


def resolve_all(
    conduct: Conduct, refs: Iterable[str], agent: str, cut: t.Cut | None, timeout_seconds: float | None
) -> Steps[t.ResolveAnswer]:
    """Resolve every ref, whole: follow `remaining` and `next_offset_bytes`.

    Each namespace is read at one generation throughout: that of `cut`, else that of the first reply which reads it.
    """
    wanted = tuple(texts("refs", refs))
    return _resolve_all(conduct, wanted, agent, cut, conduct.patience(timeout_seconds, repeatable=True))


def _resolve_all(
    conduct: Conduct, wanted: tuple[str, ...], agent: str, given: t.Cut | None, patience: Patience
) -> Steps[t.ResolveAnswer]:
    records: list[t.ResolvedRecord] = []
    seen = given or t.Cut()
    while True:
        now, later, known = _next(wanted, seen, conduct.settings.resolve_refs)
        at = given or (seen if known else None)
        call = attention_calls.resolve(now, agent=agent, cut=at, offset_bytes=0, max_bytes=0)
        page = yield from conduct.in_turn(call, patience)
        seen = _joined(seen, page.cut)
        for record in page.records:
            whole = yield from _whole(conduct, record, agent, given or page.cut, patience)
            records.append(whole)
        if len(page.remaining) >= max(1, len(now)):
            raise _stuck(f"none of {len(now)} refs was resolved")
        wanted = (*page.remaining, *later)
        if not wanted:
            return t.ResolveAnswer(tuple(records), seen, page.versions)


def _next(wanted: tuple[str, ...], seen: t.Cut, most: int) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the refs of the next call, those after it, and whether the cut reads the namespaces of the former."""
    known = [seen.at(ref.partition(":")[0]) is not None for ref in wanted[:most]]
    same = next((place for place, each in enumerate(known) if each is not known[0]), len(known))
    return wanted[:same], wanted[same:], bool(known) and known[0]


def _joined(seen: t.Cut, newer: t.Cut) -> t.Cut:
    generations = {each.namespace: each for each in (*newer.generations, *seen.generations)}
    return t.Cut(tuple(generations[name] for name in sorted(generations)))


def _whole(
    conduct: Conduct, record: t.ResolvedRecord, agent: str, cut: t.Cut, patience: Patience
) -> Steps[t.ResolvedRecord]:
    parts = [record.text]
    offset = record.next_offset_bytes
    while offset:
        call = attention_calls.resolve([record.ref], agent=agent, cut=cut, offset_bytes=offset, max_bytes=0)
        page = yield from conduct.in_turn(call, patience)
        if not page.records:
            raise _stuck(f"{record.ref} has more text and none came from byte {offset} on")
        parts.append(page.records[0].text)
        following = page.records[0].next_offset_bytes
        if following and following <= offset:
            raise _stuck(f"{record.ref} does not get beyond byte {offset}")
        offset = following
    return replace(record, text="".join(parts), next_offset_bytes=0)


def _stuck(what: str) -> DaemonFault:
    return DaemonFault(f"Resolve makes no progress: {what}", reason="NO_PROGRESS", what_to_do="report it")


def handshake(conduct: Conduct, agent: str, timeout_seconds: float | None) -> Steps[t.Versions]:
    """Ask the daemon what it is, with a read-only call; raises VersionMismatch where it speaks another protocol."""
    call = attention_calls.status(agent)
    try:
        answer = yield from conduct.run(call, timeout_seconds)
    except NotFound:
        # It answered in this protocol that it has no such agent; more it did not say.
        return t.Versions(protocol=PROTOCOL)
    return answer.versions
