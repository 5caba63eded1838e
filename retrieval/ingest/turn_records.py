"""One turn of a conversation as a record of kind `turn`, and the words it is searched by beside its own.

The record's title is "speaker, 8 May 2023", its text what was said and nothing else. Attributes beside the host's own:

- `conversation`, `turn`: the ids the host gave, `position`: the turn's number in the conversation, from 1,
- `speaker`: as the host wrote it; the record also has it as exact names of kind `NameKind.SPEAKER`, so and folded,
- `time`: seconds since 1970 (UTC) at which it was said; missing where the host did not know,
- `session`: the id the host gave, else the number of the session as gaps in time tell,
- `dates`: what the text's dates in words mean, as ISO days (`2023-05-07`) and intervals (`2023-05-01/2023-05-07`),
  joined by commas; missing where it names none.

`Record.beside` has three lines, each of which may be empty: the ends of the two turns before, the beginning of
the turn after (all of the same session), and the resolved dates in figures and words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from retrieval.ingest.dates import Days, Named, day_words, resolve_dates
from retrieval.ingest.digests import local_name, record_digest
from retrieval.ingest.guards import Reason
from retrieval.ingest.secrets import redact, redact_attributes
from retrieval.ingest.settings import IngestSettings
from retrieval.record import TURN_KIND, Name, NameKind, Record
from retrieval.text.renderings import one_line, render_document
from workingset.vocabulary import Namespace, Ref

TURN_PREFIX = "turn-"
"""Begins the local names of turns."""
RESERVED = frozenset({"conversation", "turn", "position", "speaker", "time", "session", "dates"})
"""Attributes that ingest sets itself."""


@dataclass(frozen=True, slots=True)
class TurnInput:
    """A turn as a host gives it: what `speaker` said at `seconds` since 1970 (0 where that is not known).

    `conversation` and `turn` are ids of the host's own, together unique in the namespace. An empty `session` is told
    from gaps in time.
    """

    conversation: str
    turn: str
    speaker: str
    seconds: int
    text: str
    session: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Where a turn stands in its conversation: its number from 1, and its session."""

    position: int
    session: str


@dataclass(frozen=True, slots=True)
class MadeTurn:
    """A turn's record, without its place and words beside its own yet; and what was taken out or cut, by reason."""

    given: TurnInput
    record: Record
    reasons: tuple[tuple[str, int], ...]


def turn_ref(namespace: Namespace, conversation: str, turn: str) -> Ref:
    """The ref of a turn: it depends on the two ids alone, so it stays when turns are added or edited."""
    return Ref(f"{namespace}:{TURN_PREFIX}{local_name(conversation, turn)}")


def make_turn(namespace: Namespace, source: str, given: TurnInput, settings: IngestSettings) -> MadeTurn:
    """Return what can be said of a turn wherever it stands."""
    redacted = redact(given.text, settings=settings.secrets)
    speaker = redact(given.speaker, settings=settings.secrets)
    attributes, held = redact_attributes(given.attributes, settings.secrets)
    said = spoken_on(given.seconds)
    dates = resolve_dates(redacted.text, said, settings.conversations.dates_per_turn) if said is not None else Named()
    title = f"{speaker.text}, {day_words(said)}" if said is not None else speaker.text
    made = render_document(redacted.text, "", settings.renderings)
    known = {
        "conversation": given.conversation,
        "turn": given.turn,
        "speaker": speaker.text,
        "time": str(given.seconds) if given.seconds else "",
        "dates": ",".join(days.iso for days in dates.days),
    }
    record = Record(
        ref=turn_ref(namespace, given.conversation, given.turn),
        namespace=namespace,
        kind=TURN_KIND,
        title=title,
        text=redacted.text,
        outline=made.outline,
        gist=made.gist,
        digest=record_digest(TURN_KIND, title, "", redacted.text),
        source=source,
        names=tuple(Name(NameKind.SPEAKER, name) for name in sorted({speaker.text, speaker.text.casefold()})),
        attributes=(*attributes, *((key, value) for key, value in known.items() if value)),
    )
    reasons = Counter({Reason.DATES_CUT.value: dates.unread} if dates.unread else {})
    for each in (redacted.reasons, speaker.reasons, held):
        reasons.update(dict(each))
    return MadeTurn(given, record, tuple(sorted(reasons.items())))


def at_place(record: Record, place: TurnPlace) -> Record:
    """The record of a turn where it stands in its conversation."""
    known = (("position", str(place.position)), ("session", place.session))
    return replace(record, attributes=tuple(sorted([*record.attributes, *(each for each in known if each[1])])))


def with_neighbours(record: Record, before: Sequence[Record | None], after: Record | None, characters: int) -> Record:
    """The turn with its neighbours' words beside it, at most so many characters of each; of its own session only.

    `before` are those that went before it, the nearest last.
    """
    session = attribute(record, "session")
    *earlier, later = [
        one_line(near.text) if near and attribute(near, "session") == session else "" for near in (*before, after)
    ]
    dates = " ".join(_searched(attribute(record, "dates")))
    lines = [" ".join(told[-characters:] for told in earlier if told), later[:characters], dates]
    return replace(record, beside="\n".join(lines) if any(lines) else "")


def spoken_on(seconds: int) -> date | None:
    """The day, in UTC, or None where the time is not known."""
    return datetime.fromtimestamp(seconds, UTC).date() if seconds else None


def attribute(record: Record, key: str) -> str:
    """One attribute of a record, empty where it has none."""
    return next((value for name, value in record.attributes if name == key), "")


def _searched(dates: str) -> Sequence[str]:
    """The dates of an attribute as they may be asked for: in figures, and in words."""
    found: list[str] = []
    for iso in filter(None, dates.split(",")):
        first, _, last = iso.partition("/")
        days = Days(date.fromisoformat(first), date.fromisoformat(last or first))
        found.append(f"{days.iso} {days.words}")
    return found
