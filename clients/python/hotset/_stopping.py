"""Ending a local daemon in order: the kernel says which process listens on the socket, and that one is told to stop.

No file is believed: a number in one may long be that of another process. Nor can a call do it, since calls also come
over TCP, where nobody knows who sent them; a signal needs the daemon's own user.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct

from hotset.address import Endpoint
from hotset.errors import BadAddress, DeadlineExceeded, NotAuthorised, Unavailable

_CREDENTIALS = struct.Struct("3i")
"""Cited: `struct ucred` of Linux, the listener's process, user and group."""


def stop_daemon(endpoint: Endpoint, timeout_seconds: float) -> int | None:
    """Tell the daemon at a Unix socket to stop, and wait until its process is gone; returns its number, None where none
    listens. Raises BadAddress, NotAuthorised, Unavailable, and DeadlineExceeded where it takes longer."""
    path = endpoint.target.removeprefix("unix:")
    if path == endpoint.target:
        raise BadAddress(
            f"a daemon is stopped by its Unix socket, and {endpoint.target} is none",
            reason="BAD_ADDRESS",
            field="address",
            what_to_do="name its home with --home, or its socket with --address unix:/path",
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        except OSError as error:
            raise NotAuthorised(
                f"cannot reach {endpoint.target}: {error.strerror}",
                reason="NOT_REACHED",
                what_to_do="stop it as the user that it runs as",
            ) from error
        process = _listener(connection, endpoint.target)
        descriptor = _held(process, endpoint.target)
        try:
            # While it holds our connection it is that process, and the descriptor is of no later one.
            if descriptor is not None and not _has_ended(connection):
                _signal(descriptor, process)
                _wait(descriptor, process, timeout_seconds)
        finally:
            if descriptor is not None:
                os.close(descriptor)
    return process


def _listener(connection: socket.socket, target: str) -> int:
    if not hasattr(socket, "SO_PEERCRED") or not hasattr(os, "pidfd_open"):
        raise _untold(target)
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process = int(_CREDENTIALS.unpack(told)[0])
    if process <= 0:  # it is in a container that this process does not see into
        raise _untold(target)
    return process


def _untold(target: str) -> Unavailable:
    return Unavailable(
        f"this system does not say which process listens on {target}",
        reason="NO_PROCESS",
        what_to_do="send the process hotsetd a SIGTERM",
    )


def _held(process: int, target: str) -> int | None:
    """A descriptor of the process; None where it has ended."""
    try:
        return os.pidfd_open(process)
    except ProcessLookupError:
        return None
    except OSError as error:
        raise _untold(target) from error


def _has_ended(connection: socket.socket) -> bool:
    """True where the other side has closed: a gRPC server greets, and closes only when it ends."""
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _signal(descriptor: int, process: int) -> None:
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGTERM)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise NotAuthorised(
            f"this user may not stop process {process}",
            reason="NOT_PERMITTED",
            what_to_do="stop it as the user that it runs as",
        ) from error


def _wait(descriptor: int, process: int, timeout_seconds: float) -> None:
    if not select.select([descriptor], [], [], timeout_seconds)[0]:
        raise DeadlineExceeded(
            f"process {process} was told to stop and has not ended within {timeout_seconds:g} s",
            reason="DEADLINE_EXCEEDED",
            what_to_do="it ends once the calls under way are done; allow more time with timeout_seconds",
        )
