"""What the sync and the async client are both made of: everything but the sending."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from pathlib import Path

from hotset import _channel
from hotset._conduct import Conduct
from hotset.address import endpoint
from hotset.errors import BadRequest
from hotset.settings import ClientSettings


class ClientBase:
    """Where to send, as whom, and by which rules. Not for use by itself."""

    def __init__(
        self,
        address: str | None = None,
        *,
        home: Path | str | None = None,
        agent: str | None = None,
        timeout_seconds: float | None = None,
        autostart: bool = False,
        token: str | None = None,
        settings: ClientSettings | None = None,
    ) -> None:
        settings = ClientSettings() if settings is None else settings
        if timeout_seconds is not None:
            settings = replace(settings, timeout_seconds=timeout_seconds)
        self._settings = settings
        self._agent = agent
        self._endpoint = endpoint(address, home)
        self._metadata = _channel.metadata(token)
        self._conduct = Conduct(self._endpoint, autostart, time.monotonic, random.random, settings)
        self._prepare()

    def _prepare(self) -> None:
        """Open what can be opened before the first call."""

    @property
    def address(self) -> str:
        """Where this client sends to."""
        return self._endpoint.target

    @property
    def settings(self) -> ClientSettings:
        """The numbers in force."""
        return self._settings

    def _whose(self, agent: str | None) -> str:
        named = self._agent if agent is None else agent
        if named is None:
            raise BadRequest(
                "agent: no agent is named",
                reason="BAD_FIELD",
                field="agent",
                what_to_do="pass agent=… to the call, or to the client",
            )
        return named


def directory(root: str | os.PathLike[str]) -> str:
    """Return the absolute path of a directory: the daemon's own working directory is another."""
    return os.path.abspath(os.path.expanduser(os.fspath(root)))
