"""What every channel of this client is opened with."""

from __future__ import annotations

from hotset._version import VERSION
from hotset._wire.shared import PROTOCOL
from hotset.errors import BadRequest
from hotset.settings import ClientSettings


def options(settings: ClientSettings) -> list[tuple[str, int]]:
    """Return channel options: message sizes both ways, quick reconnects, and no proxy between us and this machine."""
    return [
        ("grpc.max_send_message_length", settings.message_bytes),
        ("grpc.max_receive_message_length", settings.message_bytes),
        ("grpc.initial_reconnect_backoff_ms", settings.reconnect_first_milliseconds),
        ("grpc.min_reconnect_backoff_ms", settings.connect_milliseconds),
        ("grpc.max_reconnect_backoff_ms", settings.reconnect_longest_milliseconds),
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]


def metadata(token: str | None) -> tuple[tuple[str, str], ...]:
    """Return what each call says of its client; a token goes as a bearer token."""
    own = (("hotset-client", VERSION), ("hotset-protocol", PROTOCOL))
    if token is None:
        return own
    if not token or not token.isascii() or not token.isprintable():
        raise BadRequest(
            "token: must be printable ASCII",
            reason="BAD_FIELD",
            field="token",
            what_to_do="pass the token as the operator gave it",
        )
    return (*own, ("authorization", f"Bearer {token}"))
