"""What a request may ask for: every check names the field and says what to do.

Checks return the value in the core's own type, so that what is past this room has been checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hotsetd.config import LimitSettings
from retrieval.errors import BadField
from retrieval.store.interface import Snapshot
from workingset.entry import GOAL_NAMESPACE, REQUEST_NAMESPACE
from workingset.settings import PackingSettings
from workingset.vocabulary import AgentId, Generation, Namespace, Ref, Tokens

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
AGENT_PREFIX = "agent."
"""Namespaces that begin so hold what belongs to one agent, such as its text pins."""


def agent_id(value: str, limits: LimitSettings) -> AgentId:
    """Return a checked agent id."""
    return AgentId(_name("agent", value, limits.agent_characters))


def namespace_name(field: str, value: str, limits: LimitSettings) -> Namespace:
    """Return a checked namespace; those of the daemon itself are refused."""
    name = _name(field, value, limits.namespace_characters)
    if name in {GOAL_NAMESPACE, REQUEST_NAMESPACE} or name.startswith(AGENT_PREFIX):
        raise BadField(field, f"{name!r} is reserved: choose another name")
    return Namespace(name)


def namespaces(values: Sequence[str], limits: LimitSettings) -> tuple[Namespace, ...]:
    """Return checked namespaces, sorted, each once."""
    if len(values) > limits.namespaces:
        raise BadField("namespaces", f"{len(values)} are more than {limits.namespaces}: name fewer, or none for all")
    return tuple(sorted({namespace_name(f"namespaces[{i}]", value, limits) for i, value in enumerate(values)}))


def goal_text(value: str, limits: LimitSettings) -> str:
    """Return a checked goal."""
    encoded = text("goal", value)
    if not encoded.strip():
        raise BadField("goal", "is empty: say what the agent is about to do")
    size = len(value.encode())
    if size > limits.goal_bytes:
        raise BadField(
            "goal", f"has {size} bytes, more than {limits.goal_bytes}: shorten it, or ingest it as a document"
        )
    return value


def text(field: str, value: str) -> str:
    """Return a text that can be written as UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadField(field, f"has a lone surrogate at character {error.start}: send valid Unicode") from error
    return value


def user_request(value: str, limits: LimitSettings) -> str:
    """Return a checked request of the user; empty means that the turn brings none."""
    if len(text("user_request", value).encode()) > limits.goal_bytes:
        raise BadField("user_request", f"has more than {limits.goal_bytes} bytes: ingest what it quotes")
    if value and not value.strip():
        raise BadField("user_request", "is blank: leave it out where the user asked nothing new")
    return value


def budget(value: int, last: Tokens, limits: LimitSettings) -> Tokens:
    """Return the ceiling in force: the one asked for, else the agent's last, else the default."""
    if value < 0:
        raise BadField("budget_tokens", f"is {value}: give a number above 0, or 0 for the last one used")
    if value > limits.budget_tokens:
        raise BadField("budget_tokens", f"is {value}, more than {limits.budget_tokens}: no context holds that")
    return Tokens(value or last or limits.default_budget_tokens)


def top_k(value: int, packing: PackingSettings) -> int:
    """Return how many results may enter."""
    if value < 0 or value > packing.top_k_limit_results:
        raise BadField(
            "top_k", f"is {value}: give 1 to {packing.top_k_limit_results}, or 0 for {packing.top_k_results}"
        )
    return value or packing.top_k_results


def ref(field: str, value: str) -> Ref:
    """Return a checked ref."""
    namespace, _, local = text(field, value).partition(":")
    if not namespace or not local:
        raise BadField(field, f"{value!r} is no ref: a ref reads namespace:name, as replies give it")
    return Ref(value)


def refs(field: str, values: Sequence[str], limits: LimitSettings) -> tuple[Ref, ...]:
    """Return checked refs in the order given, each once."""
    if not values:
        raise BadField(field, "is empty: name at least one ref")
    if len(values) > limits.refs:
        raise BadField(field, f"{len(values)} are more than {limits.refs}: send several calls")
    return tuple(dict.fromkeys(ref(f"{field}[{i}]", value) for i, value in enumerate(values)))


def request_id(field: str, value: str, limits: LimitSettings) -> str:
    """Return a checked idempotency key; empty means none."""
    if len(text(field, value)) > limits.request_id_characters:
        raise BadField(field, f"is longer than {limits.request_id_characters} characters: a UUID is enough")
    return value


def reason(value: str, limits: LimitSettings) -> str:
    """Return a checked reason: it becomes a title, and titles stand in the block."""
    if len(text("reason", value)) > limits.reason_characters:
        raise BadField("reason", f"is longer than {limits.reason_characters} characters: a line is enough")
    return value


def at_least(values: Sequence[str], generation: int) -> tuple[Namespace, Generation] | None:
    """Return the generation to wait for and the namespace that it counts: the first that was named."""
    if not generation:
        return None
    if not values:
        raise BadField("at_least_generation", "counts the changes of one namespace: name that one first")
    return Namespace(values[0]), Generation(generation)


def reached(txn: Snapshot, cut: Sequence[tuple[str, int]]) -> None:
    """Refuse a cut that lies in the future: what it will hold is not known yet."""
    for namespace, generation in cut:
        newest = txn.generation(Namespace(namespace))
        if generation > newest:
            raise BadField("cut", f"{namespace!r} has come to {newest}, not to {generation}")


def profile(value: str) -> str:
    """Return a checked attention profile."""
    if value not in {"", "default"}:
        raise BadField("profile", f"{value!r} is not known: only 'default' exists")
    return "default"


def _name(field: str, value: str, characters: int) -> str:
    if not value:
        raise BadField(field, "is empty: give it a name")
    if len(value) > characters:
        raise BadField(field, f"is longer than {characters} characters")
    if not _NAME.fullmatch(value):
        raise BadField(field, f"{value!r} has characters that a name may not have: use letters, digits and . _ / -")
    return value
