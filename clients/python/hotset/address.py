"""Where the daemon listens: one rule for the client, the command line and the daemon."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hotset.errors import BadAddress

UNIX_PATH_BYTES = 107
"""The longest path of a Unix socket on Linux (`sun_path` holds 108 bytes with the closing zero)."""

_SOCKET = Path("run") / "hotsetd.sock"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A gRPC target, and the home of the daemon that listens there where it can be told from the address."""

    target: str
    home: Path | None


def default_home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the daemon's home: `$HOTSET_HOME`, else `~/.local/state/hotset`."""
    environment = os.environ if environment is None else environment
    named = environment.get("HOTSET_HOME", "")
    return Path(named).expanduser().absolute() if named else Path.home() / ".local" / "state" / "hotset"


def default_address(environment: Mapping[str, str] | None = None) -> str:
    """Return `$HOTSET_ADDRESS`, else `unix:<home>/run/hotsetd.sock`."""
    environment = os.environ if environment is None else environment
    return environment.get("HOTSET_ADDRESS", "") or address_of(default_home(environment))


def address_of(home: Path | str) -> str:
    """Return the address of the daemon that lives in `home`."""
    return f"unix:{Path(home).expanduser().absolute() / _SOCKET}"


def endpoint(address: str | None = None, home: Path | str | None = None) -> Endpoint:
    """Resolve an address (`unix:/path` or `host:port` on loopback) or a home; the address wins where both are given.

    Raises BadAddress where the form is not known, the socket's path is too long, or the host is not this machine.
    """
    if address is None:
        address = default_address() if home is None else address_of(home)
    if any("\ud800" <= letter <= "\udfff" or letter < " " for letter in address):
        raise _bad(address, "it holds characters that cannot be sent")
    if address.startswith("unix:"):
        return _unix(address)
    return _loopback(address)


def _unix(address: str) -> Endpoint:
    path = address.removeprefix("unix:")
    if path.startswith("//"):
        path = "/" + path.lstrip("/")
    if not path:
        raise _bad(address, "no path follows `unix:`")
    socket = Path(path).expanduser().absolute()
    size = len(os.fsencode(socket))
    if size > UNIX_PATH_BYTES:
        raise _bad(str(socket), f"its path has {size} bytes and a Unix socket's may have {UNIX_PATH_BYTES}")
    home = socket.parent.parent if socket.parts[-2:] == _SOCKET.parts else None
    return Endpoint(f"unix:{socket}", home)


def _loopback(address: str) -> Endpoint:
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise _bad(address, "it is neither `unix:/path` nor `host:port`")
    if not (host == "localhost" or host.startswith("127.") or host == "[::1]"):
        raise _bad(address, "this client speaks plain TCP to loopback only")
    return Endpoint(address, None)


def _bad(address: str, why: str) -> BadAddress:
    shown = address.encode("ascii", "backslashreplace").decode("ascii")
    return BadAddress(
        f"cannot use the address {shown!r}: {why}",
        reason="BAD_ADDRESS",
        field="address",
        what_to_do="give `unix:/path/to/hotsetd.sock` or `localhost:PORT`, or set $HOTSET_ADDRESS or $HOTSET_HOME",
    )
