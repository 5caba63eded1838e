"""A process that parses files for another one: frames of files in, frames of parsed files out, until the end of input.

`main` takes the number of a connected socket from the command line. A frame is its length (u32,
big-endian) and msgpack; the first one in is the settings. All is read by its schema, so that nothing which a parser may
do to this process reaches the other.
"""

from __future__ import annotations

import gc
import resource
import socket
import struct
import sys
import time
from typing import NamedTuple

import msgspec

from retrieval.ingest.collecting import RARELY
from retrieval.ingest.guards import Reason, Refusal
from retrieval.ingest.parsing import parse_file
from retrieval.ingest.pieces import ParsedFile
from retrieval.ingest.settings import IngestSettings
from workingset.vocabulary import Digest

READY = b"ready"
"""The first frame out: the process has all it needs."""
_LENGTH = struct.Struct(">I")


class FileToParse(NamedTuple):
    """A file's path from the root, its bytes and their digest."""

    path: str
    content: bytes
    digest: Digest


class Reply(NamedTuple):
    """What came of the files of a frame, in their order: parsed or refused, and the processor time it took."""

    outcomes: list[tuple[ParsedFile | None, Refusal | None]]
    cpu_seconds: float


class Disconnected(OSError):
    """The other end of the socket is closed."""


encode = msgspec.msgpack.Encoder().encode
decode_settings = msgspec.msgpack.Decoder(IngestSettings).decode
decode_files = msgspec.msgpack.Decoder(list[FileToParse]).decode
decode_reply = msgspec.msgpack.Decoder(Reply).decode


def parse(file: FileToParse, settings: IngestSettings) -> ParsedFile | Refusal:
    """Parse one file; what a parser raises is a refusal."""
    try:
        return parse_file(file.path, file.content, settings, file.digest)
    except Exception as error:  # a parser's own failure is that file's, whatever it is
        return Refusal(Reason.UNPARSABLE, f"{type(error).__name__}: {error}")


def send_frame(connection: socket.socket, content: bytes) -> None:
    """Send one frame; raises OSError, of which TimeoutError."""
    connection.sendall(_LENGTH.pack(len(content)))
    connection.sendall(content)


def receive_frame(connection: socket.socket) -> bytes:
    """Receive one frame; raises OSError, of which Disconnected and TimeoutError."""
    return _receive(connection, _LENGTH.unpack(_receive(connection, _LENGTH.size))[0])


def _receive(connection: socket.socket, size: int) -> bytes:
    content = bytearray(size)
    view = memoryview(content)
    at = 0
    while at < size:
        received = connection.recv_into(view[at:])
        if not received:
            raise Disconnected("the other process has gone")
        at += received
    return bytes(content)


def serve(connection: socket.socket) -> None:
    """Answer frames until the other end closes."""
    settings = decode_settings(receive_frame(connection))
    gc.set_threshold(*RARELY)
    limit = settings.parallel.memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    send_frame(connection, READY)
    while True:
        files = decode_files(receive_frame(connection))
        began = time.process_time()
        outcomes: list[tuple[ParsedFile | None, Refusal | None]] = []
        for file in files:
            outcome = parse(file, settings)
            outcomes.append((None, outcome) if isinstance(outcome, Refusal) else (outcome, None))
        send_frame(connection, encode(Reply(outcomes, time.process_time() - began)))


def main() -> None:
    """Serve the socket that the command names."""
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        try:
            serve(connection)
        except OSError:
            # Whoever started this process has gone, or wants no more of it.
            return
