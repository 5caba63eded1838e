"""Words that a host or an agent pins: a record of the agent's own namespace, so that its ref can always be resolved."""

from __future__ import annotations

from xxhash import xxh3_128_hexdigest

from hotsetd.limits import AGENT_PREFIX
from retrieval.record import Record
from workingset.rendering import first_words
from workingset.vocabulary import AgentId, Digest, Namespace, Ref


def note_namespace(agent: AgentId) -> Namespace:
    """Return the namespace of what belongs to one agent alone."""
    return Namespace(f"{AGENT_PREFIX}{agent}")


def note_record(namespace: Namespace, words: str, by_agent: bool) -> Record:
    """Return the record of pinned words; equal words have equal refs."""
    digest = Digest(xxh3_128_hexdigest(words.encode()))
    return Record(
        ref=Ref(f"{namespace}:{digest[:12]}"),
        namespace=namespace,
        kind="note",
        title=first_words(words),
        text=words,
        outline=words,
        gist=first_words(words),
        digest=digest,
        attributes=(("pinned_by", "agent" if by_agent else "host"),),
    )
