"""What a turn was decided from, as bytes: enough to decide it again, and no text that the store has already.

Retained are the set before the turn as it was stored, the projection without the texts of its candidates, the order,
and fingerprints of what else decides: the settings of the core, its code, and the token counter. Texts are found again
by ref and generation, and are the same or are told not to be by their digest.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec
import zstandard
from xxhash import xxh3_128, xxh3_128_hexdigest

import workingset
from hotsetd import __version__
from hotsetd.errors import NotRetained
from retrieval.errors import StoreCorrupt
from retrieval.store.interface import Snapshot
from workingset.candidate import Candidate, Projection, Renderings
from workingset.settings import WorkingSetSettings
from workingset.transitions.focus import FocusOrder
from workingset.vocabulary import Cut, Digest, Generation, Ref

_Bare: TypeAlias = tuple[Any, ...]
FORMAT = 1
"""Raised whenever what is retained changes its meaning; what another format holds cannot be replayed."""
_LEVEL = 1
_LARGEST_BYTES = 64 * 1024 * 1024
_FIELDS = tuple(field.name for field in fields(Candidate) if field.name != "renderings")
_values = attrgetter(*_FIELDS)


@dataclass(frozen=True, slots=True)
class Decided:
    """What one turn was decided from, but the set before it: `inputs` are bytes that only the same code reads.

    `settings` and `code` are fingerprints, `receipt_digest` is what came of it at the cut.
    """

    settings: str
    code: str
    cut: Cut
    receipt_digest: Digest
    inputs: bytes


@dataclass(frozen=True, slots=True)
class Retained:
    """What is stored of a turn: the set `before` it as stored, empty for none, and the digest of the set after it."""

    decided: Decided
    before: bytes
    state_digest: Digest


class Inputs(msgspec.Struct, frozen=True, array_like=True):
    """The order and the projection, whose candidates are beside it: ranked, support and known, each as its `_FIELDS`
    and how many characters its text has."""

    order: FocusOrder
    projection: Projection
    candidates: tuple[tuple[_Bare, ...], tuple[_Bare, ...], tuple[_Bare, ...]]


@cache
def core_fingerprint() -> str:
    """Name the code of the core: a digest of its source, or the version where the source is not at hand."""
    digest = xxh3_128()
    sources = sorted(_sources(files(workingset)), key=lambda named: named[0])
    for name, source in sources:
        digest.update(f"{name}\0".encode() + source)
    return digest.hexdigest() if sources else __version__


def _sources(folder: Traversable, within: str = "") -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        name = f"{within}{entry.name}"
        if entry.is_dir():
            found += _sources(entry, f"{name}/")
        elif entry.name.endswith(".py"):
            found.append((name, entry.read_bytes()))
    return found


def settings_fingerprint(settings: WorkingSetSettings, counter: str) -> str:
    """Name the settings of the core and the token counter."""
    return xxh3_128_hexdigest(msgspec.msgpack.encode((counter, settings)))


class Retaining:
    """Encodes and decodes what turns were decided from. Safe from any thread."""

    def __init__(self, settings: WorkingSetSettings, counter: str) -> None:
        self.settings = settings_fingerprint(settings, counter)
        self.code = core_fingerprint()
        self._decoder = msgspec.msgpack.Decoder(Inputs)

    def encode(self, order: FocusOrder, projection: Projection, receipt_digest: Digest) -> Decided:
        """One turn's inputs, without texts."""
        rest = replace(projection, ranked=(), support=(), known=(), timings_ms=())
        parts = (projection.ranked, projection.support, projection.known)
        packed = msgspec.msgpack.encode((order, rest, [tuple(map(_bare, part)) for part in parts]))
        inputs = zstandard.ZstdCompressor(level=_LEVEL).compress(packed)
        return Decided(self.settings, self.code, projection.cut, receipt_digest, inputs)

    def decode(self, decided: Decided) -> Inputs:
        """The inputs, candidates without their texts; raises StoreCorrupt."""
        try:
            return self._decoder.decode(zstandard.ZstdDecompressor().decompress(decided.inputs, _LARGEST_BYTES))
        except (zstandard.ZstdError, msgspec.DecodeError) as error:
            raise StoreCorrupt(f"what a turn was decided from does not decode: {error}") from error


def row_of(before: bytes, after: bytes, decided: Decided) -> bytes:
    """The row to store: the set before and after the turn as stored, and what the turn was decided from."""
    retained = Retained(decided, before, Digest(xxh3_128_hexdigest(after)))
    return bytes([FORMAT]) + msgspec.msgpack.encode(retained)


def retained_of(row: bytes) -> Retained:
    """The parts of a stored row; raises StoreCorrupt, and NotRetained for another format."""
    if row[:1] != bytes([FORMAT]):
        raise NotRetained(f"the turn was retained in format {row[:1].hex()}; this version replays format {FORMAT}")
    try:
        return _decode_row(memoryview(row)[1:])
    except msgspec.DecodeError as error:
        raise StoreCorrupt(f"what a turn was decided from does not decode: {error}") from error


_decode_row = msgspec.msgpack.Decoder(Retained).decode


def _bare(candidate: Candidate) -> _Bare:
    return (*_values(candidate), len(candidate.renderings.full))


def projection_of(txn: Snapshot, inputs: Inputs) -> Projection:
    """The projection with its candidates and their texts as they were.

    Raises CutExpired where their history was collected, and NotRetained where they are gone or are not the same.
    """
    cut = inputs.projection.cut
    ranked, support, known = (tuple([_with_text(txn, bare, cut) for bare in part]) for part in inputs.candidates)
    return replace(inputs.projection, ranked=ranked, support=support, known=known)


def _with_text(txn: Snapshot, bare: _Bare, cut: Cut) -> Candidate:
    *values, characters = bare
    named = dict(zip(_FIELDS, values, strict=True))
    texts = _texts(txn, named, cut) if characters else Renderings("", "", "")
    if len(texts.full) != characters:
        raise NotRetained(f"the text of {named['ref']!r} at generation {named['generation']} is not the same any more")
    try:
        return msgspec.convert({**named, "renderings": texts}, Candidate)
    except msgspec.ValidationError as error:
        raise StoreCorrupt(f"a candidate of a retained turn does not decode: {error}") from error


def _texts(txn: Snapshot, named: dict[str, Any], cut: Cut) -> Renderings:
    ref, generation = Ref(named["ref"]), Generation(named["generation"])
    record = txn.record(ref)
    if record is not None and record.generation != generation:
        record = txn.record(ref, cut.at(record.namespace) or generation)
    if record is not None and record.removed:  # its last text was shown, under the tombstone's generation
        record = txn.record(ref, Generation(record.generation - 1))
    elif record is not None and record.generation != generation:
        record = None
    if record is None or record.digest != named["digest"]:
        raise NotRetained(f"the text of {ref!r} at generation {generation} is not there any more")
    return Renderings(record.text, record.outline, record.gist)
