"""One transition an agent at a time: who waits for whom, and how many may."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from hotsetd.errors import Overloaded

AgentKey = tuple[str, str]


class AgentQueues:
    """A lock for each agent that has calls under way; raises Overloaded where too many wait.

    Locks are dropped with their last waiter, so memory follows the calls under way and not the agents there ever were.
    """

    def __init__(self, waiting_calls: int) -> None:
        self._waiting_calls = waiting_calls
        self._locks: dict[AgentKey, asyncio.Lock] = {}
        self._inside: dict[AgentKey, int] = {}

    @asynccontextmanager
    async def turn(self, *keys: AgentKey) -> AsyncGenerator[None]:
        """Wait for the turns of one or more agents and hold them.

        Turns are taken in the order of the keys, whatever the order they are named in: calls on the same agents wait
        for each other and never in a circle.
        """
        async with AsyncExitStack() as held:
            for key in sorted(set(keys)):
                await held.enter_async_context(self._one(key))
            yield

    @asynccontextmanager
    async def _one(self, key: AgentKey) -> AsyncGenerator[None]:
        inside = self._inside.get(key, 0)
        if inside > self._waiting_calls:
            raise Overloaded(f"{inside} calls wait for agent {key[1]!r} already: send one at a time")
        lock = self._locks.setdefault(key, asyncio.Lock())
        self._inside[key] = inside + 1
        try:
            async with lock:
                yield
        finally:
            self._inside[key] -= 1
            if not self._inside[key]:
                del self._inside[key], self._locks[key]

    @property
    def under_way(self) -> int:
        """How many turns are waited for or held."""
        return sum(self._inside.values())
