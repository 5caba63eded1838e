"""Which record of a file is which after an edit, and refs for new ones.

A ref is the namespace and 12 base32 characters of a hash of path, kind, title and ordinal at first sight. Afterwards
the record keeps it: by kind, title and text; then by kind and title (chunks: by text before title); then by kind and
text; then by likeness of lines (chunks: by order). Equal keys are matched in order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import count

from retrieval.ingest.digests import local_name, record_digest, text_digest
from retrieval.ingest.pieces import Piece
from retrieval.ingest.settings import IdentitySettings
from retrieval.record import Record
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Digest, Namespace, Ref

_Key = Callable[[str, str, str], Hashable]
"""(kind, title, text digest) → what must be equal; None takes no part."""

_ROUNDS: tuple[_Key, ...] = (
    lambda kind, title, digest: (kind, title, digest),
    lambda kind, title, digest: (kind, digest) if kind == "chunk" else (kind, title),
    lambda kind, title, digest: (kind, title) if kind == "chunk" else (kind, digest),
)


def assign_refs(
    snapshot: Snapshot,
    namespace: Namespace,
    path: str,
    earlier: Sequence[Record],
    pieces: Sequence[Piece],
    settings: IdentitySettings,
    first: Sequence[str] = (),
) -> list[Ref]:
    """Return a ref for each piece. `earlier` are the live records that the file had, in order of their lines.

    `first` are the pieces' `first_names`, if they are known.
    """
    matched = match(earlier, pieces, settings)
    taken = {record.ref for record in earlier}
    names = first or first_names(path, pieces)
    refs: list[Ref] = []
    for at, (piece, name) in enumerate(zip(pieces, names, strict=True)):
        if at in matched:
            refs.append(matched[at].ref)
            continue
        ref = Ref(f"{namespace}:{name}")
        if not _is_free(snapshot, ref, taken):
            ordinal = sum(other.kind == piece.kind and other.title == piece.title for other in pieces[:at])
            ref = _fresh(snapshot, namespace, (path, piece.kind, piece.title, str(ordinal)), taken)
        taken.add(ref)
        refs.append(ref)
    return refs


def first_names(path: str, pieces: Sequence[Piece]) -> tuple[str, ...]:
    """What the pieces' refs end with at first sight: hashes of path, kind, title and ordinal among their equals."""
    ordinals: Counter[tuple[str, str]] = Counter()
    names: list[str] = []
    for piece in pieces:
        ordinal = ordinals[piece.kind, piece.title]
        ordinals[piece.kind, piece.title] += 1
        names.append(local_name(path, piece.kind, piece.title, str(ordinal)))
    return tuple(names)


def digests_of(path: str, pieces: Sequence[Piece]) -> tuple[Digest, ...]:
    """The pieces' digests as records."""
    return tuple(record_digest(piece.kind, piece.title, path, piece.text) for piece in pieces)


def match(earlier: Sequence[Record], pieces: Sequence[Piece], settings: IdentitySettings) -> dict[int, Record]:
    """Return which earlier record each piece, by its position, continues."""
    if not earlier:
        return {}
    matched: dict[int, Record] = {}
    left = list(earlier)
    digests = {record.ref: text_digest(record.text) for record in earlier}
    open_pieces = [(at, piece, text_digest(piece.text)) for at, piece in enumerate(pieces)]
    for key in _ROUNDS:
        waiting: defaultdict[Hashable, list[Record]] = defaultdict(list)
        for record in reversed(left):
            waiting[key(record.kind, record.title, digests[record.ref])].append(record)
        for at, piece, digest in open_pieces:
            found = waiting.get(key(piece.kind, piece.title, digest))
            if found:
                matched[at] = found.pop()
        kept = {record.ref for record in matched.values()}
        left = [record for record in left if record.ref not in kept]
        open_pieces = [item for item in open_pieces if item[0] not in matched]
        if not left or not open_pieces:
            return matched
    _match_alike(left, [(at, piece) for at, piece, _ in open_pieces if piece.kind != "chunk"], matched, settings)
    chunks = [record for record in left if record.kind == "chunk"]
    matched.update(zip((at for at, piece, _ in open_pieces if piece.kind == "chunk"), chunks, strict=False))
    return matched


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """The share of lines that two texts have in common, of the longer one."""
    longer = max(one.total(), other.total())
    return (one & other).total() / longer if longer else 0.0


def line_counts(text: str) -> Counter[str]:
    """How often each line occurs, blanks at its ends and blank lines left out."""
    return Counter(stripped for line in text.split("\n") if (stripped := line.strip()))


def _match_alike(
    left: Sequence[Record], pieces: Sequence[tuple[int, Piece]], matched: dict[int, Record], settings: IdentitySettings
) -> None:
    """Match what is alike enough, the most alike first."""
    records = [(record, line_counts(record.text)) for record in left if record.kind != "chunk"][: settings.compared]
    pairs: list[tuple[float, int, int, Record]] = []
    for at, piece in pieces[: settings.compared]:
        lines = line_counts(piece.text)
        for order, (record, before) in enumerate(records):
            share = likeness(lines, before) if record.kind == piece.kind else 0.0
            if share >= settings.similar_share:
                pairs.append((-share, at, order, record))
    used: set[Ref] = set()
    for _, at, _, record in sorted(pairs, key=lambda pair: pair[:3]):
        if at not in matched and record.ref not in used:
            matched[at] = record
            used.add(record.ref)


def _fresh(snapshot: Snapshot, namespace: Namespace, parts: tuple[str, ...], taken: set[Ref]) -> Ref:
    """A ref that is free where the first choice is not: it is hashed on."""
    for tried in count(1):
        ref = Ref(f"{namespace}:{local_name(*parts, str(tried))}")
        if _is_free(snapshot, ref, taken):
            return ref
    raise AssertionError("counting has no end")


def _is_free(snapshot: Snapshot, ref: Ref, taken: set[Ref]) -> bool:
    """True for a ref that no live record has: that of a removed one may return."""
    if ref in taken:
        return False
    known = snapshot.record(ref) if snapshot.record_id(ref) is not None else None
    return known is None or known.removed
