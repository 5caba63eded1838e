"""What the index of names has for a name: the part of a key that is of the name alone."""

from __future__ import annotations

from retrieval.record import NameKind
from retrieval.store.lmdb.keys import is_long, text_key

KIND_BYTES = {
    NameKind.PATH: b"p",
    NameKind.SYMBOL: b"s",
    NameKind.USES: b"u",
    NameKind.IMPORTS: b"i",
    NameKind.REFERS: b"r",
    NameKind.BASES: b"b",
    NameKind.TESTED: b"e",
    NameKind.PACKAGE: b"g",
    NameKind.SPEAKER: b"t",
}
KIND_OF_VALUE = {kind.value: byte for kind, byte in KIND_BYTES.items()}


class NameKeys(dict[tuple[str, str], tuple[bytes, bytes]]):
    """(kind and text key, full text where it is too long for a key) of names, each (kind, text); fills itself."""

    def __missing__(self, name: tuple[str, str]) -> tuple[bytes, bytes]:
        raw = name[1].encode()
        made = self[name] = (KIND_OF_VALUE[name[0]] + text_key(raw), raw if is_long(raw) else b"")
        return made
