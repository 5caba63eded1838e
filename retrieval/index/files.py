"""Index files that are trusted only when sound: written whole, sealed with a digest, checked on reading."""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xxhash

_MANAGED = ".managed.json"
"""Where tantivy lists the files that are its own; it deletes no others."""

_FOOTER_MAGIC = 1337
_FOOTER_TAIL = struct.Struct("<II")


@dataclass(frozen=True, slots=True)
class Seal:
    """What a lexical index directory says of itself.

    `made_as` names everything that decides its terms and layout. `incarnation` is new whenever the index starts empty.
    `sequence` counts commits. `manifest` is the digest of tantivy's own list of segments at that commit.
    """

    made_as: str
    incarnation: str
    sequence: int
    manifest: str

    def encode(self) -> bytes:
        """One JSON line and its digest on the next."""
        line = json.dumps([self.made_as, self.incarnation, self.sequence, self.manifest]).encode()
        return line + b"\n" + digest_of(line).encode() + b"\n"

    @classmethod
    def decode(cls, content: bytes) -> Seal | None:
        """The seal, or None where the bytes are not one or were changed."""
        line, _, rest = content.partition(b"\n")
        if rest != digest_of(line).encode() + b"\n":
            return None
        made_as, incarnation, sequence, manifest = json.loads(line)
        return cls(made_as, incarnation, sequence, manifest)


def digest_of(content: bytes | bytearray) -> str:
    """Hexadecimal xxh3-128."""
    return xxhash.xxh3_128_hexdigest(content)


def write_whole(path: Path, content: bytes | bytearray) -> None:
    """Write so that the path holds the old or the new content after a crash, never a part. Raises OSError."""
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def damaged_segment(directory: Path, manifest: bytes) -> str:
    """The name of a file of tantivy's that is missing or not as written, or "" where all that matter are sound.

    tantivy ends every segment file with a JSON footer that holds the CRC-32 of what stands before it, but checks it
    only on demand, and offers no demand to Python. The sum does not cover the footer itself, so that has to say the
    same in all files. Raises OSError, ValueError, KeyError or TypeError where a list of files does not parse.
    """
    names = sorted(path.name for path in directory.iterdir())
    managed = {"meta.json"}
    said: dict[str, Any] | None = None
    for segment in json.loads(manifest)["segments"]:
        stem = str(segment["segment_id"]).replace("-", "")
        deletes = segment["deletes"]
        dels = f"{stem}.{deletes['opstamp']}.del" if deletes else ""
        own = [name for name in names if name.startswith(stem) and (name == dels or not name.endswith(".del"))]
        if dels and dels not in own:
            return dels
        for name in own:
            footer = _footer_of_sound(directory / name)
            said = footer if said is None else said
            if footer is None or footer != said:
                return name
        managed.update(own)
    return "" if managed <= set(json.loads((directory / _MANAGED).read_bytes())) else _MANAGED


def _footer_of_sound(path: Path) -> dict[str, Any] | None:
    """What a segment file's footer says but its sum, or None where the file is not as it was written."""
    content = path.read_bytes()
    if len(content) < _FOOTER_TAIL.size:
        return None
    length, magic = _FOOTER_TAIL.unpack_from(content, len(content) - _FOOTER_TAIL.size)
    start = len(content) - _FOOTER_TAIL.size - length
    if magic != _FOOTER_MAGIC or start < 0:
        return None
    try:
        footer: dict[str, Any] = json.loads(content[start : start + length])
        sound = footer.pop("crc") == zlib.crc32(memoryview(content)[:start])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return footer if sound else None
