"""What to do about an error, in the words of the command line: daemon and SDK speak of calls and fields."""

from __future__ import annotations

import re

from hotset.errors import DaemonNotRunning, HotsetError

BY_REASON = {
    "CUT_EXPIRED": "leave --at out for the newest state",
    "DEADLINE": "allow more time with --timeout SECONDS, or ask for less",
    "DEADLINE_EXCEEDED": "allow more time with --timeout SECONDS, or ask for less",
    "NOTHING_TO_UNDO": "`hotset undo` takes back a refocus that the last `hotset focus` made",
    "NOT_IN_SET": "`hotset status --refs` shows what is in the set",
    "NOT_RETAINED": "replay one of the last turns; replay.kept_turns in hotsetd.toml says how many are kept",
    "NO_REQUEST": "open one with `hotset focus GOAL --request TEXT`",
    "PINNED": "`hotset unpin REF` first",
    "PIN_REFUSED": "`hotset close-request` ends the request's pin, the next goal that of the goal",
    "SET_EXISTS": "name an agent that has no set, or `hotset forget` it first",
    "STALE_CURSOR": "run it again: the list changed meanwhile",
    "UNKNOWN_AGENT": "`hotset focus GOAL` first; --agent says whose set",
    "UNKNOWN_NAMESPACE": "`hotset ingest PATH` into it first, or name another with --namespace",
    "UNKNOWN_RECEIPT": "name a turn that `hotset focus` made; its last line has the receipt",
    "UNKNOWN_REF": "`hotset list NAMESPACE` and `hotset status --refs` show refs",
    "UNKNOWN_SOURCE": "`hotset source list` shows what is followed; --namespace says where",
}
"""The advice for each reason whose own would name a call or a field."""
_NOT_RUNNING = "start one with `hotset serve`, or leave --no-autostart out"
_ARGUMENTS = {
    "agent": "--agent",
    "before_generation": "--before",
    "budget_tokens": "--budget",
    "child_agent": "CHILD",
    "cut": "--at",
    "expires_seconds": "--for",
    "expires_turns": "--turns",
    "goal": "GOAL",
    "header.namespace": "--namespace",
    "header.source": "--source",
    "hints.changed_paths": "--changed",
    "hints.diff": "--diff",
    "hints.open_paths": "--open",
    "hints.read_paths": "--read",
    "kind": "--kind",
    "lines": "PLACE",
    "namespace": "the namespace",
    "namespaces": "--namespace",
    "observed.text": "FILE",
    "observed.tool": "--tool",
    "path_prefix": "--path",
    "reason": "--reason",
    "receipt": "RECEIPT",
    "ref": "REF",
    "refs": "REF",
    "request_id": "--request-id",
    "root": "PATH",
    "text": "--text",
    "timeout_seconds": "--timeout",
    "to_agent": "TO",
    "top_k": "--top-k",
    "tree.root": "PATH",
    "turn": "--turn",
    "user_request": "--request",
    "uses.lines": "PLACE",
    "uses.path": "PLACE or --namespace",
    "uses.ref": "PLACE",
}
"""What the command line calls a field of a request."""


def advice(error: HotsetError) -> str:
    """Return what to do; empty where there is nothing to add to the message."""
    if isinstance(error, DaemonNotRunning) and "autostart=True" in error.what_to_do:
        return _NOT_RUNNING
    if error.reason == "BAD_FIELD" and error.status:
        argument = _ARGUMENTS.get(re.sub(r"\[\d+\]", "", error.field))
        return f"mend {argument} and run it again" if argument else "mend what it names and run it again"
    return BY_REASON.get(error.reason, error.what_to_do)
