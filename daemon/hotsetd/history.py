"""An agent's turns as records of its own namespace: what was said and seen, byte for byte, in the order it was.

Each observation becomes a record of kind `turn`, or several where it is too long for one: the parts follow one another
and their texts joined are the whole. Every record `follows` the one before it, so that a session can be walked from
its last record to its first, and `mentions` the records that were used in it. Its place in the session is part of what
it is: equal words said twice are two records.

What is said again, and the output of a call that read records, names its `origin`: of copies of one text, and of a
record and what was read of it, one is enough in a context.

Secrets: as in ingest (`retrieval.ingest.guards`), what is known by its file name as holding secrets never reaches a
context. A call that writes such a file, and the output of a call that names one, are replaced by a line that says so;
the record is there, marked `withheld`, and counted. What the rules of `retrieval.ingest.secrets` know in other words
is taken out of them, and counted by rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hotsetd.calls import ObservationCall, ObservationKind
from hotsetd.config import HistorySettings
from hotsetd.notes import note_namespace
from hotsetd.observing import observations_of
from hotsetd.turn_extracts import extracts
from retrieval.ingest.digests import local_name, record_digest
from retrieval.ingest.guards import Reason, Refusal, refuse_by_name
from retrieval.ingest.secrets import SecretSettings, redact
from retrieval.ingest.settings import GuardSettings
from retrieval.record import Edge, Record
from retrieval.relations import BUILT_IN
from retrieval.text.renderings import RenderingSettings, clip
from workingset.entry import TURN_KIND
from workingset.observation.pairing import answered_calls
from workingset.observation.tool_calls import read_call
from workingset.rendering import first_words
from workingset.settings import ObservationSettings
from workingset.transitions.touch import Action
from workingset.vocabulary import AgentId, Ref, Turn

FOLLOWS = "follows"
MENTIONS = "mentions"
_SECRET_PATH = "secret_path"  # noqa: S105  # the key of an attribute
_DIGEST_CHARACTERS = 6
_SAYS = {
    ObservationKind.USER: "user",
    ObservationKind.AGENT: "agent",
    ObservationKind.TOOL_CALL: "call",
    ObservationKind.TOOL_OUTPUT: "output",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a history has come to: how many observations it holds, and the ref of its last record."""

    count: int = 0
    last: Ref | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What is to be written, and where the history has come to then.

    `heads` are the refs of the first records of the observations, in order; those deserve a place in the set.
    `withheld` counts observations that were not kept for their secrets, `unlinked` uses beyond the edges of a record;
    `redacted` counts secrets taken out, by reason.
    """

    records: tuple[Record, ...]
    edges: tuple[Edge, ...]
    heads: tuple[Ref, ...]
    place: Place
    withheld: int = 0
    unlinked: int = 0
    redacted: tuple[tuple[str, int], ...] = ()

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The refs of all records, in order."""
        return tuple(record.ref for record in self.records)


@dataclass(frozen=True, slots=True)
class History:
    """Makes the records of observations. Writes nothing itself."""

    settings: HistorySettings
    renderings: RenderingSettings
    guards: GuardSettings
    observation: ObservationSettings
    secrets: SecretSettings = field(default_factory=SecretSettings)

    def keep(
        self,
        agent: AgentId,
        turn: Turn,
        place: Place,
        observed: Sequence[ObservationCall],
        mentions: Sequence[Sequence[Ref]],
        previous: Record | None,
        reads: Sequence[Sequence[Ref]] = (),
    ) -> Kept:
        """Return the records and edges of observations said in a turn, from a place in the history on.

        `mentions` are the refs that each observation used; they must be of live records. `previous` is the record of
        `place.last`, None where it is gone: the output of a call may come in the next request. `reads` are the refs
        that each observation read.
        """
        answered = answered_calls(observations_of(observed))
        secrets = self._secrets(observed, answered, previous)
        records: list[Record] = []
        edges: list[Edge] = []
        heads: list[Ref] = []
        counts: Counter[str] = Counter()
        last = previous.ref if previous is not None and not previous.removed else None
        redacted: Counter[str] = Counter()
        for at, call in enumerate(observed):
            withheld, secret_path = secrets[at]
            words = redact(call.text, settings=self.secrets)
            redacted.update(dict(words.reasons) if not withheld else {})
            call = replace(call, text=words.text)
            asked = answered[at]
            shown = tuple(reads[asked]) if asked is not None and reads else ()
            saying = _Saying(agent, turn, place.count + at + 1, call, secret_path, withheld, shown)
            made = list(self._records(saying))
            for record in made:
                if last is not None:
                    edges.append(_edge(record.ref, FOLLOWS, last))
                last = record.ref
            used = [ref for ref in dict.fromkeys(mentions[at]) if ref != made[0].ref]
            edges.extend(_edge(made[0].ref, MENTIONS, ref) for ref in used[: self.settings.mentions])
            counts["unlinked"] += max(0, len(used) - self.settings.mentions)
            counts["withheld"] += withheld
            records.extend(made)
            heads.append(made[0].ref)
        after = Place(place.count + len(observed), last)
        left_out = (counts["withheld"], counts["unlinked"], tuple(sorted(redacted.items())))
        return Kept(tuple(records), tuple(edges), tuple(heads), after, *left_out)

    def _secrets(
        self, observed: Sequence[ObservationCall], answered: Sequence[int | None], previous: Record | None
    ) -> list[tuple[bool, str]]:
        """For each observation whether it is withheld, and the path it names that holds secrets, if any."""
        named: list[tuple[bool, str]] = []
        asked_before = dict(previous.attributes) if previous is not None else dict[str, str]()
        before = asked_before.get(_SECRET_PATH, "") if asked_before.get("speaker") == "tool_call" else ""
        for at, call in enumerate(observed):
            path, edits = self._secret_path(call) if call.kind is ObservationKind.TOOL_CALL else ("", False)
            if call.kind is ObservationKind.TOOL_OUTPUT:
                asked = answered[at]
                path = named[asked][1] if asked is not None else before
                edits = bool(path)
            named.append((edits, path))
            if call.kind is not ObservationKind.TOOL_OUTPUT or answered[at] is None:
                before = ""
        return named

    def _secret_path(self, call: ObservationCall) -> tuple[str, bool]:
        """The path in a call's arguments that holds secrets, and whether the call writes it."""
        for use in read_call(call.tool, call.text, self.observation).uses:
            refusal = refuse_by_name(use.path, 1, self.guards)
            if isinstance(refusal, Refusal) and refusal.reason is Reason.HOLDS_SECRETS:
                return use.path, use.action is Action.EDIT
        return "", False

    def _records(self, saying: _Saying) -> Iterator[Record]:
        call = saying.call
        text = saying.kept_text
        parts = list(_parts(text, self.settings.part_bytes))
        whole = extracts(call.kind, text, self.settings, self.renderings)
        for number, part in enumerate(parts, 1):
            made = whole if number == 1 else extracts(call.kind, part, self.settings, self.renderings)
            outline = clip(made.outline, len(part))
            title = saying.title(part, number, len(parts), self.settings.title_characters)
            namespace = note_namespace(saying.agent)
            name = local_name(TURN_KIND, str(saying.position), str(number), call.kind.value, call.tool, part)
            local = f"turn-{saying.position}" + (f".{number}" if number > 1 else "")
            yield Record(
                ref=Ref(f"{namespace}:{local}-{name[:_DIGEST_CHARACTERS]}"),
                namespace=namespace,
                kind=TURN_KIND,
                title=title,
                text=part,
                outline=outline,
                gist=clip(made.gist, max(1, len(outline))),
                digest=record_digest(TURN_KIND, title, "", part),
                source="history",
                origin=saying.origin(part, number),
                attributes=saying.attributes(number, len(parts)),
            )


@dataclass(frozen=True, slots=True)
class _Saying:
    """One observation at its place in the history."""

    agent: AgentId
    turn: Turn
    position: int
    call: ObservationCall
    secret_path: str
    withheld: bool
    shown: tuple[Ref, ...]

    @property
    def kept_text(self) -> str:
        """What was said, or why it is not kept."""
        if not self.withheld:
            return self.call.text
        return f"not kept: it shows or writes {self.secret_path}, which is known by its name as holding secrets"

    def title(self, part: str, number: int, parts: int, characters: int) -> str:
        """The speaker and the first words."""
        who = f"{self.call.tool} {_SAYS[self.call.kind]}".strip()
        which = f" (part {number} of {parts})" if parts > 1 else ""
        return f"{first_words(who, characters)}{which}: {first_words(part[: characters * 8], characters) or 'nothing'}"

    def origin(self, part: str, number: int) -> str:
        """What the text is a copy of: the record that was read, else whatever else says the same words."""
        if not self.shown or self.withheld:
            return f"words:{local_name(part)}"
        pages = self.shown[0] if len(self.shown) == 1 else f"pages:{local_name(*self.shown)}"
        return pages if number == 1 else f"{pages}#{number}"

    def attributes(self, number: int, parts: int) -> tuple[tuple[str, str], ...]:
        """What is known of it beside its words."""
        known = {
            "speaker": self.call.kind.value,
            "tool": self.call.tool,
            "turn": str(self.turn),
            "position": str(self.position),
            "part": f"{number}/{parts}" if parts > 1 else "",
            _SECRET_PATH: self.secret_path,
            "withheld": Reason.HOLDS_SECRETS.value if self.withheld else "",
        }
        return tuple(sorted((key, value) for key, value in known.items() if value))


def _edge(source: Ref, relation: str, target: Ref) -> Edge:
    return Edge(source, relation, target, BUILT_IN[relation])


def _parts(text: str, part_bytes: int) -> Iterator[str]:
    """Yield the text in pieces of at most so many bytes of UTF-8 (at least a character), cut at line ends if it can."""
    raw = text.encode()
    start = 0
    while len(raw) - start > part_bytes:
        end = start + part_bytes
        line_end = raw.rfind(b"\n", start + part_bytes // 2, end) + 1
        if line_end:
            end = line_end
        while end > start and raw[end] & 0xC0 == 0x80:
            end -= 1
        if end == start:
            end = start + 1
            while end < len(raw) and raw[end] & 0xC0 == 0x80:
                end += 1
        yield raw[start:end].decode()
        start = end
    if start < len(raw) or not raw:
        yield raw[start:].decode()
