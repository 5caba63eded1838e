"""Turns of two agents at once: crossing calls wait for each other and never in a circle."""

from __future__ import annotations

import asyncio

import pytest

from hotsetd.errors import Overloaded
from hotsetd.queues import AgentQueues

A, B, C = ("default", "a"), ("default", "b"), ("default", "c")


async def _steps() -> None:
    """Let every task that can run do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_crossing_calls_on_two_agents_both_end() -> None:
    queues = AgentQueues(waiting_calls=8)
    done: list[str] = []

    async def handoff(name: str, *keys: tuple[str, str]) -> None:
        async with queues.turn(*keys):
            await _steps()
            done.append(name)

    calls = (handoff("a to b", A, B), handoff("b to a", B, A), handoff("b to c", B, C), handoff("c to a", C, A))
    async with asyncio.timeout(10):
        await asyncio.gather(*calls)

    assert sorted(done) == ["a to b", "b to a", "b to c", "c to a"]
    assert queues.under_way == 0


async def test_a_call_on_two_agents_holds_both() -> None:
    queues = AgentQueues(waiting_calls=8)
    inside: list[str] = []

    async def call(key: tuple[str, str]) -> None:
        async with queues.turn(key):
            inside.append(key[1])

    async with queues.turn(B, A):
        calls = [asyncio.create_task(call(key)) for key in (A, B, C)]
        await _steps()
        assert inside == ["c"]
    await asyncio.gather(*calls)

    assert sorted(inside) == ["a", "b", "c"]


async def test_one_agent_named_twice_is_held_once() -> None:
    queues = AgentQueues(waiting_calls=8)

    async with queues.turn(A, A):
        assert queues.under_way == 1
    assert queues.under_way == 0


async def test_a_refusal_at_the_second_agent_gives_the_first_back() -> None:
    queues = AgentQueues(waiting_calls=0)

    async with queues.turn(B):
        with pytest.raises(Overloaded, match="'b'"):
            async with queues.turn(A, B):
                pass
        async with queues.turn(A):
            assert queues.under_way == 2


async def test_a_call_that_is_given_up_while_it_waits_gives_its_turns_back() -> None:
    queues = AgentQueues(waiting_calls=8)

    async def call() -> None:
        async with queues.turn(A, B):
            raise AssertionError("B is held")

    async with queues.turn(B):
        waiting = asyncio.create_task(call())
        await _steps()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with queues.turn(A):
            pass
    assert queues.under_way == 0
