"""What agents and their hosts call, over asyncio."""

from __future__ import annotations

from collections.abc import Iterable

from hotset import _pages
from hotset import types as t
from hotset._aio_link import AsyncLink
from hotset._wire import attention_calls, receipts, succession


class AsyncAttention(AsyncLink):
    """The calls on one agent's working set. Not for use by itself."""

    # --- the agent's turn ---

    async def focus(
        self,
        goal: str,
        *,
        budget_tokens: int = 0,
        namespaces: Iterable[str] = (),
        mode: t.FocusMode = t.FocusMode.SET,
        top_k: int = 0,
        delta_only: bool = False,
        profile: str = "",
        at_least_generation: int = 0,
        received_turn: int = 0,
        user_request: str = "",
        page_in: t.PageIn = t.PageIn.ON,
        hints: t.Hints | None = None,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.FocusAnswer:
        """Take one turn: move the working set to the goal and return what deserves a place in the context.

        `budget_tokens` is a ceiling on the rendered block (0: the agent's last, else the daemon's default);
        `namespaces` are searched (none: all). Where pins and mandatory entries alone exceed the budget, the answer is
        OVER_BUDGET and `over_budget` names them; that raises nothing. With `delta_only`, send the turn of the last
        answer that was applied as `received_turn`: if an answer was lost, the delta then holds everything again.
        Pass the user's words as `user_request` on the turns that bring a new request: it stays in the set until
        `close_request` or the next one. With `page_in` OFF only what is used or pinned has text in the block.
        `hints` say where the work is, for goals that only point at it; the daemon finds the diff and the branch of a
        tree that it ingested from its own machine by itself.
        """
        call = attention_calls.focus(
            self._whose(agent),
            goal,
            budget_tokens=budget_tokens,
            namespaces=namespaces,
            mode=mode,
            top_k=top_k,
            delta_only=delta_only,
            profile=profile,
            at_least_generation=at_least_generation,
            received_turn=received_turn,
            user_request=user_request,
            page_in=page_in,
            hints=hints,
            repeat_id=request_id,
        )
        return await self._run(call, timeout_seconds)

    async def check(
        self,
        goal: str = "",
        *,
        namespaces: Iterable[str] = (),
        budget_tokens: int = 0,
        top_k: int = 0,
        profile: str = "",
        agent: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.CheckAnswer:
        """Ask "do I have enough?" without moving anything. An empty goal takes the current one."""
        call = attention_calls.check(
            self._whose(agent),
            goal,
            namespaces=namespaces,
            budget_tokens=budget_tokens,
            top_k=top_k,
            profile=profile,
        )
        return await self._run(call, timeout_seconds)

    async def status(self, *, agent: str | None = None, timeout_seconds: float | None = None) -> t.StatusAnswer:
        """Return the working set as it stands."""
        return await self._run(attention_calls.status(self._whose(agent)), timeout_seconds)

    async def touch(
        self,
        uses: Iterable[t.Use] = (),
        *,
        observed: Iterable[t.Observation] = (),
        keep_history: bool = False,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.TouchAnswer:
        """Report what the agent really used, and what it did and saw; faults are paged in.

        What `observed` texts name is matched against the set and counts as use. With `keep_history` they are kept as
        records in the agent's own namespace, whole, so that a host may drop them from its context.
        """
        call = attention_calls.touch(
            self._whose(agent), uses, observed=observed, keep_history=keep_history, repeat_id=request_id
        )
        return await self._run(call, timeout_seconds)

    async def resolve(
        self,
        refs: Iterable[str],
        *,
        agent: str | None = None,
        cut: t.Cut | None = None,
        timeout_seconds: float | None = None,
    ) -> t.ResolveAnswer:
        """Read records by ref, all of them and whole, in as many calls as it takes; each namespace at one generation.

        `agent` is needed for refs of an agent's own set only, such as its goal.
        """
        owner = (self._agent or "") if agent is None else agent
        return await self._drive(_pages.resolve_all(self._conduct, refs, owner, cut, timeout_seconds))

    async def resolve_page(
        self,
        refs: Iterable[str],
        *,
        agent: str | None = None,
        cut: t.Cut | None = None,
        offset_bytes: int = 0,
        max_bytes: int = 0,
        timeout_seconds: float | None = None,
    ) -> t.ResolvePage:
        """Read records by ref in one call; `remaining` and `next_offset_bytes` say what is still to come."""
        owner = (self._agent or "") if agent is None else agent
        call = attention_calls.resolve(refs, agent=owner, cut=cut, offset_bytes=offset_bytes, max_bytes=max_bytes)
        return await self._run(call, timeout_seconds)

    async def pin(
        self,
        ref: str = "",
        *,
        text: str = "",
        reason: str = "",
        expires_turns: int = 0,
        expires_with_epoch: bool = False,
        expires_seconds: int = 0,
        follow_successor: bool = False,
        owner: t.PinOwner = t.PinOwner.UNSPECIFIED,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.PinAnswer:
        """Pin a record, or words of the host's own. One that could never fit is answered OVER_BUDGET and not taken.

        It ends after so many turns, so many seconds, or with the epoch, whichever comes first; without any of them,
        when it is unpinned. With `follow_successor` it moves on to the record that supersedes its own.
        """
        call = attention_calls.pin(
            self._whose(agent),
            ref=ref,
            words_to_pin=text,
            reason=reason,
            expires_turns=expires_turns,
            expires_with_epoch=expires_with_epoch,
            expires_seconds=expires_seconds,
            follow_successor=follow_successor,
            owner=owner,
            repeat_id=request_id,
        )
        return await self._run(call, timeout_seconds)

    async def unpin(
        self,
        ref: str,
        *,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.UnpinAnswer:
        """Take a pin away; the entry falls back to the tier that others' needs give it."""
        return await self._run(attention_calls.unpin(self._whose(agent), ref, request_id), timeout_seconds)

    async def evict(
        self,
        refs: Iterable[str],
        *,
        reason: str = "",
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.EvictAnswer:
        """Take entries out of the set. The records stay in the store and may return."""
        return await self._run(attention_calls.evict(self._whose(agent), refs, reason, request_id), timeout_seconds)

    async def reset_context(
        self,
        *,
        reason: str = "",
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.ResetAnswer:
        """Say that the host compacted or cleared its context: a new epoch, in which nothing counts as delivered."""
        return await self._run(attention_calls.reset_context(self._whose(agent), reason, request_id), timeout_seconds)

    async def undo_refocus(
        self,
        *,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.UndoAnswer:
        """Take the refocus of the last turn back: what it took out returns. Offered until the next Focus."""
        return await self._run(attention_calls.undo_refocus(self._whose(agent), request_id), timeout_seconds)

    async def close_request(
        self,
        *,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.CloseAnswer:
        """Say that the user's request is done: it is mandatory no longer."""
        return await self._run(attention_calls.close_request(self._whose(agent), request_id), timeout_seconds)

    # --- whose set it is ---

    async def fork(
        self,
        child: str,
        *,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.ForkAnswer:
        """Give a new agent a copy of the set; both go on by themselves, over the same records."""
        return await self._run(succession.fork(self._whose(agent), child, request_id), timeout_seconds)

    async def handoff(
        self,
        to: str,
        *,
        agent: str | None = None,
        request_id: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.HandoffAnswer:
        """Give the set itself to a new agent; this one is left without."""
        return await self._run(succession.handoff(self._whose(agent), to, request_id), timeout_seconds)

    async def forget(self, *, agent: str | None = None, timeout_seconds: float | None = None) -> t.ForgetAnswer:
        """Delete all that is kept of an agent, and look whether anything is left: `verified` says so.

        It is sent once and never repeated by itself. Where the answer was lost, forget again.
        """
        return await self._run(succession.forget(self._whose(agent)), timeout_seconds)

    # --- how turns came about ---

    async def explain(
        self,
        turn: int = 0,
        *,
        receipt: str = "",
        agent: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.ExplainAnswer:
        """Return the receipt of a turn: what was decided, from which numbers, because of what.

        Name it by `receipt`, as an answer of Focus has it, or by the agent's turn; without either it is the last.
        """
        named = "" if receipt and agent is None else self._whose(agent)
        return await self._run(receipts.explain(named, turn, receipt), timeout_seconds)

    async def replay(
        self,
        turn: int = 0,
        *,
        receipt: str = "",
        agent: str | None = None,
        timeout_seconds: float | None = None,
    ) -> t.ReplayAnswer:
        """Have a turn decided again from what it was decided from, and compared; named as in `explain`.

        Only the newest turns are kept so that they can be: others raise a NotFound whose `reason` is NOT_RETAINED,
        and those whose history was collected raise CutExpired.
        """
        named = "" if receipt and agent is None else self._whose(agent)
        return await self._run(receipts.replay(named, turn, receipt), timeout_seconds)
