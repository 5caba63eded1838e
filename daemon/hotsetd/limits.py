"""What a request may ask for: every check names the field and says what to do.

Checks return the value in the core's own type, so that what is past this room has been checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hotsetd.calls import HintsCall
from hotsetd.config import LimitSettings, RepositorySettings
from retrieval.diff_lines import ReadDiff, read_diff
from retrieval.errors import BadField
from retrieval.hints import BranchCommit, Hints
from retrieval.obligations.profile import AttentionProfile
from retrieval.obligations.profiles import DEFAULT
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


def hints(given: HintsCall, limits: LimitSettings, repository: RepositorySettings) -> Hints:
    """Return checked hints; of a diff what `repository` bounds."""
    if len(text("hints.diff", given.diff).encode()) > limits.hint_diff_bytes:
        raise BadField("hints.diff", f"has more than {limits.hint_diff_bytes} bytes: name the changed files instead")
    if len(given.branch_commits) > limits.hint_commits:
        raise BadField("hints.branch_commits", f"are more than {limits.hint_commits}: send the newest")
    diff = read_diff(given.diff, repository.diff_files, repository.diff_ranges)
    commits: list[BranchCommit] = []
    for at, commit in enumerate(given.branch_commits):
        field = f"hints.branch_commits[{at}]"
        if len(text(f"{field}.message", commit.message).encode()) > limits.hint_message_bytes:
            raise BadField(f"{field}.message", f"has more than {limits.hint_message_bytes} bytes: shorten it")
        commits.append(BranchCommit(commit.message, _paths(f"{field}.paths", commit.paths, limits)))
    return Hints(
        changed=(*_paths("hints.changed_paths", given.changed, limits), *diff.gone, *diff.touched),
        open=_paths("hints.open_paths", given.open, limits),
        read=_paths("hints.read_paths", given.read, limits),
        diff_lines=diff.files,
        branch_commits=tuple(commits),
        note=_note(given.diff, diff),
    )


def _note(text: str, diff: ReadDiff) -> str:
    """What is missing of the host's diff, in words."""
    if diff.unread:
        return f"{diff.unread} files of the host's diff not followed"
    found = diff.files or diff.touched or diff.gone
    return "the host's diff names no file" if text.strip() and not found else ""


def _paths(field: str, values: Sequence[str], limits: LimitSettings) -> tuple[str, ...]:
    if len(values) > limits.hint_paths:
        raise BadField(field, f"{len(values)} are more than {limits.hint_paths}: send the latest")
    for at, value in enumerate(values):
        if not value or len(text(f"{field}[{at}]", value)) > limits.hint_path_characters or "\0" in value:
            what = f"give 1 to {limits.hint_path_characters} characters, none of them NUL"
            raise BadField(f"{field}[{at}]", f"is no path of a file: {what}")
    return tuple(dict.fromkeys(values))


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


def profile(value: str, known: Mapping[str, AttentionProfile]) -> AttentionProfile:
    """Return the attention profile of a name; none means `default`."""
    found = known.get(value or DEFAULT)
    if found is None:
        raise BadField("profile", f"{value!r} is not known: there are {', '.join(known)}")
    return found


def _name(field: str, value: str, characters: int) -> str:
    if not value:
        raise BadField(field, "is empty: give it a name")
    if len(value) > characters:
        raise BadField(field, f"is longer than {characters} characters")
    if not _NAME.fullmatch(value):
        raise BadField(field, f"{value!r} has characters that a name may not have: use letters, digits and . _ / -")
    return value
